#include "core/run/exports/export_calibration.h"

#include "core/config/json.h"
#include "core/config/task.h"
#include "core/data/format.h"
#include "core/eval/pairs/pair_view.h"
#include "core/eval/ranking.h"
#include "core/objective/objective.h"
#include "core/run/evaluation.h"
#include "core/run/prepared_data.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace assay {

namespace {

constexpr const char* kFit = "fit";
constexpr const char* kRows = "rows";

Error usage(const char* flag, std::string message, std::string remedy = {})
{
    return {ErrorCode::Usage, std::move(message), flag, std::move(remedy)};
}

Result<double> numberOf(const char* flag, const std::string& text)
{
    double number = 0.0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        return usage(flag, fmt::format("\"{}\" is neither a number nor {}", text, kFit));
    return number;
}

/// A settings error of the scale names the flag.
Status checked(const RewardScale& scale)
{
    auto status = scale.check();
    if (status.ok())
        return status;
    auto error = status.error();
    error.where = "--" + error.where;
    return error;
}

/// Scores rows of a source as its evaluations would, and remembers those of its run.
class ScoredSource
{
public:
    ScoredSource(const StorePlace& place, const ExportSource& source)
        : m_place(place)
        , m_source(source)
    {}

    Task task() const { return taskOfLayout(m_source.layout->options().name); }

    Result<const EvaluatedSet*> evaluationRows()
    {
        if (!m_own) {
            TRY(const auto side, ownSide());
            TRY(m_own, scored(side));
        }
        return &*m_own;
    }

    Result<EvaluatedSet> fileRows(const std::string& path) const
    {
        TRY(auto rows, openDataset(path, {}));
        if (!rows->problems().empty())
            return Error{ErrorCode::BadData, rows->problems().front().message, path, "Mend the rows"};
        TRY(const auto side,
            layOutAll(rows, *m_source.layout, false, m_source.model->config().limits(), Refusals::Fail, {}));
        if (side.kept.empty())
            return Error{ErrorCode::BadData, "holds no row that can be scored", path};
        return scored(side);
    }

private:
    Result<PreparedSide> ownSide() const
    {
        const auto& run = m_source.position->runId;
        TRY(const auto reader, RunReader::open(m_place));
        auto details = reader->run(run);
        if (!details)
            return Error{ErrorCode::NotFound,
                         "the run of this model is not in the store, and its rows are fitted on", run,
                         "Name a run of the store, or give numbers"};
        TRY(const auto config, configFromJson(details->configJson));
        TRY_STATUS(
            checkRecordedData({config.data.evaluation.empty() ? config.data.train : config.data.evaluation}));
        TRY(auto ids, reader->splitIds(run));
        const auto quiet = [](const std::string&, double) {};
        const auto limits = m_source.model->config().limits();
        auto data = config.data.evaluation.empty()
                        ? prepareData(config, m_source.tokenizer, limits, std::move(ids), quiet, {})
                        : prepareEvaluation(config, m_source.tokenizer, limits, quiet, {});
        if (!data)
            return data.error();
        if (data->evaluation.dataset->fingerprint() != details->evaluationFingerprint)
            return Error{ErrorCode::BadData, "the evaluation rows have changed since this run began",
                         config.data.evaluation.empty() ? config.data.train : config.data.evaluation,
                         "Bring them back as they were, or give numbers"};
        return std::move(data->evaluation);
    }

    Result<EvaluatedSet> scored(const PreparedSide& side) const
    {
        TRY(const auto config, configFromJson(m_source.position->configJson));
        const auto settings = evaluationSettings(config, {}, m_source.model->backbone());
        TRY(const auto objective, makeObjective(objectiveOf(config), {}));
        TRY(auto result, scoreSide(*m_source.model, *objective, side, settings,
                                   [](const EvaluationProgress&) { return true; }));
        return std::move(result.set);
    }

