#include "core/diagnostics/baselines.h"

#include "core/base/check.h"
#include "core/eval/ranking.h"
#include "core/eval/step_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

struct BaselineRow
{
    Baseline baseline;
    std::string_view id, name;
    bool looks; ///< whether it looks at the step at all
};

constexpr std::array<BaselineRow, 6> kBaselines{{
    {Baseline::AlwaysTrue, "always_true", "always True", false},
    {Baseline::BaseRate, "base_rate", "base rate", false},
    {Baseline::Position, "position", "position", true},
    {Baseline::Length, "length", "length", true},
    {Baseline::PositionLength, "position_length", "position and length", true},
    {Baseline::Bag, "bag", "bag of tokens", true},
}};

const BaselineRow& rowOf(Baseline baseline)
{
    for (const auto& row : kBaselines)
        if (row.baseline == baseline)
            return row;
    CHECK(false, "baseline outside the table");
    return kBaselines.front();
}

std::vector<LabelledStep> supervisedOf(std::span<const LabelledStep> steps)
{
    std::vector<LabelledStep> kept;
    for (const auto& step : steps)
        if (step.supervised)
            kept.push_back(step);
    return kept;
}

std::vector<double> labelsOf(std::span<const LabelledStep> steps)
{
    std::vector<double> labels;
    labels.reserve(steps.size());
    for (const auto& step : steps)
        labels.push_back(step.label);
    return labels;
}

/// The columns of a step with log(1 + count).
void appendBag(SparseRows& rows, const LabelledStep& step,
               const std::unordered_map<std::int32_t, std::int32_t>& columns)
{
    std::map<std::int32_t, double> counts;
    for (const auto token : step.tokenIds)
        if (const auto found = columns.find(token); found != columns.end())
            counts[found->second] += 1.0;
    for (const auto& [column, count] : counts) {
        rows.column.push_back(column);
        rows.value.push_back(std::log1p(count));
    }
    rows.offsets.push_back(rows.column.size());
}

Metric baselineMetric(std::string_view measure, std::string_view title, const BaselineRow& row,
                      const Measure& value, std::optional<double> chance)
{
    Metric metric;
    metric.id = "baseline_" + std::string(measure) + "_" + std::string(row.id);
    metric.title = std::string(title) + ", null: " + std::string(row.name);
    metric.value = value.value;
    metric.undefinedReason = value.reason;
    metric.chance = chance;
    return metric;
}

} // namespace

std::string_view baselineId(Baseline baseline)
{
    return rowOf(baseline).id;
}

std::string_view baselineName(Baseline baseline)
{
    return rowOf(baseline).name;
}

double BaselineSet::positionRate(std::int32_t position) const
{
    const auto index = static_cast<std::size_t>(position);
    return index < m_positionRates.size() ? m_positionRates[index].value_or(m_baseRate) : m_baseRate;
}

std::vector<double> BaselineSet::lengthFeatures(const LabelledStep& step, bool withPosition) const
{
    std::vector<double> features{std::log1p(step.characters), std::log1p(step.tokens)};
    if (withPosition) {
        const double rate = std::clamp(positionRate(step.position), 0.01, 0.99);
        features.push_back(std::log(rate / (1.0 - rate)));
        features.push_back(step.position);
    }
    return features;
}

