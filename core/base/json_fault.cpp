#include "core/base/json_fault.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace assay {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kShownBytes = 20;

/// What other writers take for JSON, and what JSON has instead.
struct Foreign
{
    std::string_view word, instead;
};
constexpr std::array<Foreign, 9> kForeign{{{"NaN", "null"},
                                           {"nan", "null"},
                                           {"Infinity", "null"},
                                           {"-Infinity", "null"},
                                           {"inf", "null"},
                                           {"-inf", "null"},
                                           {"None", "null"},
                                           {"True", "true"},
                                           {"False", "false"}}};

/// Remembers where the parser gave up; takes everything else.
class FaultFinder : public nlohmann::json_sax<Json>
{
public:
    std::size_t position = 0; ///< bytes read, the last one included
    std::string reason;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t at, const std::string&, const Json::exception& error) override
    {
        position = at;
        reason = error.what();
        return false;
    }
};

bool isWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
}

/// The beginning of a text that may hold anything, on one line.
std::string shown(std::string_view text)
{
    std::string result(text.substr(0, kShownBytes));
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80U) != 0)
        result.pop_back(); // no half character
    return result;
}

} // namespace

std::string jsonFault(std::string_view text)
{
    FaultFinder fault;
    if (Json::sax_parse(text.begin(), text.end(), &fault))
        return {};
    const auto at = [](std::size_t byte) { return " (byte " + std::to_string(byte) + ")"; };
    if (fault.position > text.size())
        return "not valid JSON: it ends too early" + at(text.size());
    // What the parser last read belongs to a word that may begin some bytes before.
    auto begin = fault.position - std::min<std::size_t>(fault.position, 1);
    while (begin > 0 && isWordPart(text[begin]) && isWordPart(text[begin - 1]))
        --begin;
    const auto rest = text.substr(begin);
    for (const auto& [word, instead] : kForeign)
        if (rest.starts_with(word))
            return std::string(word) + " is not JSON; write " + std::string(instead) + at(begin + 1);
    if (fault.reason.find("surrogate") != std::string::npos)
        return "a text has half a surrogate pair" + at(fault.position);
    if (rest.starts_with("'"))
        return "not valid JSON: texts stand in double quotes" + at(begin + 1);
    return "not valid JSON from \"" + shown(rest) + "\" on" + at(begin + 1);
}

} // namespace assay
