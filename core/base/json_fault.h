#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Why a text is not JSON, and at which byte counted from 1: "NaN is not JSON; write null (byte 12)". Empty
/// for JSON. Keys that stand twice and the depth are not looked at.
std::string jsonFault(std::string_view text);

} // namespace assay
