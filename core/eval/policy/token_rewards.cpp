#include "core/eval/policy/token_rewards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

Status checkList(const std::vector<double>& list, std::size_t tokens, const char* name)
{
    if (list.size() != tokens)
        return Error{ErrorCode::BadData,
                     fmt::format("{} has {} entries, and the response {} tokens", name, list.size(), tokens)};
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!std::isfinite(list[i]))
            return Error{ErrorCode::BadData, fmt::format("{}[{}] is not finite", name, i)};
    return {};
}

Status checkResponse(const ScoredResponse& response, const TokenRewardOptions& options)
{
    const auto tokens = response.logProbabilities.size();
    if (tokens == 0)
        return Error{ErrorCode::BadData, "the response has no token"};
    if (!std::isfinite(response.score))
        return Error{ErrorCode::BadData, "the score is not finite"};
    TRY_STATUS(checkList(response.logProbabilities, tokens, "logprobs"));
    TRY_STATUS(checkList(response.referenceLogProbabilities, tokens, "reference_logprobs"));
    if (!response.values.empty())
        TRY_STATUS(checkList(response.values, tokens, "values"));
    if (response.ids.empty() && !options.stopTokens.empty())
        return Error{ErrorCode::BadData, "ids are missing, and stop tokens are looked for among them"};
    if (!response.ids.empty() && response.ids.size() != tokens)
        return Error{ErrorCode::BadData, fmt::format("ids has {} entries, and the response {} tokens",
                                                     response.ids.size(), tokens)};
    return {};
}

void addMoments(TokenRewards& result)
{
    const auto count = static_cast<double>(result.divergence.size());
    for (const double value : result.divergence)
        result.meanDivergence += value / count;
    if (result.divergence.size() < 2)
        return;
    double squares = 0.0;
    for (const double value : result.divergence)
        squares += (value - result.meanDivergence) * (value - result.meanDivergence);
    result.divergenceVariance = squares / (count - 1.0);
}

} // namespace

std::int64_t responseTokens(std::span<const std::int64_t> ids, std::span<const std::int64_t> stopTokens)
{
    const auto stop = std::find_first_of(ids.begin(), ids.end(), stopTokens.begin(), stopTokens.end());
    return stop == ids.end() ? std::ssize(ids) : stop - ids.begin() + 1;
}

std::vector<double> advantages(std::span<const double> rewards, std::span<const double> values,
                               double discount, double trace)
{
    std::vector<double> result(rewards.size());
    double next = 0.0, nextValue = 0.0;
    for (std::size_t i = rewards.size(); i-- > 0;) {
        const double delta = rewards[i] + discount * nextValue - values[i];
        next = delta + discount * trace * next;
        nextValue = values[i];
        result[i] = next;
    }
    return result;
}

Result<TokenRewards> tokenRewards(const ScoredResponse& response, const TokenRewardOptions& options)
{
    TRY_STATUS(checkResponse(response, options));
    TokenRewards result;
    const bool looked = !options.stopTokens.empty();
    result.tokens =
        looked ? responseTokens(response.ids, options.stopTokens) : std::ssize(response.logProbabilities);
    const auto last = static_cast<std::size_t>(result.tokens) - 1;
    result.stopped = looked && std::find(options.stopTokens.begin(), options.stopTokens.end(),
                                         response.ids[last]) != options.stopTokens.end();
    for (std::size_t i = 0; i <= last; ++i) {
        result.divergence.push_back(response.logProbabilities[i] - response.referenceLogProbabilities[i]);
        result.rewards.push_back(-options.divergenceWeight * result.divergence.back());
    }
    const bool punished = looked && !result.stopped && options.scoreWithoutStop;
    result.rewards.back() += punished ? *options.scoreWithoutStop : response.score;
    if (!response.values.empty()) {
        const auto values = std::span(response.values).first(last + 1);
        result.advantages = advantages(result.rewards, values, options.discount, options.trace);
        for (std::size_t i = 0; i <= last; ++i)
            result.returns.push_back(result.advantages[i] + values[i]);
    }
    addMoments(result);
    return result;
}

} // namespace assay
