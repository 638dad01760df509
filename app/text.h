#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class TextAlign { Left, Right };

/// A table for a terminal: columns padded to their widest cell, two spaces between them.
struct TextTable
{
    struct Column
    {
        std::string title;
        TextAlign align = TextAlign::Left;
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;

    std::string text() const;
};

/// "0.912", "NaN", or "-" without a value.
std::string metricText(std::optional<double> value, int decimals = 3);
/// "0.912 [0.897, 0.926]"
std::string metricText(std::optional<double> value, std::optional<double> low, std::optional<double> high);
/// "1 h 34 min", "2 min 5 s", "0.4 s"
std::string durationText(double seconds);
/// "5.7 GiB"
std::string bytesText(std::int64_t bytes);
/// "12.3 k"
std::string rateText(double perSecond);
/// "2026-07-16 14:03" in local time; "-" for 0.
std::string timeText(std::int64_t milliseconds);
/// Control characters replaced, so that text from data cannot drive the terminal.
std::string plainText(std::string_view text);
/// At most `columns` code points, with an ellipsis where something was cut.
std::string elided(std::string_view text, std::size_t columns);
/// Breaks at spaces; every line begins with `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

} // namespace assay
