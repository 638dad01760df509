#pragma once

#include "core/eval/metric_direction.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// Says when evaluations have stopped improving: `patience` in a row, none of which beat the best before it
/// by more than the minimal improvement.
class EarlyStopping
{
public:
    /// `better` none: the metric cannot be better or worse, and nothing ever stops.
    EarlyStopping(std::int64_t patience, double minimumImprovement, std::optional<BetterValue> better);

    /// An evaluation, in the order in which they were made. An undefined value is no improvement.
    void observe(std::int64_t step, std::optional<double> value);
    bool shouldStop() const { return m_better && m_best && m_sinceBest >= m_patience; }
    /// "AUROC has not improved on 0.913 (step 40) in 5 evaluations"; `title` names the metric.
    std::string reason(const std::string& title) const;

private:
    std::int64_t m_patience;
    double m_minimumImprovement;
    std::optional<BetterValue> m_better;
    std::optional<double> m_best;
    std::int64_t m_bestStep = 0, m_sinceBest = 0;
};

} // namespace assay
