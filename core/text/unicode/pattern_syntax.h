#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The same expression for PCRE2: \s, \w and scripts mean what they mean to Oniguruma.
std::string toPcre2Syntax(std::string_view expression);

} // namespace assay
