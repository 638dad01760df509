#pragma once

#include "core/eval/measure.h"
#include "tests/support/test_data.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace assay::tests {

using Json = nlohmann::json;

/// Parses a whole file of the test data; a discarded value when it is not JSON.
inline Json readJson(const std::string& part)
{
    std::ifstream file(testData() / part);
    return Json::parse(file, nullptr, false);
}

/// Parses a file with one JSON value per line.
inline std::vector<Json> readJsonLines(const std::string& part)
{
    std::vector<Json> rows;
    std::ifstream file(testData() / part);
    for (std::string line; std::getline(file, line);)
        if (!line.empty())
            rows.push_back(Json::parse(line, nullptr, false));
    return rows;
}

/// A number, or one of the texts that stand for what JSON has no number for.
inline double numberOf(const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? 1.0 : 0.0;
    if (!value.is_string())
        return value.get<double>();
    const auto text = value.get<std::string>();
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    return text == "-Infinity" ? -std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::infinity();
}

inline std::vector<double> numbersOf(const Json& values)
{
    std::vector<double> numbers;
    for (const auto& value : values)
        numbers.push_back(numberOf(value));
    return numbers;
}

/// Compares with an expected {value} or {value: null, reason}; empty = equal, else what differs.
inline std::string difference(const std::string& name, const Measure& measured, const Json& expected,
                              double tolerance)
{
    const Json& value = expected.at("value");
    if (value.is_null())
        return measured ? name + ": " + std::to_string(*measured.value) +
                              ", expected undefined: " + expected.at("reason").get<std::string>()
               : measured.reason.empty() ? name + ": undefined without a reason"
                                         : std::string();
    if (!measured)
        return name + ": undefined (" + measured.reason + "), expected " + value.dump();
    if (std::abs(*measured.value - numberOf(value)) > tolerance)
        return name + ": " + std::to_string(*measured.value) + ", expected " + value.dump();
    return {};
}

} // namespace assay::tests
