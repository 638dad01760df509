#include "app/lines/rows_in_order.h"

#include <algorithm>

namespace assay {

void visitInFileOrder(const Dataset& data, const std::function<void(const Example&)>& row,
                      const std::function<void(const RowProblem&)>& refused)
{
    auto problems = data.problems();
    std::stable_sort(problems.begin(), problems.end(),
                     [](const RowProblem& a, const RowProblem& b) { return a.row < b.row; });
    std::size_t next = 0;
    for (std::int64_t i = 0; i < data.size(); ++i) {
        const auto example = data.at(i);
        for (; next < problems.size() && problems[next].row < example.row; ++next)
            refused(problems[next]);
        row(example);
    }
    for (; next < problems.size(); ++next)
        refused(problems[next]);
}

} // namespace assay
