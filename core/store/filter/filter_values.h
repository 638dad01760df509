#pragma once

#include "core/store/filter/filter.h"

#include <string>
#include <string_view>

namespace assay {

/// A field compared with a value as the user typed it. Errors: message = what is wrong, where = `operator` or
/// `value`.
Result<Filter> compare(const FilterField& field, const std::string& comparator, const std::string& value);

/// Contains-pattern for LIKE with the escape character backslash.
std::string likePattern(std::string_view text);
std::string lowered(std::string_view text);

} // namespace assay
