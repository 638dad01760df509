#pragma once

#include "core/text/jinja/arguments.h"
#include "core/text/jinja/budget.h"

namespace assay::jinja {

// What templates can call besides their own macros. All throw Fault for what is not taken.

/// `value | name(arguments)` for the filters that call no other filter or test.
Value applyFilter(std::string_view name, const Value& value, const Arguments& arguments, Budget& budget);
/// `value is name(arguments)`.
bool applyTest(std::string_view name, const Value& value, const Arguments& arguments);
/// `value.name(arguments)` of texts and dictionaries.
Value callMethod(const Value& value, std::string_view name, const Arguments& arguments, Budget& budget);
/// `range`, `namespace`, `dict`, `raise_exception`; no value for other names.
std::optional<Value> callGlobal(std::string_view name, const Arguments& arguments, Budget& budget);

/// What Python's str.strip() and its siblings leave of a text; blanks where `characters` is null.
std::string stripped(std::string_view text, const std::string* characters, bool left, bool right);
/// Whether `item` is in a text, list or dictionary.
bool contains(const Value& container, const Value& item);
/// `value.name` or `value["name"]`: undefined where there is none.
Value attributeOf(const Value& value, std::string_view name);

} // namespace assay::jinja
