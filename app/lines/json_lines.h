#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <istream>
#include <string_view>
#include <vector>

namespace assay {

using Json = nlohmann::ordered_json;

/// Reads one JSON value per line and prints one answer per line, in the same order. A line that cannot be
/// answered gets {"line", "error"} in its place and the next one is read. Returns the exit code: 0, or that
/// of the first error.
int answerJsonLines(std::istream& input, const std::function<Result<Json>(const Json& value)>& answer);

/// A list of numbers; true and false are 1 and 0, and what JSON has no number for stands as the text "NaN",
/// "Infinity" or "-Infinity". Errors: BadData naming `name` and the entry.
Result<std::vector<double>> numbersOf(const Json& list, std::string_view name);
/// The same under a key of `object`; empty when the key is absent. Errors: BadData.
Result<std::vector<double>> numbersAt(const Json& object, std::string_view key);
/// A number under a key, or `otherwise` when the key is absent. Errors: BadData.
Result<double> numberAt(const Json& object, std::string_view key, double otherwise);
/// The object under a key; an empty one when the key is absent. Errors: BadData.
Result<Json> objectAt(const Json& object, std::string_view key);
/// Refuses keys that nothing reads, so that a misspelt option does not pass in silence. Errors: BadData.
Status onlyKeys(const Json& object, std::initializer_list<std::string_view> keys);

} // namespace assay
