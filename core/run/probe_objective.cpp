#include "core/run/probe_objective.h"

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
    if (input.value.size() != count)
        return badCase("targets.value is missing");
    for (std::size_t i = 0; i < count; ++i) {
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

} // namespace

Result<ObjectiveAnswer> probeObjective(std::string_view name, const ObjectiveCase& input)
{
    TRY(const auto objective, makeObjective(name, {input.wrongWeight}));
    TRY_STATUS(checkSizes(input, name, objective->outputs()));
    try {
        at::Tensor scores = doubles(input.scores).reshape({-1, objective->outputs()});
        scores.requires_grad_(true);
        TargetTensors targets;
        targets.value = doubles(input.value);
        targets.mask = input.mask.empty() ? at::zeros_like(targets.value) + 1.0 : doubles(input.mask);
        if (!input.weight.empty())
            targets.weight = doubles(input.weight);
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
