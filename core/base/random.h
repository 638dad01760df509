#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

/// A named random stream: each purpose (data order, head, dropout, split, bootstrap) has its own, so that
/// changing one seed or drawing more numbers for one purpose never shifts another.
/// Generator: xoshiro256** (Blackman and Vigna), seeded through splitmix64 from the seed and the name.
class RandomStream
{
public:
    using State = std::array<std::uint64_t, 4>;

    RandomStream(std::uint64_t seed, std::string_view name);
    explicit RandomStream(const State& state)
        : m_state(state)
    {}

    std::uint64_t next();
    /// Uniform in [0, bound) without modulo bias; bound must be positive.
    std::uint64_t below(std::uint64_t bound);
    /// Uniform in [low, high], both included.
    std::int64_t between(std::int64_t low, std::int64_t high);
    /// Uniform in [0, 1) with 53 bits.
    double uniform();
    /// Standard normal (Box-Muller, one draw per pair so that the state stays four words).
    double normal();
    bool chance(double probability) { return uniform() < probability; }

    /// Fisher-Yates, the same on every machine (std::shuffle is not).
    template <typename T>
    void shuffle(std::span<T> items)
    {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[below(i)]);
    }

    const State& state() const { return m_state; }

private:
    State m_state{};
};

/// A permutation of 0..count-1, a pure function of (seed, name, epoch).
std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::string_view name,
                                      std::int64_t epoch);

} // namespace assay
