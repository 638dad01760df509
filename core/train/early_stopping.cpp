#include "core/train/early_stopping.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

EarlyStopping::EarlyStopping(std::int64_t patience, double minimumImprovement,
                             std::optional<BetterValue> better)
    : m_patience(patience)
    , m_minimumImprovement(minimumImprovement)
    , m_better(better)
{}

void EarlyStopping::observe(std::int64_t step, std::optional<double> value)
{
    const bool usable = value && std::isfinite(*value);
    if (!m_best) {
        // Patience begins with the first value there is something to improve on.
        if (usable) {
            m_best = value;
            m_bestStep = step;
        }
        return;
    }
    if (usable && m_better && isBetter(*m_better, *value, *m_best, m_minimumImprovement)) {
        m_best = value;
        m_bestStep = step;
        m_sinceBest = 0;
    } else {
        ++m_sinceBest;
    }
}

std::string EarlyStopping::reason(const std::string& title) const
{
    return fmt::format("{} has not improved on {:.4g} (step {}) in {} evaluation{}", title,
                       m_best.value_or(0.0), m_bestStep, m_sinceBest, m_sinceBest == 1 ? "" : "s");
}

} // namespace assay
