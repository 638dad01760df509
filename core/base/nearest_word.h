#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// The candidate that `word` is most likely a slip of; empty where none is near (a third of its letters may
/// differ, dashes in front aside).
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates);
/// "Did you mean "train"?"; empty where no candidate is near.
std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates);

} // namespace assay
