#include "core/eval/pairs/pair_view.h"

#include "core/base/check.h"

#include <string>
#include <unordered_map>

namespace assay {

PairView pairView(const EvaluatedSet& set)
{
    PairView view;
    std::unordered_map<std::string, std::int32_t> groupIndex;
    const auto isCandidate = [](const Prediction& p) { return p.step < 0 && p.output == 0 && p.supervised; };
    for (std::size_t i = 0; i < set.predictions.size(); ++i) {
        const auto& better = set.predictions[i];
        if (!isCandidate(better))
            continue;
        CHECK(better.example >= 0 && std::size_t(better.example) < set.examples.size(),
              "prediction without its example");
        for (std::size_t j = i + 1; j < set.predictions.size(); ++j) {
            const auto& worse = set.predictions[j];
            if (worse.example != better.example)
                break;
            if (!isCandidate(worse))
                continue;
            const auto& name = set.examples[std::size_t(better.example)].group;
            const auto next = static_cast<std::int32_t>(groupIndex.size());
            view.chosen.push_back(better.score);
            view.rejected.push_back(worse.score);
            view.chosenTokens.push_back(better.tokens);
            view.rejectedTokens.push_back(worse.tokens);
            view.example.push_back(better.example);
            view.group.push_back(groupIndex.emplace(name, next).first->second);
        }
    }
    view.groups = static_cast<std::int32_t>(groupIndex.size());
    return view;
}

} // namespace assay
