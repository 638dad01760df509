#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string_view>

namespace assay {

/// Targets of a micro-batch as tensors; see `Targets` for their meaning.
struct TargetTensors
{
    at::Tensor value;  ///< [scores], probability of "correct"
    at::Tensor mask;   ///< [scores], 1 = supervised
    at::Tensor weight; ///< [scores]; undefined = 1
};

/// A loss as sum and count in the objective's own unit (read-outs, pairs, groups). The trainer divides once
/// per optimiser step, over all micro-batches and ranks.
struct LossSum
{
    at::Tensor sum; ///< scalar, at least float32, differentiable
    double count = 0.0;
};

class Objective
{
public:
    virtual ~Objective() = default;
    virtual std::string_view name() const = 0;
    virtual std::int64_t outputs() const = 0; ///< outputs of the head it works with
    /// scores [scores, outputs]
    virtual LossSum loss(const at::Tensor& scores, const TargetTensors& targets) const = 0;
};

struct ObjectiveOptions
{
    double wrongWeight = 1.0;
};

std::span<const std::string_view> objectiveNames();
/// Errors: Usage for an unknown name.
Result<std::unique_ptr<Objective>> makeObjective(std::string_view name, const ObjectiveOptions& options);

} // namespace assay
