#include "core/run/probes/probe_objective.h"

#include "core/objective/objective.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

Error badCase(const std::string& message)
{
    return Error{ErrorCode::BadData, message};
}

at::Tensor doubles(const std::vector<double>& values)
{
    return at::tensor(values, at::TensorOptions().dtype(at::kDouble));
}

Status checkSizes(const ObjectiveCase& input, std::string_view name, std::int64_t outputs)
{
    if (input.outputs != outputs)
        return badCase(fmt::format("{} takes {} score{} per read-out, here are {}", name, outputs,
                                   outputs == 1 ? "" : "s", input.outputs));
    const auto count = input.scores.size() / static_cast<std::size_t>(outputs);
    for (const auto& [values, what] :
         {std::pair(&input.value, "value"), {&input.mask, "mask"}, {&input.weight, "weight"}})
        if (!values->empty() && values->size() != count)
            return badCase(fmt::format("{} scores and {} entries in {}", count, values->size(), what));
    if (input.value.size() != count && name != "bradley-terry")
        return badCase("targets.value is missing");
    for (std::size_t i = 0; i < input.value.size(); ++i) {
        const bool supervised = input.mask.empty() || input.mask[i] != 0.0;
        if (supervised && !(input.value[i] >= 0.0 && input.value[i] <= 1.0))
            return badCase(fmt::format("targets.value[{}] is {}, outside [0, 1]", i, input.value[i]));
    }
    const auto isMask = [](double m) { return m == 0.0 || m == 1.0; };
    if (!std::all_of(input.mask.begin(), input.mask.end(), isMask))
        return badCase("targets.mask holds something other than 0 and 1");
    const auto isWeight = [](double w) { return std::isfinite(w) && w >= 0.0; };
    if (!std::all_of(input.weight.begin(), input.weight.end(), isWeight) || !isWeight(input.wrongWeight))
        return badCase("a weight is negative or not finite");
    return {};
}

/// Groups must be 0 = offset 0 < offset 1 < ... = number of scores, with a rank for every score.
Status checkGroups(const ObjectiveCase& input)
{
    const auto& offsets = input.groupOffsets;
    bool rising = offsets.size() >= 2 && offsets.front() == 0.0 &&
                  offsets.back() == static_cast<double>(input.scores.size());
    for (std::size_t i = 1; i < offsets.size(); ++i)
        rising = rising && offsets[i] > offsets[i - 1] && offsets[i] == std::floor(offsets[i]);
    if (!rising)
        return badCase("targets.group_offsets must rise from 0 to the number of scores");
    if (input.rank.size() != input.scores.size())
        return badCase(
            fmt::format("{} scores and {} entries in rank", input.scores.size(), input.rank.size()));
    if (!input.margin.empty() && input.margin.size() + 1 != offsets.size())
        return badCase(
            fmt::format("{} groups and {} entries in margin", offsets.size() - 1, input.margin.size()));
    return {};
}

/// The pairs of the groups; margins stay in double, as the scores are.
void addPairs(TargetTensors& targets, const ObjectiveCase& input)
{
    Targets plain;
    plain.value.assign(input.scores.size(), 0.0F);
    plain.mask.assign(input.scores.size(), 1);
    for (std::size_t i = 0; i < input.mask.size(); ++i)
        plain.mask[i] = input.mask[i] != 0.0 ? 1 : 0;
    plain.rank.assign(input.rank.begin(), input.rank.end());
    for (const double offset : input.groupOffsets)
        plain.groupOffsets.push_back(static_cast<std::int32_t>(offset));
    const auto pairs = targetTensors(plain, at::kDouble);
    targets.better = pairs.better;
    targets.worse = pairs.worse;
    if (input.margin.empty())
        return;
    std::vector<double> margin;
    const auto* better = pairs.better.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < pairs.better.size(0); ++i) {
        const auto after = std::upper_bound(plain.groupOffsets.begin(), plain.groupOffsets.end(), better[i]);
        margin.push_back(input.margin[static_cast<std::size_t>(after - plain.groupOffsets.begin()) - 1]);
    }
    targets.margin = doubles(margin);
}

} // namespace

Result<ObjectiveAnswer> probeObjective(std::string_view name, const ObjectiveCase& input)
{
    TRY(const auto objective, makeObjective(name, {input.wrongWeight, input.centring}));
    TRY_STATUS(checkSizes(input, name, objective->outputs()));
    const bool ofPairs = name == "bradley-terry";
    if (ofPairs)
        TRY_STATUS(checkGroups(input));
    try {
        at::Tensor scores = doubles(input.scores).reshape({-1, objective->outputs()});
        scores.requires_grad_(true);
        TargetTensors targets;
        targets.value = doubles(input.value);
        targets.mask = input.mask.empty() ? at::zeros_like(targets.value) + 1.0 : doubles(input.mask);
        if (!input.weight.empty())
            targets.weight = doubles(input.weight);
        if (ofPairs)
            addPairs(targets, input);
        const auto loss = objective->loss(scores, targets);
        loss.sum.backward();
        ObjectiveAnswer answer;
        answer.sum = loss.sum.item<double>();
        answer.count = loss.count;
        const at::Tensor gradient = scores.grad().contiguous();
        const auto* data = gradient.const_data_ptr<double>();
        answer.gradient.assign(data, data + gradient.numel());
        return answer;
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, error.what(), std::string(name)};
    }
}

Status requireObjective(std::string_view name)
{
    const auto objective = makeObjective(name, {});
    if (objective)
        return {};
    auto error = objective.error();
    error.remedy = fmt::format("Choose one of {}", fmt::join(objectiveNames(), ", "));
    return error;
}

} // namespace assay
