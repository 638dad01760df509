#pragma once

#include "core/data/dataset.h"
#include "core/eval/report.h"
#include "core/text/layout.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace assay {

/// What the texts of a data set lose in a tokenizer: letters and digits that decoding does not give back
/// (case, accents, white space and compatible forms aside, which many vocabularies change on purpose), and
/// tokens that stand for the unknown.
struct TokenLoss
{
    std::int64_t rows = 0, characters = 0, lostCharacters = 0; ///< of the rows that were looked at
    std::int64_t tokens = 0, unknownTokens = 0;                ///< of all rows that were laid out
    std::int64_t worstRow = -1;                                ///< of its file, by letters; -1 = none is lost
    std::string worstText;                                     ///< some of the letters lost there
    std::int64_t unknownRow = -1;                              ///< the one with most unknown tokens

    double lostShare() const { return share(lostCharacters, characters); }
    double unknownShare() const { return share(unknownTokens, tokens); }

private:
    static double share(std::int64_t part, std::int64_t whole)
    {
        return whole > 0 ? double(part) / double(whole) : 0.0;
    }
};

/// Decodes up to `maximumRows` rows again, spread over the data set. A stopped count covers what it has seen.
TokenLoss countTokenLoss(const Dataset& dataset, std::span<const LaidOut> laidOut, const Tokenizer& tokenizer,
                         std::int64_t maximumRows, const std::stop_token& stop = {});

/// Red where at least 2 % of the letters or of the tokens are lost, a warning from 0.2 % on.
std::optional<Finding> tokenLossRule(const TokenLoss& loss);

} // namespace assay
