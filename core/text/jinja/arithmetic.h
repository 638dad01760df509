#pragma once

#include "core/text/jinja/budget.h"

namespace assay::jinja {

/// `left operation right` for + - * / // % and ~. Throws Fault where Python would, and where a number grows
/// too large.
Value computed(std::string_view operation, const Value& left, const Value& right, Budget& budget);
/// value[begin:end:step] of a text or list; null = not given.
Value sliced(const Value& value, const Value* begin, const Value* end, const Value* step, Budget& budget);

} // namespace assay::jinja
