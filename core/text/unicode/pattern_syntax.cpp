#include "core/text/unicode/pattern_syntax.h"

#include <array>

namespace assay {

namespace {

// PCRE2's \s has U+180E, which is no white space since Unicode 6.3; its \w has no marks (before 10.43).
constexpr std::string_view kSpaces =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kWord = R"(\p{L}\p{Nl}\p{M}\p{Nd}\p{Pc}\x{24b6}-\x{24e9})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kLongNames{{{"Letter", "L"},
                                                                                   {"Number", "N"},
                                                                                   {"Punctuation", "P"},
                                                                                   {"Symbol", "S"},
                                                                                   {"Mark", "M"},
                                                                                   {"Separator", "Z"},
                                                                                   {"Other", "C"}}};

/// The name inside \p{...}. Longer names are scripts, and PCRE2 would take script extensions for them.
std::string propertyName(std::string_view name)
{
    for (const auto& [longName, shortName] : kLongNames)
        if (name == longName)
            return std::string(shortName);
    const auto bare = name.starts_with('^') ? name.substr(1) : name;
    const bool script =
        bare.size() > 2 && bare != "Any" && bare != "Alphabetic" && bare.find(':') == std::string_view::npos;
    return script ? (name.starts_with('^') ? "^sc:" : "sc:") + std::string(bare) : std::string(name);
}

/// What stands for the escape `\letter`, empty when it means the same.
std::string classEscape(char letter, bool insideClass)
{
    const auto wrap = [insideClass](std::string_view content, bool negated) {
        return insideClass ? std::string(content) : (negated ? "[^" : "[") + std::string(content) + "]";
    };
    if (letter == 's')
        return wrap(kSpaces, false);
    if (letter == 'w')
        return wrap(kWord, false);
    if (letter == 'S' && !insideClass)
        return wrap(kSpaces, true);
    return letter == 'W' && !insideClass ? wrap(kWord, true) : std::string();
}

} // namespace

std::string toPcre2Syntax(std::string_view expression)
{
    std::string out;
    bool insideClass = false;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        if (c != '\\' || i + 1 == expression.size()) {
            if (c == '[')
                insideClass = true;
            else if (c == ']')
                insideClass = false;
            out += c;
            continue;
        }
        const char letter = expression[++i];
        const auto close = expression.find('}', i);
        if ((letter == 'p' || letter == 'P') && i + 1 < expression.size() && expression[i + 1] == '{' &&
            close != std::string_view::npos) {
            out += std::string("\\") + letter + "{" + propertyName(expression.substr(i + 2, close - i - 2)) +
                   "}";
            i = close;
            continue;
        }
        const auto replaced = classEscape(letter, insideClass);
        out += replaced.empty() ? std::string("\\") + letter : replaced;
    }
    return out;
}

} // namespace assay
