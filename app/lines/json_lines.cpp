#include "app/lines/json_lines.h"

#include "app/error_json.h"
#include "app/exit_codes.h"
#include "app/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace assay {

namespace {

Result<double> numberOf(const Json& value, std::string_view name)
{
    if (value.is_boolean())
        return value.get<bool>() ? 1.0 : 0.0;
    if (value.is_number())
        return value.get<double>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (value == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity" || value == "-Infinity")
        return value == "Infinity" ? kInfinity : -kInfinity;
    return Error{ErrorCode::BadData, fmt::format("{} is no number", name)};
}

} // namespace

int answerJsonLines(std::istream& input, const std::function<Result<Json>(const Json& value)>& answer)
{
    int exitCode = 0;
    std::string line;
    for (std::int64_t number = 1; std::getline(input, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        const auto value = Json::parse(line, nullptr, false);
        const auto answered =
            value.is_object()
                ? answer(value)
                : Result<Json>(
                      Error{ErrorCode::BadData, "is no JSON object", {}, "Write one JSON object per line"});
        if (answered) {
            printJsonLine(*answered);
            continue;
        }
        auto error = answered.error();
        error.where =
            fmt::format("standard input, line {}", number) + (error.where.empty() ? "" : ", " + error.where);
        printNote("assay: " + error.text());
        printJsonLine({{"line", number}, {"error", errorJson(error)}});
        if (exitCode == 0)
            exitCode = exitCodeOf(error.code);
    }
    return exitCode;
}

Result<std::vector<double>> numbersOf(const Json& list, std::string_view name)
{
    if (!list.is_array())
        return Error{ErrorCode::BadData, fmt::format("{} is no list of numbers", name)};
    std::vector<double> numbers;
    numbers.reserve(list.size());
    for (const auto& value : list) {
        TRY(const auto number, numberOf(value, fmt::format("{}[{}]", name, numbers.size())));
        numbers.push_back(number);
    }
    return numbers;
}

Result<std::vector<double>> numbersAt(const Json& object, std::string_view key)
{
    const auto found = object.find(key);
    return found == object.end() ? std::vector<double>() : numbersOf(*found, key);
}

Result<double> numberAt(const Json& object, std::string_view key, double otherwise)
{
    const auto found = object.find(key);
    return found == object.end() ? otherwise : numberOf(*found, key);
}

Result<Json> objectAt(const Json& object, std::string_view key)
{
    const auto found = object.find(key);
    if (found == object.end())
        return Json::object();
    if (!found->is_object())
        return Error{ErrorCode::BadData, fmt::format("{} is no object", key)};
    return *found;
}

Status onlyKeys(const Json& object, std::initializer_list<std::string_view> keys)
{
    for (const auto& [key, value] : object.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            return Error{ErrorCode::BadData,
                         fmt::format("nothing reads the key \"{}\"", key),
                         {},
                         fmt::format("Known keys: {}", fmt::join(keys, ", "))};
    return {};
}

} // namespace assay
