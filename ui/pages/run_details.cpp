#include "ui/pages/run_details.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::int64_t kPlotPoints = 140;

/// A metric over the evaluations as the points of a small plot.
MiniSeries metricSeries(const QString& title, const std::vector<EvaluationRecord>& evaluations,
                        const std::string& id)
{
    MiniSeries series;
    series.title = title;
    for (const auto& evaluation : evaluations) {
        const Metric* metric = evaluation.report.metric(id);
        if (!metric || !metric->value)
            continue;
        series.points.push_back({static_cast<double>(evaluation.step), *metric->value, *metric->value,
                                 *metric->value, evaluation.attempt, 1});
        series.value = metric->value;
    }
    return series;
}

MiniSeries lossSeries(const std::vector<EvaluationRecord>& evaluations)
{
    MiniSeries series;
    series.title = QStringLiteral("Loss, eval");
    for (const auto& evaluation : evaluations) {
        series.points.push_back({static_cast<double>(evaluation.step), evaluation.loss, evaluation.loss,
                                 evaluation.loss, evaluation.attempt, 1});
        series.value = evaluation.loss;
    }
    if (!evaluations.empty())
        if (const Metric* trivial = evaluations.back().report.metric("trivial_loss");
            trivial && trivial->value) {
            series.baseline = trivial->value;
            series.baselineName = QStringLiteral("trivial");
        }
    return series;
}

std::vector<MiniSeries> readPlots(const RunReader& reader, const RunId& run,
                                  const std::vector<EvaluationRecord>& evaluations)
{
    std::vector<MiniSeries> plots;
    plots.push_back(lossSeries(evaluations));
    const bool pairs = !evaluations.empty() && evaluations.back().report.metric("pair_accuracy");
    const auto best = evaluations.empty()
                          ? std::nullopt
                          : bestBaseline(evaluations.back().report, pairs ? "accuracy" : "auroc");
    const auto againstBest = [&](const QString& title, const std::string& id) {
        plots.push_back(metricSeries(title, evaluations, id));
        plots.back().baseline = best.value_or(0.5);
        plots.back().baselineName = best ? QStringLiteral("best null") : QStringLiteral("chance");
    };
    if (pairs) {
        againstBest(QStringLiteral("Pair accuracy"), "pair_accuracy");
        plots.push_back(metricSeries(QStringLiteral("Mean margin"), evaluations, "margin_mean"));
        plots.back().baseline = 0.0;
        plots.back().baselineName = QStringLiteral("equal");
    } else {
        plots.push_back(metricSeries(QStringLiteral("Balanced accuracy"), evaluations, "balanced_accuracy"));
        plots.back().baseline = 0.5;
        plots.back().baselineName = QStringLiteral("chance");
        againstBest(QStringLiteral("AUROC"), "auroc");
    }

    MiniSeries gradient;
    gradient.title = QStringLiteral("Gradient norm");
    gradient.decimals = 2;
    if (auto points = reader.series(run, "gradient_norm", 0, 0, kPlotPoints); points.ok()) {
        gradient.points = std::move(*points);
        if (!gradient.points.empty())
            gradient.value = gradient.points.back().last;
    }
    plots.push_back(std::move(gradient));
    return plots;
}

} // namespace

std::optional<double> bestBaseline(const Report& report, const std::string& metric)
{
    const std::string prefix = "baseline_" + metric + "_";
    std::optional<double> best;
    for (const auto& entry : report.metrics)
        if (entry.id.starts_with(prefix) && entry.value)
            best = std::max(best.value_or(*entry.value), *entry.value);
    return best;
}

Result<RunOverview> readRunOverview(const RunReader& reader, const RunId& run)
{
    RunOverview overview;
    TRY(overview.details, reader.run(run));
    TRY(const auto evaluations, reader.evaluations(run));
    TRY(const auto checkpoints, reader.checkpoints(run));
    overview.evaluations = static_cast<std::int64_t>(evaluations.size());
    for (const auto& evaluation : evaluations)
        overview.predictions += evaluation.readOuts;
    overview.checkpoints = static_cast<std::int64_t>(checkpoints.size());
    for (const auto& checkpoint : checkpoints)
        overview.checkpointBytes += checkpoint.bytes;
    overview.plots = readPlots(reader, run, evaluations);
    if (const auto& parent = overview.details.summary.parent; !parent.empty()) {
        if (const auto found = reader.run(parent); found.ok()) {
            overview.parentName = found->summary.name;
            const auto before = configFromJson(found->configJson);
            const auto after = configFromJson(overview.details.configJson);
            if (before.ok() && after.ok())
                overview.changes = differences(*before, *after);
        }
    }
    std::erase_if(overview.changes, [](const ConfigDifference& change) { return change.id == "run.name"; });
    return overview;
}

} // namespace assay
