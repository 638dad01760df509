#pragma once

#include "core/base/result.h"
#include "core/data/example.h"

#include <simdjson.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The value of a key, or an error that names the key and the keys that are there. Errors: BadData.
Result<simdjson::dom::element> requiredValue(const simdjson::dom::object& row, std::string_view key);
/// A text under a key. Errors: BadData.
Result<std::string> textValue(const simdjson::dom::object& row, std::string_view key);
/// A list under a key. Errors: BadData.
Result<simdjson::dom::array> listValue(const simdjson::dom::object& row, std::string_view key);
/// A list of texts under a key. Errors: BadData naming the entry.
Result<std::vector<std::string>> textsValue(const simdjson::dom::object& row, std::string_view key);
/// A whole number in [minimum, maximum]. Errors: BadData naming `what`.
Result<std::int64_t> wholeNumber(const simdjson::dom::element& value, std::string_view what,
                                 std::int64_t minimum, std::int64_t maximum);
/// true, false, 0, 1 or a fraction in between. Errors: BadData naming `what`.
Result<Label> labelValue(const simdjson::dom::element& value, std::string_view what);
/// A list of token ids under a key. Errors: BadData naming the entry.
Result<std::vector<std::int32_t>> idsValue(const simdjson::dom::object& row, std::string_view key);
/// `margin` of a pair: a finite number; absent or null = none. Errors: BadData.
Result<std::optional<float>> marginValue(const simdjson::dom::object& row);
/// Columns other than `used`, as text: strings as they are, everything else as compact JSON.
std::vector<std::pair<std::string, std::string>> otherColumns(const simdjson::dom::object& row,
                                                              std::initializer_list<std::string_view> used);

} // namespace assay
