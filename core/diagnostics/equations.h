#pragma once

#include <optional>
#include <string_view>

namespace assay {

/// Whether the first "a op b = c" with plain numbers in a step (op one of + - * / x) is true; none without
/// one.
std::optional<bool> equationHolds(std::string_view step);

} // namespace assay
