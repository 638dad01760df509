#pragma once

#include "core/data/dataset.h"
#include "core/text/layout.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// A better and a worse answer to one prompt, as the checks see them. A row with more candidates gives one
/// for every two of them.
struct AnswerPair
{
    std::int64_t row = 0; ///< of its file
    std::string prompt;   ///< key; equal for equal prompts
    std::string better, worse;
    bool isText = true;                             ///< else token ids, in bytes
    std::int32_t betterLength = 0, worseLength = 0; ///< characters, or tokens of rows that are ids
};

/// The pairs of a data set in order; rows that are no preferences give none.
std::vector<AnswerPair> answerPairs(const Dataset& dataset);

/// Counts over the pairs of one side, and what lengths alone say.
struct PairCensus
{
    std::int64_t rows = 0, pairs = 0;
    std::int64_t longer = 0, equallyLong = 0; ///< pairs whose better answer is the longer one; lengths equal
    std::int64_t withMargin = 0;              ///< rows
    double betterLength = 0.0, worseLength = 0.0; ///< means
    std::int64_t dropped = 0, cut = 0;            ///< rows, by the layout

    double shareLonger() const { return pairs > 0 ? double(longer) / double(pairs) : 0.0; }
    /// Pair accuracy of "the longest answer wins"; equal lengths count one half.
    double longestWins() const
    {
        return pairs > 0 ? (double(longer) + 0.5 * double(equallyLong)) / double(pairs) : 0.5;
    }
    double shortestWins() const { return 1.0 - longestWins(); }
};

/// `laidOut`: the rows as the layout made them, same order and length; empty = not known.
PairCensus takePairCensus(const Dataset& dataset, std::span<const AnswerPair> pairs,
                          std::span<const LaidOut> laidOut);

} // namespace assay
