#pragma once

#include "core/data/example.h"
#include "core/text/layout.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One step as the null ladder sees it: everything but what a reader would understand.
struct LabelledStep
{
    std::int32_t example = 0;  ///< index of the solution
    std::int32_t position = 0; ///< 0-based step
    std::int32_t characters = 0;
    std::int32_t tokens = 0;
    std::vector<std::int32_t> tokenIds; ///< tokens (or word hashes) of the step alone
    float label = 0.0F;
    bool supervised = false;
};

/// Steps of an example as its layout reads them; `index` numbers the solution. Steps that were cut are left
/// out.
std::vector<LabelledStep> labelledSteps(const Example& example, const LaidOut& row, std::int32_t index);
/// Steps of an example without a tokenizer: words, lower case, as hashes. Empty for tokenised rows.
std::vector<LabelledStep> labelledSteps(const Example& example, std::int32_t index);

/// Words in lower case; everything but letters, digits and bytes above ASCII separates.
std::vector<std::string> plainWords(std::string_view text);
/// Unicode characters of UTF-8 text (bytes that do not continue a character).
std::int32_t characterCount(std::string_view text);

} // namespace assay
