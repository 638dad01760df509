#include "core/base/random.h"

#include "core/base/check.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace assay {

namespace {

std::uint64_t splitmix(std::uint64_t& x)
{
    x += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

std::uint64_t fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
{
    std::uint64_t mix = fnv1a(name);
    std::uint64_t x = seed ^ splitmix(mix);
    for (auto& word : m_state)
        word = splitmix(x);
}

std::uint64_t RandomStream::next()
{
    auto& s = m_state;
    const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound)
{
    CHECK(bound > 0, "below(0)");
    const std::uint64_t limit = bound * (~std::uint64_t{0} / bound);
    std::uint64_t value = next();
    while (value >= limit)
        value = next();
    return value % bound;
}

std::int64_t RandomStream::between(std::int64_t low, std::int64_t high)
{
    CHECK(low <= high, "between");
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
}

double RandomStream::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double RandomStream::normal()
{
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::string_view name,
                                      std::int64_t epoch)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    RandomStream stream(seed + 0x632be59bd9b4e019ULL * static_cast<std::uint64_t>(epoch), name);
    stream.shuffle(std::span(order));
    return order;
}

} // namespace assay
