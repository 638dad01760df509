#include "core/run/probes/open_trial.h"

#include "core/config/task.h"
#include "core/files/model_place.h"
#include "core/run/guarded.h"
#include "core/run/scoring/batch_scorer.h"
#include "core/run/token_view.h"
#include "core/text/tokenizer.h"

namespace assay {

namespace {

class FolderTrial : public ModelTrial
{
public:
    FolderTrial(TokenizerPtr tokenizer, Result<std::unique_ptr<BatchScorer>> scorer)
        : m_tokenizer(std::move(tokenizer))
    {
        if (scorer)
            m_scorer = std::move(scorer).value();
        else
            m_withoutScores = scorer.error();
    }

    bool steps() const override
    {
        return !m_scorer || taskOfLayout(m_scorer->layout().options().name) == Task::Steps;
    }
    std::string layoutName() const override
    {
        return m_scorer ? m_scorer->layout().options().name : std::string();
    }
    std::string rewards() const override { return m_scorer ? m_scorer->scale().text() : std::string(); }
    const std::optional<Error>& withoutScores() const override { return m_withoutScores; }

    Result<TrialAnswer> answer(const TrialText& text) override
    {
        return guarded<TrialAnswer>([&] { return m_scorer ? scored(text) : tokensOnly(text); });
    }

private:
    Example exampleOf(const TrialText& text) const
    {
        Example example;
        example.source = "text";
        if (steps()) {
            StepwiseExample solution;
            solution.prompt = text.prompt;
            for (const auto& part : text.parts)
                solution.steps.push_back({part, Label::none()});
            example.content = std::move(solution);
            return example;
        }
        PreferenceExample answers;
        answers.prompt.text = text.prompt;
        for (const auto& part : text.parts)
            answers.candidates.push_back({part, {}});
        if (answers.candidates.size() == 1) // a preference has two sides: one answer stands beside itself
            answers.candidates.push_back(answers.candidates.front());
        example.content = std::move(answers);
        return example;
    }

    Result<TrialAnswer> scored(const TrialText& text) const
    {
        TrialAnswer answer;
        if (text.parts.empty())
            return answer;
        const auto example = exampleOf(text);
        TRY(answer.view, tokenViewWithCuts(example, m_scorer->layout(), m_tokenizer));
        const auto results = m_scorer->score({&example, 1});
        const auto& row = results.front();
        if (!row)
            return row.error();
        answer.reward = row->reward;
        for (std::size_t i = 0; i < text.parts.size(); ++i) {
            const auto value = i < row->values.size() ? row->values[i] : std::nullopt;
            answer.values.push_back(
                value ? std::optional(TrialAnswer::Value{value->score, value->reward, value->correct})
                      : std::nullopt);
        }
        return answer;
    }

    Result<TrialAnswer> tokensOnly(const TrialText& text) const
    {
        std::string whole = text.prompt;
        for (const auto& part : text.parts)
            whole += (whole.empty() ? "" : "\n") + part;
        TrialAnswer answer;
        const auto pieces =
            text.parseSpecial ? m_tokenizer->encodeParsed(whole) : m_tokenizer->encodeWithOffsets(whole);
        for (const auto& piece : pieces) {
            TokenView::Token token;
            token.id = piece.id;
            token.text = whole.substr(static_cast<std::size_t>(piece.begin),
                                      static_cast<std::size_t>(piece.end - piece.begin));
            token.role = m_tokenizer->isSpecial(piece.id) ? "bos" : "given";
            answer.view.tokens.push_back(std::move(token));
        }
        return answer;
    }

    TokenizerPtr m_tokenizer;
    std::unique_ptr<BatchScorer> m_scorer;
    std::optional<Error> m_withoutScores;
};

} // namespace

Result<std::shared_ptr<ModelTrial>> openTrial(const ModelRequest& request)
{
    return guarded<std::shared_ptr<ModelTrial>>([&]() -> Result<std::shared_ptr<ModelTrial>> {
        TRY(const auto folder, findModel(request.place));
        ScorerSettings settings;
        if (request.head != "auto") // a checkpoint of ours has its own and takes no other
            settings.emplace_back("head.declaration", request.head);
        auto scorer = openBatchScorer(folder, settings);
        auto tokenizer = openTokenizer(folder);
        if (!tokenizer)
            return scorer ? tokenizer.error() : scorer.error();
        return std::shared_ptr<ModelTrial>(
            std::make_shared<FolderTrial>(std::move(tokenizer).value(), std::move(scorer)));
    });
}

} // namespace assay
