#include "core/run/scoring/batch_scorer.h"

#include "core/run/checkpoint_choice.h"
#include "core/run/evaluation.h"
#include "core/run/guarded.h"
#include "core/run/prepared_side.h"
#include "core/run/scoring/batches_by_length.h"
#include "core/run/scoring/open_checkpoint.h"
#include "core/run/scoring/published_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

/// Steps or candidates of a row, whether or not the layout kept them.
std::size_t valueCount(const Example& example, const LaidOut& row)
{
    if (const auto* steps = example.stepwise())
        return steps->steps.size();
    if (const auto* preference = example.preference())
        return preference->candidates.size();
    return row.scores.size();
}

/// A row that goes through the model, and where its answer belongs.
struct Job
{
    std::size_t answer = 0;
    LaidOut row;
};

class CheckpointBatchScorer : public BatchScorer
{
public:
    CheckpointBatchScorer(std::unique_ptr<RewardModel> model, LayoutPtr layout, EvaluationSettings settings,
                          RewardScale scale)
        : m_model(std::move(model))
        , m_layout(std::move(layout))
        , m_settings(std::move(settings))
        , m_scale(scale)
    {}

    const RewardScale& scale() const override { return m_scale; }

    std::vector<Result<RowScores>> score(std::span<const Example> rows) override
    {
        std::vector<Result<RowScores>> answers;
        std::vector<Job> jobs;
        std::vector<std::int64_t> tokens;
        for (const auto& example : rows) {
            auto row = laidOut(example);
            if (!row) {
                answers.emplace_back(row.error());
                continue;
            }
            RowScores empty;
            empty.values.resize(valueCount(example, *row));
            empty.cut = row->cut;
            answers.emplace_back(std::move(empty));
            if (row->scores.empty())
                continue;
            tokens.push_back(row->tokens());
            jobs.push_back({answers.size() - 1, std::move(*row)});
        }
        for (const auto& batch : batchesByLength(tokens, m_settings.batchTokens)) {
            std::vector<const Job*> part;
            for (const auto index : batch)
                part.push_back(&jobs[index]);
            answer(part, answers);
        }
        return answers;
    }

    const Layout& layout() const override { return *m_layout; }

private:
    Result<LaidOut> laidOut(const Example& example) const
    {
        TRY(auto row, m_layout->layOut(example, false));
        if (row.empty())
            return Error{ErrorCode::BadData,
                         "the row is longer than the layout's maximum length",
                         {},
                         "Shorten it, or train with a larger layout.maximum_tokens"};
        TRY_STATUS(checkTokens(row, example, m_model->config().limits()));
        return row;
    }

    /// Scores of the rows one after the other.
    Result<std::vector<RowScores::Value>> computed(std::span<const Job* const> part) const
    {
        return guarded<std::vector<RowScores::Value>>([&]() -> Result<std::vector<RowScores::Value>> {
            std::vector<const LaidOut*> rows;
            for (const auto* job : part)
                rows.push_back(&job->row);
            const auto batch = collate(rows, m_settings.collate);
            const auto scored = scoreBatch(*m_model, nullptr, batch, m_settings.forward);
            const auto [scores, probabilities] = m_model->head().correct(scored.scores);
            const auto* score = scores.template const_data_ptr<double>();
            const auto* probability = probabilities.template const_data_ptr<double>();
            std::vector<RowScores::Value> values;
            for (const auto* row : rows)
                for (const auto step : row->scoreStep) {
                    const auto i = values.size();
                    values.push_back(step < 0 ? RowScores::Value{score[i], m_scale.reward(score[i]), {}}
                                              : stepValue(score[i], probability[i]));
                }
            return values;
        });
    }

    RowScores::Value stepValue(double score, double probability) const
    {
        RowScores::Value value{
            score, m_scale.temperature == 1.0 ? probability : m_scale.probability(score), {}};
        if (m_scale.threshold)
            value.correct = value.reward >= *m_scale.threshold;
        return value;
    }

