#include "app/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace assay {

namespace {

std::size_t codePoints(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        std::size_t width = codePoints(columns[column].title);
        for (const auto& row : rows)
            width = std::max(width, codePoints(row[column]));
        widths.push_back(width);
    }
    std::string result;
    const auto append = [&](std::size_t column, const std::string& cell) {
        const std::string padding(widths[column] - codePoints(cell), ' ');
        const bool last = column + 1 == columns.size();
        if (columns[column].align == TextAlign::Right)
            result += padding + cell;
        else
            result += last ? cell : cell + padding;
        result += last ? "\n" : "  ";
    };
    for (std::size_t column = 0; column < columns.size(); ++column)
        append(column, columns[column].title);
    for (const auto& row : rows)
        for (std::size_t column = 0; column < columns.size(); ++column)
            append(column, row[column]);
    return result;
}

std::string metricText(std::optional<double> value, int decimals)
{
    if (!value)
        return "-";
    if (std::isnan(*value))
        return "NaN";
    return fmt::format("{:.{}f}", *value, decimals);
}

std::string metricText(std::optional<double> value, std::optional<double> low, std::optional<double> high)
{
    auto text = metricText(value);
    if (value && low && high)
        text += fmt::format(" [{:.3f}, {:.3f}]", *low, *high);
    return text;
}

std::string durationText(double seconds)
{
    if (!(seconds >= 0.0) || std::isinf(seconds))
        return "-";
    if (seconds < 10.0)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 60)
        return fmt::format("{} s", whole);
    if (whole < 3600)
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytesText(std::int64_t bytes)
{
    static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t index = 0;
    while (value >= 1024.0 && index + 1 < kUnits.size()) {
        value /= 1024.0;
        ++index;
    }
    return fmt::format("{:.{}f} {}", value, index == 0 ? 0 : 1, kUnits[index]);
}

std::string rateText(double perSecond)
{
    if (perSecond >= 1e6)
        return fmt::format("{:.1f} M", perSecond / 1e6);
    if (perSecond >= 1e3)
        return fmt::format("{:.1f} k", perSecond / 1e3);
    return fmt::format("{:.0f}", perSecond);
}

std::string timeText(std::int64_t milliseconds)
{
    if (milliseconds == 0)
        return "-";
    const std::time_t seconds = milliseconds / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:%Y-%m-%d %H:%M}", local);
}

std::string plainText(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
    return result;
}

std::string elided(std::string_view text, std::size_t columns)
{
    if (codePoints(text) <= columns)
        return std::string(text);
    std::size_t seen = 0;
    std::size_t end = 0;
    while (end < text.size()) {
        if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && ++seen == columns)
            break;
        ++end;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent)
{
    std::string result;
    std::string line;
    while (!text.empty()) {
        const auto space = text.find(' ');
        const auto word = text.substr(0, space);
        if (!line.empty() && indent.size() + codePoints(line) + 1 + codePoints(word) > width) {
            result += std::string(indent) + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + std::string(word);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    }
    return result + std::string(indent) + line + "\n";
}

} // namespace assay
