#include "core/eval/policy/token_rewards.h"

#include "app/commands/probes/probes.h"
#include "app/lines/json_lines.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <iostream>

namespace assay {

namespace {

Result<std::vector<std::int64_t>> idsOf(const Json& line)
{
    std::vector<std::int64_t> ids;
    const auto found = line.find("ids");
    if (found == line.end())
        return ids;
    if (!found->is_array())
        return Error{ErrorCode::BadData, "ids is no list"};
    for (std::size_t i = 0; i < found->size(); ++i) {
        if (!(*found)[i].is_number_integer())
            return Error{ErrorCode::BadData, fmt::format("ids[{}] is no whole number", i)};
        ids.push_back((*found)[i].get<std::int64_t>());
    }
    return ids;
}

class TokenRewardsCommand : public Command
{
public:
    std::string_view name() const override { return "token-rewards"; }
    std::string_view summary() const override
    {
        return "Rewards of every token for a policy trainer, from scores and log-probabilities on standard "
               "input, one JSON object per line";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--divergence", m_options.divergenceWeight,
                       "Weight of log p - log p_reference, which is subtracted at every token")
            ->check(CLI::Range(0.0, 1000.0))
            ->capture_default_str();
        app.add_option("--discount", m_options.discount, "Gamma of returns and advantages")
            ->check(CLI::Range(0.0, 1.0))
            ->capture_default_str();
        app.add_option("--trace", m_options.trace, "Lambda of generalised advantage estimation")
            ->check(CLI::Range(0.0, 1.0))
            ->capture_default_str();
        app.add_option("--stop-tokens", m_options.stopTokens,
                       "Ids that end a response: the first counts, what follows does not")
            ->delimiter(',');
        app.add_option("--score-without-stop", m_options.scoreWithoutStop,
                       "Instead of the score where no stop token occurs, for instance -3");
    }

    Result<int> run(const Invocation&) override
    {
        return answerJsonLines(std::cin, [this](const Json& line) { return answer(line); });
    }

private:
    Result<Json> answer(const Json& line) const
    {
        TRY_STATUS(onlyKeys(line, {"id", "score", "ids", "logprobs", "reference_logprobs", "values"}));
        if (!line.contains("score"))
            return Error{ErrorCode::BadData, "score is missing"};
        ScoredResponse response;
        TRY(response.score, numberAt(line, "score", 0.0));
        TRY(response.ids, idsOf(line));
        TRY(response.logProbabilities, numbersAt(line, "logprobs"));
        TRY(response.referenceLogProbabilities, numbersAt(line, "reference_logprobs"));
        TRY(response.values, numbersAt(line, "values"));
        TRY(const auto result, tokenRewards(response, m_options));
        Json json = Json::object();
        if (line.contains("id"))
            json["id"] = line["id"];
        json["tokens"] = result.tokens;
        json["stopped"] = result.stopped;
        json["rewards"] = result.rewards;
        json["divergence"] = result.divergence;
        json["divergence_mean"] = result.meanDivergence;
        json["divergence_variance"] =
            result.divergenceVariance ? Json(*result.divergenceVariance) : Json(nullptr);
        if (!response.values.empty()) {
            json["advantages"] = result.advantages;
            json["returns"] = result.returns;
        }
        return json;
    }

    TokenRewardOptions m_options;
};

} // namespace

std::unique_ptr<Command> makeTokenRewardsCommand()
{
    return std::make_unique<TokenRewardsCommand>();
}

} // namespace assay
