#pragma once

#include "core/model/reward_model.h"
#include "core/text/layout.h"

#include <vector>

namespace assay {

/// Rows that an exported model must score as the original does: ids from all over the vocabulary, read at
/// every position, and texts as the layout puts them.
class ExportProbes
{
public:
    /// `layout` may be null: then only ids.
    ExportProbes(const ModelLimits& limits, const Layout* layout);

    /// [scores, outputs] float64.
    at::Tensor score(const RewardModel& model) const;
    /// Errors: BadModel when the layout makes other rows of the same texts.
    Status sameRows(const Layout& layout) const;

private:
    std::vector<LaidOut> m_rows;
    std::vector<LaidOut> m_texts; ///< those of the rows that came from a layout
};

} // namespace assay
