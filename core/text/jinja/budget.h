#pragma once

#include "core/text/jinja/value.h"

#include <cstddef>

namespace assay::jinja {

/// What a rendering may take. Templates come from files of strangers.
class Budget
{
public:
    /// Throws Fault when the steps are used up.
    void step(std::size_t count = 1)
    {
        m_steps += count;
        if (m_steps > kMaximumSteps)
            throw Fault("the template takes more than 2,000,000 steps");
    }
    /// Text or list of this size is made. Throws Fault when all of them together are too large.
    void make(std::size_t size)
    {
        m_made += size;
        if (m_made > kMaximumMade)
            throw Fault("the template makes more than 64 MiB of text");
    }

private:
    static constexpr std::size_t kMaximumSteps = 2'000'000;
    static constexpr std::size_t kMaximumMade = std::size_t{64} << 20;
    std::size_t m_steps = 0;
    std::size_t m_made = 0;
};

} // namespace assay::jinja
