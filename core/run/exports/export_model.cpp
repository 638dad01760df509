#include "core/run/exports/export_model.h"

#include "core/config/task.h"
#include "core/run/exports/export_calibration.h"
#include "core/run/exports/export_probes.h"
#include "core/run/exports/export_source.h"
#include "core/run/guarded.h"
#include "core/train/export_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHeadBias = "score.bias";

/// Absolute and without a slash at the end. Errors: Usage when something is there.
Result<fs::path> freeTarget(const fs::path& target, const fs::path& source)
{
    std::error_code unknown;
    fs::path place = fs::absolute(target, unknown).lexically_normal();
    if (!place.has_filename())
        place = place.parent_path();
    if (target.empty() || !place.has_filename())
        return Error{ErrorCode::Usage, "is no name for a folder", target.string(), "Name a new folder"};
    const auto status = fs::symlink_status(place, unknown);
    const bool there = status.type() != fs::file_type::not_found && status.type() != fs::file_type::none;
    if (there && !(fs::is_directory(status) && fs::is_empty(place, unknown) && !unknown))
        return Error{ErrorCode::Usage, fs::is_directory(status) ? "the folder is not empty" : "is no folder",
                     place.string(), "Name a folder that does not exist yet, or an empty one"};
    const auto [end, rest] = std::mismatch(source.begin(), source.end(), place.begin(), place.end());
    if (end == source.end())
        return Error{ErrorCode::Usage, "lies inside the folder that is exported", place.string(),
                     "Name a folder elsewhere"};
    return place;
}

at::Tensor biasOf(const RewardModel& model)
{
    for (const auto& parameter : model.head().parameters())
        if (parameter.name == kHeadBias)
            return parameter.tensor;
    return {};
}

/// The pad id of a class that reads at the last token that is no padding: one that no text ends with, so
/// never EOS. transformers takes one row at a time without. Negative: none.
std::int64_t padIdFor(const ModelConfig& config, const Tokenizer& tokenizer)
{
    const auto& special = tokenizer.special();
    std::vector<std::optional<std::int64_t>> choices{config.padId};
    for (const auto& id : {special.pad, special.unk})
        choices.emplace_back(id ? std::optional<std::int64_t>(*id) : std::nullopt);
    for (const auto& id : choices)
        if (id && *id >= 0 && *id < config.decoder.vocabulary &&
            !(special.eos && *id == static_cast<std::int64_t>(*special.eos)))
            return *id;
    return -1;
}

/// What is written, and what is said of it.
struct ExportPlan
{
    SavedForm form;
    ExportRecord record;
};

/// Errors: Unsupported when transformers cannot open what we would write.
Status classExists(const Family& family, const std::string& which)
{
    const auto absent = family.classes.find("absent");
    if (absent == family.classes.end() || absent->second != which)
        return {};
    return Error{
        ErrorCode::Unsupported,
        fmt::format("transformers has no class for {} classification with {}", which, family.title),
        "--architecture",
        fmt::format("Choose --architecture {}-classification", which == "token" ? "sequence" : "token")};
}

/// Class, head and its bias.
Result<ExportPlan> planHead(const ExportSource& source, const ExportOptions& options)
{
    ExportPlan plan;
    const RewardModel& model = *source.model;
    const Family& family = *model.config().family;
    const bool perToken = options.perToken.value_or(source.perToken);
    const std::string which = perToken ? "token" : "sequence";
    const bool torchtune = options.format == ExportFormat::Torchtune;
    if (torchtune) {
        TRY(plan.form.foreign, torchtuneNames(model.config(), perToken, false));
    } else {
        TRY_STATUS(classExists(family, which));
    }
    plan.form.perToken = perToken;
    plan.form.biasPlace = perToken && !torchtune;
    auto& record = plan.record;
    record.architecture = family.classes.at(which);
    record.headKind = model.head().kind();
    record.outputs = model.head().outputs();
    const at::Tensor bias = biasOf(model);
    record.headBias = bias.defined() ? "kept" : plan.form.biasPlace ? "added as zero" : "none";
    if (!bias.defined())
        return plan;
    if (torchtune && options.headBias != HeadBias::Drop)
        return Error{ErrorCode::Usage, "the head has a bias, and torchtune's output has no place for one",
                     "--head-bias", "Choose drop (all scores change by it), or the Hugging Face format"};
    if (!perToken && !options.headBias)
        return Error{ErrorCode::Usage,
                     fmt::format("the head has a bias, and {} has no place for one", record.architecture),
                     "--head-bias",
                     "Choose keep (it stays in the file: Assay adds it, transformers leaves it out) or drop "
                     "(all scores change by it)"};
    const at::Tensor values = bias.detach().to(at::kDouble).contiguous();
    const std::vector<double> numbers(values.const_data_ptr<double>(),
                                      values.const_data_ptr<double>() + values.numel());
    if (options.headBias == HeadBias::Drop) {
        plan.form.keepBias = false;
        record.headBias = "dropped";
        record.notes.push_back(
            fmt::format("The head's bias [{:.9g}] was dropped: scores lack it.", fmt::join(numbers, ", ")));
    } else if (!perToken) {
        record.notes.push_back(fmt::format("The head's bias [{:.9g}] is in the file, and {} leaves it out: "
                                           "logits of transformers lack it.",
                                           fmt::join(numbers, ", "), record.architecture));
    }
    return plan;
}

