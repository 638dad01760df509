#include "core/run/preflight/preflight.h"

#include "core/base/check.h"
#include "core/config/fields.h"
#include "core/files/model_place.h"
#include "core/run/step_batches.h"
#include "core/run/token_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace assay {

namespace {

/// Settings that decide nothing about the rows: neither which they are, nor how they are laid out and
/// checked.
constexpr std::array<std::string_view, 8> kOtherGroups{"head",     "objective", "optimiser",  "batch",
                                                       "schedule", "compute",   "checkpoint", "backbone"};
constexpr std::array<std::string_view, 5> kOtherFields{"run.name", "run.tags", "run.parent",
                                                       "run.override_reason", "run.overfit_one_batch"};
constexpr std::array<std::string_view, 3> kNeededAnyway{"backbone.source", "backbone.folder",
                                                        "backbone.tokenizer"};

template <typename List>
bool contains(const List& list, std::string_view word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool decidesRows(const Field& field)
{
    if (contains(kNeededAnyway, field.id))
        return true;
    return !contains(kOtherGroups, field.group()) && !contains(kOtherFields, field.id);
}

/// Path, size and time of a file, so that a changed file is read again.
std::string stampOf(const std::string& path)
{
    std::error_code ignored;
    const auto written = std::filesystem::last_write_time(path, ignored);
    const auto size = std::filesystem::is_regular_file(path, ignored)
                          ? std::filesystem::file_size(path, ignored)
                          : std::uintmax_t{0};
    return fmt::format("{}@{}", size, written.time_since_epoch().count());
}

std::string keyOf(const ExperimentConfig& config)
{
    std::string key;
    for (const auto& field : experimentFields())
        if (decidesRows(field))
            key += fmt::format("{}={}\n", field.id, fieldText(field, field.read(config)));
    return key + stampOf(config.data.train) + stampOf(config.data.evaluation);
}

/// What a backbone takes as float32, roughly: enough to know whether loading it is a matter of seconds.
std::int64_t weightBytesOf(const BackboneConfig& backbone)
{
    if (backbone.source == "scratch") {
        const auto keyValue =
            backbone.width * backbone.keyValueHeads / std::max<std::int64_t>(1, backbone.heads);
        const auto layer =
            2 * backbone.width * (backbone.width + keyValue) + 3 * backbone.width * backbone.mlpWidth;
        return 4 * backbone.layers * layer; // embeddings aside
    }
    std::int64_t bytes = 0;
    std::error_code error;
    const auto folder = findModel(backbone.folder);
    if (!folder)
        return bytes;
    for (std::filesystem::directory_iterator file(*folder, error), end; !error && file != end;
         file.increment(error))
        if (file->path().extension() == ".safetensors")
            bytes += static_cast<std::int64_t>(file->file_size(error));
    return bytes;
}

} // namespace

Preflight preflightOf(const ExperimentConfig& config, const PreparedData& data)
{
    Preflight preflight;
    preflight.report = data.checks.report;
    preflight.report.metrics.insert(preflight.report.metrics.end(), data.baselines.metrics.begin(),
                                    data.baselines.metrics.end());
    preflight.trainExamples = static_cast<std::int64_t>(data.train.kept.size());
    preflight.evaluationExamples = static_cast<std::int64_t>(data.evaluation.kept.size());
    preflight.trainRows = data.train.dataset->size();
    preflight.trainTokens = data.train.tokens;
    preflight.weightBytes = weightBytesOf(config.backbone);
    if (preflight.trainExamples == 0)
        return preflight;
    preflight.plannedSteps = plannedStepsOf(config, data.train);
    if (config.schedule.warmupSteps >= preflight.plannedSteps && config.schedule.warmupSteps > 0)
        preflight.report.findings.push_back(
            {.id = "warm-up-longer-than-run",
             .severity = Severity::Warning,
             .title = "The warm-up never ends",
             .evidence =
                 fmt::format("The run has {} optimiser steps, the warm-up {}: the learning rate never "
                             "reaches its peak.",
                             preflight.plannedSteps, config.schedule.warmupSteps),
             .cause = {},
             .remedy = fmt::format("Enter 0 to {}, or train longer.", preflight.plannedSteps - 1),
             .rows = {},
             .number = static_cast<double>(preflight.plannedSteps)});
    std::stable_sort(preflight.report.findings.begin(), preflight.report.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    return preflight;
}

Result<const PreparedData*> PreparedRows::prepare(const ExperimentConfig& config,
                                                  const std::optional<SplitIds>& splitIds,
                                                  const std::stop_token& stop)
{
    auto key = keyOf(config);
    if (key == m_key)
        return &m_data;
    m_key.clear();
    m_data = {};
    TRY(const auto plan, planModel(config));
    TRY(m_data,
        prepareData(
            config, plan.tokenizer, plan.limits(), splitIds, [](const std::string&, double) {}, stop));
    noteStepTag(m_data.checks.report, plan.tag);
    m_tokenizer = plan.tokenizer;
    m_key = std::move(key);
    return &m_data;
}

Result<TokenView> PreparedRows::tokens(const ExperimentConfig& config, std::int64_t row) const
{
    ASSAY_CHECK(m_data.train.dataset, "rows that were never prepared");
    const auto& dataset = *m_data.train.dataset;
    if (row < 0 || row >= dataset.size())
        return Error{ErrorCode::Usage, fmt::format("there is no row {}", row + 1), config.data.train};
    return tokenViewWithCuts(dataset.at(row), *m_data.layout, m_tokenizer);
}

} // namespace assay
