#include "core/train/batch_plan.h"

#include "core/base/check.h"
#include "core/base/random.h"

#include <algorithm>
#include <numeric>

namespace assay {

BatchPlan::BatchPlan(std::vector<std::int64_t> lengths, BatchPlanOptions options)
    : m_lengths(std::move(lengths))
    , m_options(options)
{
    ASSAY_CHECK(!m_lengths.empty(), "a batch plan needs examples");
    ASSAY_CHECK(m_options.examples > 0 && m_options.accumulation > 0 && m_options.worldSize > 0,
                "batch plan options");
}

const BatchPlan::MicroBatches& BatchPlan::microBatches(std::int64_t epoch) const
{
    if (m_cachedEpoch == epoch)
        return m_cached;
    const auto count = static_cast<std::int64_t>(m_lengths.size());
    std::vector<std::int64_t> order(m_lengths.size());
    if (m_options.shuffled)
        order = permutation(count, m_options.seed, "order", epoch);
    else
        std::iota(order.begin(), order.end(), std::int64_t{0});
    m_cached.clear();
    std::int64_t tokens = 0;
    for (const auto example : order) {
        const auto length = m_lengths[static_cast<std::size_t>(example)];
        const bool full =
            !m_cached.empty() && (static_cast<std::int64_t>(m_cached.back().size()) >= m_options.examples ||
                                  (m_options.maximumTokens > 0 && tokens + length > m_options.maximumTokens));
        if (m_cached.empty() || full) {
            m_cached.emplace_back();
            tokens = 0;
        }
        m_cached.back().push_back(example);
        tokens += length;
    }
    m_cachedEpoch = epoch;
    return m_cached;
}

std::int64_t BatchPlan::stepsInEpoch(std::int64_t epoch) const
{
    const auto known = m_stepsInEpoch.find(epoch);
    if (known != m_stepsInEpoch.end())
        return known->second;
    const auto perStep = m_options.accumulation * m_options.worldSize;
    const auto count = static_cast<std::int64_t>(microBatches(epoch).size());
    return m_stepsInEpoch[epoch] = (count + perStep - 1) / perStep;
}

std::int64_t BatchPlan::stepsIn(std::int64_t epochs) const
{
    if (m_options.maximumTokens == 0)
        return epochs * stepsInEpoch(0);
    std::int64_t steps = 0;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
        steps += stepsInEpoch(epoch);
    return steps;
}

BatchPlan::Step BatchPlan::step(std::int64_t step) const
{
    Step result;
    if (m_options.repeatFirstStep)
        step = 0;
    if (m_options.maximumTokens == 0) {
        result.epoch = step / stepsInEpoch(0);
        result.stepInEpoch = step % stepsInEpoch(0);
    } else {
        while (step >= stepsInEpoch(result.epoch))
            step -= stepsInEpoch(result.epoch++);
        result.stepInEpoch = step;
    }
    const auto& batches = microBatches(result.epoch);
    const auto perStep = m_options.accumulation * m_options.worldSize;
    const auto first = result.stepInEpoch * perStep;
    const auto last = std::min(first + perStep, static_cast<std::int64_t>(batches.size()));
    result.ranks.resize(static_cast<std::size_t>(m_options.worldSize));
    // Round robin: one rank alone sees the same micro-batches in the same order as before.
    for (std::int64_t i = first; i < last; ++i)
        result.ranks[static_cast<std::size_t>((i - first) % m_options.worldSize)].push_back(
            batches[static_cast<std::size_t>(i)]);
    return result;
}

} // namespace assay