    const StorePlace& m_place;
    const ExportSource& m_source;
    std::optional<EvaluatedSet> m_own;
};

std::vector<LabelledOutput> labelledOutputs(const EvaluatedSet& set, Task task)
{
    std::vector<LabelledOutput> rows;
    if (task == Task::Pairs) {
        const auto pairs = pairView(set);
        for (std::size_t i = 0; i < pairs.size(); ++i)
            rows.push_back({pairs.chosen[i] - pairs.rejected[i], 1.0});
        return rows;
    }
    for (const auto& prediction : set.predictions)
        if (prediction.supervised)
            rows.push_back({prediction.score, prediction.label});
    return rows;
}

std::string onRows(std::size_t count, Task task, const char* by)
{
    return fmt::format("fitted by {} on {} {} of the run's evaluation rows", by, count,
                       task == Task::Pairs ? "pairs" : "labelled steps");
}

Status centre(ScoredSource& source, const std::string& request, Calibration& result)
{
    EvaluatedSet other;
    const EvaluatedSet* set = &other;
    if (request == kRows) {
        TRY(set, source.evaluationRows());
    } else {
        TRY(other, source.fileRows(request));
    }
    double sum = 0.0;
    for (const auto& prediction : set->predictions)
        sum += prediction.score;
    const auto count = set->predictions.size();
    result.scale.centre = sum / static_cast<double>(count);
    result.centreFrom = fmt::format("mean reward of {} answers of {}", count,
                                    request == kRows ? "the run's evaluation rows"
                                                     : std::filesystem::path(request).filename().string());
    return {};
}

Status temperature(ScoredSource& source, const std::string& request, Calibration& result)
{
    const double before = result.scale.temperature;
    if (request == kFit) {
        TRY(const auto* set, source.evaluationRows());
        const auto rows = labelledOutputs(*set, source.task());
        TRY(result.scale.temperature, fitTemperature(rows));
        result.temperatureFrom = onRows(rows.size(), source.task(), "log loss");
    } else {
        TRY(result.scale.temperature, numberOf("--temperature", request));
        result.temperatureFrom = "given";
    }
    TRY_STATUS(checked(result.scale));
    // The same steps stay wrong: a threshold is about probabilities, and these have moved.
    auto& threshold = result.scale.threshold;
    if (threshold && *threshold > 0.0 && *threshold < 1.0)
        threshold = result.scale.probability(before * std::log(*threshold / (1.0 - *threshold)));
    if (threshold)
        result.thresholdFrom = "of the model, moved with the temperature";
    return {};
}

Status threshold(ScoredSource& source, const std::string& request, Calibration& result)
{
    if (request != kFit) {
        TRY(result.scale.threshold, numberOf("--threshold", request));
        result.thresholdFrom = "given";
        return {};
    }
    TRY(const auto* set, source.evaluationRows());
    std::vector<double> probabilities, labels;
    for (const auto& row : labelledOutputs(*set, Task::Steps)) {
        probabilities.push_back(result.scale.probability(row.output));
        labels.push_back(row.label);
    }
    const auto best = RankedLabels(probabilities, labels).bestThreshold();
    if (!best)
        return Error{ErrorCode::BadData, "no threshold fits: the run's evaluation rows have one class only",
                     "--threshold", "Give a number"};
    result.scale.threshold = best->threshold;
    result.thresholdFrom = onRows(labels.size(), Task::Steps, "balanced accuracy");
    return {};
}

} // namespace

Result<Calibration> calibrate(const StorePlace& place, const ExportSource& source,
                              const CalibrationRequest& request)
{
    Calibration result{source.scale, {}, {}, {}};
    const bool asked = !request.temperature.empty() || !request.centre.empty() ||
                       !request.aggregation.empty() || !request.threshold.empty();
    if (!asked)
        return result;
    if (!source.layout || !source.position)
        return usage("OUT", "a model folder without a layout has no rewards to scale",
                     "Train on it, and export the run");
    ScoredSource rows(place, source);
    const bool pairs = rows.task() == Task::Pairs;
    if (pairs && (!request.aggregation.empty() || !request.threshold.empty()))
        return usage(request.threshold.empty() ? "--aggregation" : "--threshold",
                     "is for models of steps; this one scores whole answers");
    if (!pairs && !request.centre.empty())
        return usage("--centre", "is for models of pairs; step probabilities have a middle of their own");
    if (!request.aggregation.empty()) {
        result.scale.aggregation = aggregationFromId(request.aggregation);
        if (!result.scale.aggregation)
            return usage("--aggregation",
                         fmt::format("\"{}\" is not last, min, mean or product", request.aggregation));
    }
    if (!request.centre.empty())
        TRY_STATUS(centre(rows, request.centre, result));
    if (!request.temperature.empty())
        TRY_STATUS(temperature(rows, request.temperature, result));
    if (!request.threshold.empty())
        TRY_STATUS(threshold(rows, request.threshold, result));
    TRY_STATUS(checked(result.scale));
    return result;
}

} // namespace assay