    /// One reward for the steps that the layout kept.
    std::optional<double> wholeReward(const RowScores& row) const
    {
        std::vector<double> rewards;
        for (const auto& value : row.values)
            if (value)
                rewards.push_back(value->reward);
        return m_scale.whole(rewards);
    }

    void answer(std::span<const Job* const> part, std::vector<Result<RowScores>>& answers) const
    {
        const auto values = computed(part);
        if (!values && part.size() > 1) { // one row must not take the others with it
            for (const auto* job : part)
                answer({&job, 1}, answers);
            return;
        }
        std::size_t next = 0;
        for (const auto* job : part) {
            auto& answer = answers[job->answer];
            if (!values) {
                answer = values.error();
                continue;
            }
            const auto& steps = job->row.scoreStep;
            const bool finite =
                std::all_of(values->begin() + static_cast<std::ptrdiff_t>(next),
                            values->begin() + static_cast<std::ptrdiff_t>(next + steps.size()),
                            [](const auto& value) { return std::isfinite(value.score); });
            for (std::size_t i = 0; i < steps.size(); ++i, ++next) {
                const auto place = steps[i] < 0 ? i : static_cast<std::size_t>(steps[i]);
                if (place < answer->values.size())
                    answer->values[place] = (*values)[next];
            }
            answer->reward = wholeReward(*answer);
            if (!finite)
                answer = Error{ErrorCode::Numeric,
                               "a score is not finite",
                               {},
                               "The weights hold a NaN or infinity; take an earlier checkpoint"};
        }
    }

    std::unique_ptr<RewardModel> m_model;
    LayoutPtr m_layout;
    EvaluationSettings m_settings;
    RewardScale m_scale;
};

Result<std::unique_ptr<BatchScorer>> opened(const ChosenCheckpoint& chosen, const ScorerSettings& settings)
{
    TRY(auto checkpoint, openCheckpoint(chosen, settings));
    auto evaluation = evaluationSettings(checkpoint.config, checkpoint.compute, checkpoint.model->backbone());
    return std::unique_ptr<BatchScorer>(std::make_unique<CheckpointBatchScorer>(
        std::move(checkpoint.model), std::move(checkpoint.layout), std::move(evaluation), checkpoint.scale));
}

Result<std::unique_ptr<BatchScorer>> openedFolder(const std::filesystem::path& folder,
                                                  const ScorerSettings& settings, FreshHead freshHead)
{
    TRY(auto published, openPublishedModel(folder, settings, freshHead));
    auto evaluation = evaluationSettings(published.config, published.compute, published.model->backbone());
    return std::unique_ptr<BatchScorer>(std::make_unique<CheckpointBatchScorer>(
        std::move(published.model), std::move(published.layout), std::move(evaluation), published.scale));
}

} // namespace

Result<std::unique_ptr<BatchScorer>> openBatchScorer(const std::filesystem::path& folder,
                                                     const ScorerSettings& settings, FreshHead freshHead)
{
    std::error_code ignored;
    if (!std::filesystem::exists(folder / "training.json", ignored) &&
        std::filesystem::exists(folder / "config.json", ignored))
        return guarded<std::unique_ptr<BatchScorer>>(
            [&] { return openedFolder(folder, settings, freshHead); });
    TRY(const auto chosen, chooseCheckpoint(folder));
    return guarded<std::unique_ptr<BatchScorer>>([&] { return opened(chosen, settings); });
}

Result<std::unique_ptr<BatchScorer>> openBatchScorer(const StorePlace& place, const RunId& run,
                                                     std::optional<std::int64_t> step,
                                                     const ScorerSettings& settings)
{
    TRY(const auto reader, RunReader::open(place));
    TRY(const auto details, reader->run(run)); // an unknown run says so
    TRY(const auto chosen, chooseCheckpoint(*reader, run, step));
    return guarded<std::unique_ptr<BatchScorer>>([&] { return opened(chosen, settings); });
}

} // namespace assay
