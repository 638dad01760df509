#pragma once

#include <cstdint>
#include <string>

namespace assay::tests {

/// The preferred answer says "good" somewhere, the other one "evil"; all are equally long, so a ruler fails.
inline std::string pairsText(int count, bool margins = false)
{
    std::string text;
    std::uint32_t state = 4711;
    const auto next = [&state](std::uint32_t bound) {
        state = state * 1664525U + 1013904223U;
        return (state >> 16) % bound;
    };
    const auto answer = [&next](const char* word) {
        std::string words;
        const auto place = next(4);
        for (std::uint32_t w = 0; w < 5; ++w)
            words += (w ? " " : "") + (w == place ? std::string(word) : std::to_string(next(10)));
        return words;
    };
    for (int i = 0; i < count; ++i)
        text += "{\"prompt\":\"Question " + std::to_string(i) + ": \",\"chosen\":\"" + answer("good") +
                "\",\"rejected\":\"" + answer("evil") + "\"" +
                (margins ? ",\"margin\":" + std::to_string(i % 3) : std::string()) + "}\n";
    return text;
}

} // namespace assay::tests
