#include "core/base/byte_size.h"

#include <array>
#include <charconv>
#include <string>

namespace assay {

Result<std::uint64_t> parseByteSize(std::string_view text, std::string_view where)
{
    struct Unit
    {
        std::string_view name;
        std::uint64_t bytes;
    };
    static constexpr std::array kUnits{
        Unit{"", 1},
        Unit{"B", 1},
        Unit{"KB", 1'000},
        Unit{"MB", 1'000'000},
        Unit{"GB", 1'000'000'000},
        Unit{"KiB", std::uint64_t{1} << 10},
        Unit{"MiB", std::uint64_t{1} << 20},
        Unit{"GiB", std::uint64_t{1} << 30},
    };
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& row : kUnits)
        if (fault == std::errc() && unit == row.name && number > 0 && number <= UINT64_MAX / row.bytes)
            return number * row.bytes;
    return Error{ErrorCode::Usage, "\"" + std::string(text) + "\" is no size of a file", std::string(where),
                 "Write a whole number with B, KB, MB, GB, KiB, MiB or GiB, for example 5GB"};
}

} // namespace assay
