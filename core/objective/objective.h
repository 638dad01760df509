#pragma once

#include "core/base/result.h"
#include "core/text/layout.h"

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
    // Ranked candidates: every two supervised scores of a group whose ranks differ are a pair.
    at::Tensor better, worse; ///< [pairs] int64, which score; undefined without ranks
    at::Tensor margin;        ///< [pairs], of their group; undefined = 0
};

/// The tensors of plain targets. Groups may be missing; with them ranks must be there, margins may be.
TargetTensors targetTensors(const Targets& targets, at::ScalarType type, at::Device device = at::kCPU);

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
    /// `LossSum::count` without the scores: what a step will be divided by is known before it is computed.
    virtual double count(const TargetTensors& targets) const = 0;
    /// scores [scores, outputs]
    virtual LossSum loss(const at::Tensor& scores, const TargetTensors& targets) const = 0;
};

struct ObjectiveOptions
{
    double wrongWeight = 1.0;
    double centring = 0.0; ///< factor on the mean squared sum of a pair's rewards
};

std::span<const std::string_view> objectiveNames();
/// Errors: Usage for an unknown name.
Result<std::unique_ptr<Objective>> makeObjective(std::string_view name, const ObjectiveOptions& options);

} // namespace assay
