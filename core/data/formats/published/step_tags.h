#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The tag that Math-Shepherd puts behind every step: Cyrillic ka, i.
constexpr std::string_view kStepTag = "ки";

/// The parts of a text that end with the tag, without it and without blanks around them. What stands behind
/// the last tag is left out.
std::vector<std::string> taggedParts(std::string_view text);

std::string_view trimmed(std::string_view text);

} // namespace assay
