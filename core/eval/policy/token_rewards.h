#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// What a policy trainer wants of a reward model's scores. The usual one subtracts the divergence from a
/// reference policy token by token and adds the score at the last token.
struct TokenRewardOptions
{
    double divergenceWeight = 0.05;
    double discount = 1.0;                  ///< gamma of the returns
    double trace = 0.95;                    ///< lambda of generalised advantage estimation
    std::vector<std::int64_t> stopTokens;   ///< the response ends with the first of them; empty = it is whole
    std::optional<double> scoreWithoutStop; ///< takes the score's place where none of them occurs
};

/// A response of a policy and its score. Lists are [tokens]; `ids` and `values` may be empty.
struct ScoredResponse
{
    double score = 0.0;
    std::vector<std::int64_t> ids;
    std::vector<double> logProbabilities, referenceLogProbabilities;
    std::vector<double> values; ///< of a value model, for returns and advantages
};

/// Per token of the truncated response. Divergence: log p - log p_reference, an estimate of one sample.
struct TokenRewards
{
    std::int64_t tokens = 0; ///< up to the first stop token, this included
    bool stopped = false;
    std::vector<double> divergence, rewards;
    std::vector<double> advantages, returns; ///< empty without values
    double meanDivergence = 0.0;
    std::optional<double> divergenceVariance; ///< unbiased; none with one token
};

/// Tokens up to the first stop token, which counts; all of them where there is none.
std::int64_t responseTokens(std::span<const std::int64_t> ids, std::span<const std::int64_t> stopTokens);

/// Generalised advantage estimation (Schulman et al. 2016): A_t = sum_k (discount trace)^k delta_{t+k} with
/// delta_t = r_t + discount V_{t+1} - V_t, the value behind the last token being 0.
std::vector<double> advantages(std::span<const double> rewards, std::span<const double> values,
                               double discount, double trace);

/// Errors: BadData naming the list whose length does not fit, or an entry that is not finite.
Result<TokenRewards> tokenRewards(const ScoredResponse& response, const TokenRewardOptions& options);

} // namespace assay
