#include "core/base/check.h"
#include "core/objective/objective.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

namespace assay {

namespace {

template <typename T>
at::Tensor placed(const std::vector<T>& values, at::ScalarType type, at::Device device)
{
    return at::tensor(values, at::TensorOptions().dtype(c10::CppTypeToScalarType<T>())).to(type).to(device);
}

} // namespace

TargetTensors targetTensors(const Targets& targets, at::ScalarType type, at::Device device)
{
    ASSAY_CHECK(targets.outputs == 1 && targets.mask.size() == targets.value.size(), "targets of one output");
    TargetTensors result;
    result.value = placed(targets.value, type, device);
    result.mask = placed(std::vector<float>(targets.mask.begin(), targets.mask.end()), type, device);
    if (std::any_of(targets.weight.begin(), targets.weight.end(),
                    [](float weight) { return weight != 1.0F; }))
        result.weight = placed(targets.weight, type, device);
    if (targets.groupOffsets.empty())
        return result;
    ASSAY_CHECK(targets.rank.size() == targets.value.size(), "a rank for every score of a group");
    std::vector<std::int64_t> better, worse;
    std::vector<float> margin;
    for (std::size_t group = 0; group + 1 < targets.groupOffsets.size(); ++group)
        for (auto i = targets.groupOffsets[group]; i < targets.groupOffsets[group + 1]; ++i)
            for (auto j = targets.groupOffsets[group]; j < targets.groupOffsets[group + 1]; ++j) {
                const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
                if (targets.rank[a] >= targets.rank[b] || !targets.mask[a] || !targets.mask[b])
                    continue;
                better.push_back(i);
                worse.push_back(j);
                margin.push_back(targets.margin.empty() ? 0.0F : targets.margin.at(group));
            }
    result.better = placed(better, at::kLong, device);
    result.worse = placed(worse, at::kLong, device);
    if (std::any_of(margin.begin(), margin.end(), [](float m) { return m != 0.0F; }))
        result.margin = placed(margin, type, device);
    return result;
}

} // namespace assay