BaselineSet BaselineSet::fit(std::span<const LabelledStep> train, const std::stop_token& stop)
{
    BaselineSet set;
    const auto steps = supervisedOf(train);
    const auto labels = labelsOf(steps);
    if (steps.empty())
        return set;
    double sum = 0.0;
    std::map<std::int32_t, std::pair<double, double>> atPosition; // position -> (sum of labels, steps)
    for (const auto& step : steps) {
        CHECK(step.position >= 0, "step without a position");
        sum += step.label;
        atPosition[step.position].first += step.label;
        atPosition[step.position].second += 1.0;
    }
    set.m_baseRate = sum / double(steps.size());
    set.m_positionRates.resize(std::size_t(atPosition.rbegin()->first) + 1);
    for (const auto& [position, counts] : atPosition)
        set.m_positionRates[std::size_t(position)] = counts.first / counts.second;

    const auto fitLength = [&](bool withPosition) {
        std::vector<double> design;
        for (const auto& step : steps) {
            const auto features = set.lengthFeatures(step, withPosition);
            design.insert(design.end(), features.begin(), features.end());
        }
        return fitDense(design, design.size() / steps.size(), labels);
    };
    set.m_length = fitLength(false);
    set.m_positionLength = fitLength(true);

    for (const auto& step : steps)
        for (const auto token : step.tokenIds)
            set.m_bagColumn.emplace(token, static_cast<std::int32_t>(set.m_bagColumn.size()));
    SparseRows bag;
    for (const auto& step : steps)
        appendBag(bag, step, set.m_bagColumn);
    set.m_bag = fitSparse(bag, set.m_bagColumn.size(), labels, stop);

    for (const auto& row : kBaselines)
        if (const auto best = RankedLabels(set.probabilities(row.baseline, steps), labels).bestThreshold())
            set.m_thresholds[row.baseline] = best->threshold;
    return set;
}

std::vector<double> BaselineSet::probabilities(Baseline baseline, std::span<const LabelledStep> steps) const
{
    std::vector<double> result;
    result.reserve(steps.size());
    SparseRows bag;
    for (const auto& step : steps) {
        switch (baseline) {
        case Baseline::AlwaysTrue:
            result.push_back(1.0);
            break;
        case Baseline::BaseRate:
            result.push_back(m_baseRate);
            break;
        case Baseline::Position:
            result.push_back(positionRate(step.position));
            break;
        case Baseline::Length:
            result.push_back(m_length.weight.empty() ? m_baseRate
                                                     : m_length.probability(lengthFeatures(step, false)));
            break;
        case Baseline::PositionLength:
            result.push_back(m_positionLength.weight.empty()
                                 ? m_baseRate
                                 : m_positionLength.probability(lengthFeatures(step, true)));
            break;
        case Baseline::Bag:
            bag = {};
            appendBag(bag, step, m_bagColumn);
            result.push_back(m_bag.weight.empty() ? m_baseRate : m_bag.probability(bag.column, bag.value));
            break;
        }
    }
    return result;
}

BaselineEvaluation BaselineSet::evaluate(std::span<const LabelledStep> evaluation) const
{
    constexpr double kThreshold = 0.5;
    const auto steps = supervisedOf(evaluation);
    const auto labels = labelsOf(steps);
    BaselineEvaluation result;
    for (const auto& row : kBaselines) {
        const auto scores = probabilities(row.baseline, steps);
        const Measure accuracy =
            confusion(scores, labels, kThreshold, ThresholdRule::BelowIsWrong).accuracy();
        const auto own = m_thresholds.find(row.baseline);
        const Measure balanced =
            confusion(scores, labels, own == m_thresholds.end() ? kThreshold : own->second,
                      ThresholdRule::BelowIsWrong)
                .balancedAccuracy();
        const Measure ranking = auroc(scores, labels);
        result.metrics.push_back(baselineMetric("accuracy", "Accuracy", row, accuracy, std::nullopt));
        result.metrics.push_back(baselineMetric("balanced_accuracy", "Bal. acc.", row, balanced, 0.5));
        result.metrics.push_back(baselineMetric("auroc", "AUROC", row, ranking, 0.5));
        if (row.looks && ranking && (!result.bestAuroc || *ranking.value > *result.bestAuroc)) {
            result.bestAuroc = ranking.value;
            result.bestName = row.name;
        }
        if (accuracy && (!result.bestAccuracy || *accuracy.value > *result.bestAccuracy)) {
            result.bestAccuracy = accuracy.value;
            result.bestAccuracyName = row.name;
        }
    }
    return result;
}

} // namespace assay