ExportPlan withPadding(ExportPlan plan, const ExportSource& source)
{
    const auto& config = source.model->config();
    plan.record.padId = config.padId;
    if (plan.form.perToken || !source.tokenizer || !source.layout)
        return plan;
    const auto id = padIdFor(config, *source.tokenizer);
    plan.form.padId = id;
    plan.record.padId = id < 0 ? std::nullopt : std::optional(id);
    if (id < 0)
        plan.record.notes.push_back("No token can serve as padding: transformers takes one row at a time.");
    else if (config.padId != id)
        plan.record.notes.push_back(
            fmt::format("pad_token_id is {} now: transformers reads the last token that is no padding, and "
                        "no answer ends with this one.",
                        id));
    return plan;
}

Result<ExportPlan> planExport(const ExportSource& source, const ExportOptions& options)
{
    TRY(auto plan, planHead(source, options));
    plan = withPadding(std::move(plan), source);
    plan.form.type = options.dtype == "bfloat16" ? at::kBFloat16 : at::kFloat;
    auto& record = plan.record;
    record.origin = source.description;
    record.format = options.format == ExportFormat::Torchtune ? "torchtune" : "huggingface";
    record.dtype = options.dtype;
    if (source.layout) {
        const auto& layout = source.layout->options();
        recordSeparators(record, layout, source.tokenizer.get());
        if (!plan.form.perToken && taskOfLayout(layout.name) == Task::Steps)
            record.notes.push_back(fmt::format(
                "{} gives one score, at the last token; Assay reads every step.", record.architecture));
    }
    if (source.position && source.position->dtype == "float64")
        record.notes.push_back("The weights were rounded from float64 to float32 first.");
    return plan;
}

/// Rounds the weights and drops the bias in place, so that memory holds what the files will.
void applyPlan(const RewardModel& model, const ExportPlan& plan)
{
    const at::NoGradGuard noGradients;
    for (const auto& parameter : model.parameters()) {
        const at::Tensor& tensor = parameter.tensor;
        if (parameter.name == kHeadBias && !plan.form.keepBias)
            tensor.zero_();
        else if (*plan.form.type != tensor.scalar_type())
            tensor.copy_(tensor.to(*plan.form.type));
    }
}

double largestDifference(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

Status checkReloaded(const fs::path& folder, bool checkpoint, const ExportProbes& probes,
                     const at::Tensor& expected)
{
    TRY(const auto again, reopenExport(folder, checkpoint));
    if (again.layout)
        TRY_STATUS(probes.sameRows(*again.layout));
    const at::Tensor scores = probes.score(*again.model);
    const double difference =
        scores.sizes() == expected.sizes() ? largestDifference(scores, expected) : INFINITY;
    if (difference == 0.0)
        return {};
    return Error{ErrorCode::Io,
                 fmt::format("the export scores differently when it is reloaded, by {:.2e}", difference),
                 folder.string(), "Check the disk; nothing was exported"};
}

Status enter(const ExportWatch& watch, const char* phase)
{
    if (watch.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "The export was stopped; nothing was written", "export"};
    if (watch.phase)
        watch.phase(phase);
    return {};
}

Result<ExportReport> exported(const StorePlace& place, const std::string& text,
                              std::optional<std::int64_t> step, const fs::path& target,
                              const ExportOptions& options, const ExportWatch& watch)
{
    if (options.dtype != "float32" && options.dtype != "bfloat16")
        return Error{ErrorCode::Usage, fmt::format("\"{}\" is no type to export in", options.dtype),
                     "--dtype", "Choose float32 or bfloat16"};
    TRY_STATUS(enter(watch, "Opening the model"));
    TRY(auto source, openExportSource(place, text, step));
    ExportReport report;
    TRY(report.folder, freeTarget(target, source.folder));
    TRY(auto plan, planExport(source, options));
    TRY_STATUS(enter(watch, "Scoring"));
    const ExportProbes probes(source.model->config().limits(), source.layout.get());
    const at::Tensor before = probes.score(*source.model);
    applyPlan(*source.model, plan);
    const at::Tensor expected = probes.score(*source.model);
    if (!expected.isfinite().all().item<bool>())
        return Error{ErrorCode::Numeric, "a score is not finite", source.description,
                     "Take an earlier checkpoint"};
    TRY(const auto calibration, calibrate(place, source, options.calibration));
    plan.record.scale = calibration.scale;
    plan.record.thresholdFrom = calibration.thresholdFrom;
    plan.record.temperatureFrom = calibration.temperatureFrom;
    plan.record.centreFrom = calibration.centreFrom;
    plan.record.probeScores = expected.numel();
    plan.record.largestChange = largestDifference(before, expected);
    ExportContent content;
    content.model = source.model.get();
    content.tokenizer = source.tokenizer.get();
    if (source.layout)
        content.layout = source.layout->options();
    content.position = source.position;
    content.form = plan.form;
    content.shardBytes = options.shardBytes;
    content.recordJson = exportRecordJson(plan.record);
    content.check = [&](const fs::path& written) -> Status {
        source.model.reset(); // all is written: two models in memory would double the need
        TRY_STATUS(enter(watch, "Reading back"));
        return checkReloaded(written, source.position.has_value(), probes, expected);
    };
    TRY_STATUS(enter(watch, "Writing"));
    TRY(const auto saved, saveExport(report.folder, content));
    report.bytes = saved.bytes;
    report.record = std::move(plan.record);
    return report;
}

} // namespace

Result<ExportReport> exportModel(const StorePlace& place, const std::string& source,
                                 std::optional<std::int64_t> step, const fs::path& target,
                                 const ExportOptions& options, const ExportWatch& watch)
{
    return guarded<ExportReport>([&] { return exported(place, source, step, target, options, watch); });
}

} // namespace assay
