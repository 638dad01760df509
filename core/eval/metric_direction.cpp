#include "core/eval/metric_direction.h"

#include <array>

namespace assay {

namespace {

using enum BetterValue;

constexpr std::array<ComparableMetric, 15> kMetrics{{
    {"loss", Smaller},
    {"skill", Larger},
    {"accuracy", Larger},
    {"balanced_accuracy", Larger},
    {"auroc", Larger},
    {"auprc_negative", Larger},
    {"mcc", Larger},
    {"first_error_f1", Larger},
    {"first_error_accuracy_wrong", Larger},
    {"first_error_accuracy_correct", Larger},
    {"within_solution_auroc", Larger},
    {"best_balanced_accuracy", Larger},
    {"ece", Smaller},
    {"brier", Smaller},
    {"pair_accuracy", Larger},
}};

} // namespace

std::span<const ComparableMetric> comparableMetrics()
{
    return kMetrics;
}

std::optional<BetterValue> betterValue(std::string_view metricId)
{
    for (const auto& metric : kMetrics)
        if (metric.id == metricId)
            return metric.better;
    return std::nullopt;
}

bool isBetter(BetterValue direction, double value, double reference, double margin)
{
    return direction == BetterValue::Larger ? value > reference + margin : value < reference - margin;
}

} // namespace assay
