#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace assay {

/// Stands between the trainer and its ranks. Sums must be the same on every rank and, for one rank, the
/// input.
class Communicator
{
public:
    virtual ~Communicator() = default;
    virtual std::int64_t rank() const = 0;
    virtual std::int64_t size() const = 0;
    /// In place, over all ranks.
    virtual void sum(std::vector<at::Tensor>& tensors) = 0;
    virtual double sum(double value) = 0;
    /// Whether any rank says yes.
    virtual bool any(bool value) = 0;
};

/// The communicator of a run on one device.
std::unique_ptr<Communicator> singleRank();

} // namespace assay
