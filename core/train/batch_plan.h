#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace assay {

struct BatchPlanOptions
{
    std::int64_t examples = 8;      ///< per micro-batch
    std::int64_t accumulation = 1;  ///< micro-batches per rank and optimiser step
    std::int64_t maximumTokens = 0; ///< closes a micro-batch earlier; 0 = off
    bool shuffled = true;
    std::uint64_t seed = 0;
    std::int64_t worldSize = 1;
    bool repeatFirstStep = false; ///< overfit-one-batch control
};

/// Which examples are computed when: a pure function of (seed, epoch, step, world size). Exact resume, other
/// rank counts and token budgets all follow from it; nothing about the past has to be stored but the step
/// number.
class BatchPlan
{
public:
    /// `lengths[i]`: tokens of example i.
    BatchPlan(std::vector<std::int64_t> lengths, BatchPlanOptions options);

    /// Optimiser steps of one epoch. An epoch that ends inside an accumulation window closes it. May differ
    /// from epoch to epoch only with a token budget.
    std::int64_t stepsInEpoch(std::int64_t epoch) const;
    std::int64_t stepsIn(std::int64_t epochs) const;

    struct Step
    {
        std::int64_t epoch = 0;
        std::int64_t stepInEpoch = 0;
        /// [ranks][micro-batches][examples]; ranks may get fewer or empty micro-batches at the end of an
        /// epoch.
        std::vector<std::vector<std::vector<std::int64_t>>> ranks;
    };
    /// `step` counts from 0 over all epochs.
    Step step(std::int64_t step) const;

private:
    using MicroBatches = std::vector<std::vector<std::int64_t>>;
    const MicroBatches& microBatches(std::int64_t epoch) const;

    std::vector<std::int64_t> m_lengths;
    BatchPlanOptions m_options;
    mutable std::int64_t m_cachedEpoch = -1; ///< a cache only: the plan stays a pure function
    mutable MicroBatches m_cached;
    mutable std::unordered_map<std::int64_t, std::int64_t> m_stepsInEpoch; ///< a cache as well
};

} // namespace assay
