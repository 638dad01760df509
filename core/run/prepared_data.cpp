#include "core/run/prepared_data.h"

#include "core/base/random.h"
#include "core/config/task.h"
#include "core/data/format.h"
#include "core/data/views.h"
#include "core/diagnostics/audit/data_audit.h"
#include "core/eval/pairs/pair_report.h"
#include "core/run/evaluated_rows.h"
#include "core/text/layout_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>

namespace assay {

namespace {

Error cancelled()
{
    return Error{ErrorCode::Cancelled, "stopped before training began"};
}

Result<DatasetPtr> openRows(const ExperimentConfig& config, const std::string& path, std::int64_t maximumRows,
                            const std::stop_token& stop)
{
    OpenOptions options;
    options.format = config.data.format == "auto" ? std::string() : config.data.format;
    options.maximumRows = maximumRows;
    options.stop = stop;
    TRY(auto dataset, openDataset(path, options));
    const auto& problems = dataset->problems();
    if (!problems.empty() && config.data.badRows == "fail") {
        const auto& first = problems.front();
        return Error{
            ErrorCode::BadData,
            fmt::format("{}{}", first.message,
                        problems.size() > 1 ? fmt::format(" ({} rows cannot be read)", problems.size()) : ""),
            first.line > 0 ? fmt::format("{}, line {}", first.source, first.line)
                           : fmt::format("{}, row {}", first.source, first.row + 1),
            "Mend the rows, or set data.bad_rows to skip"};
    }
    if (dataset->size() == 0)
        return Error{ErrorCode::BadData, "holds no usable row", path};
    return dataset;
}

/// The rows of `dataset` whose content ids are in `ids`, in that order. The ids are those of the run that
/// `data.split_from_run` names, or, when a run goes on, its own.
Result<std::vector<std::int64_t>> rowsOf(const ExperimentConfig& config, const Dataset& dataset,
                                         const std::vector<std::string>& ids)
{
    std::unordered_map<std::string, std::int64_t> byId;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        byId.emplace(dataset.key(i).id, i);
    std::vector<std::int64_t> rows;
    for (const auto& id : ids) {
        const auto found = byId.find(id);
        if (found == byId.end() && config.data.splitFromRun.empty())
            return Error{ErrorCode::BadData, "the file has changed since this run began: rows of it are gone",
                         config.data.train,
                         "Bring back the file as it was, or start a new run on the new one"};
        if (found == byId.end())
            return Error{ErrorCode::BadData,
                         fmt::format("the file lacks rows of the split of run {}", config.data.splitFromRun),
                         config.data.train, "Take the data of that run, or leave data.split_from_run empty"};
        rows.push_back(found->second);
    }
    return rows;
}

struct Sides
{
    DatasetPtr train, evaluation;
    std::string hash;
    std::vector<RowProblem> refused; ///< of the file that was split; files of their own carry theirs
};

Result<Sides> splitRows(const ExperimentConfig& config, const std::optional<SplitIds>& splitIds,
                        const std::stop_token& stop)
{
    Sides sides;
    TRY(auto all, openRows(config, config.data.train, config.data.maximumRows, stop));
    if (!config.data.evaluation.empty()) {
        TRY(sides.evaluation, openRows(config, config.data.evaluation, 0, stop));
        sides.train = all;
        if (splitIds) {
            TRY(auto trainRows, rowsOf(config, *all, splitIds->first));
            sides.train = subset(all, std::move(trainRows));
        }
        sides.hash = "files";
        return sides;
    }
    sides.refused = all->problems();
    if (splitIds) {
        TRY(auto trainRows, rowsOf(config, *all, splitIds->first));
        TRY(auto evaluationRows, rowsOf(config, *all, splitIds->second));
        sides.train = subset(all, std::move(trainRows));
        sides.evaluation = subset(all, std::move(evaluationRows));
        sides.hash = "imported";
        return sides;
    }
    TRY(auto split, splitByGroup(*all, config.data.evaluationShare, config.seedFor(config.run.splitSeed)));
    sides.train = subset(all, std::move(split.train));
    sides.evaluation = subset(all, std::move(split.evaluation));
    sides.hash = split.hash;
    return sides;
}

std::vector<std::string> idsOf(const Dataset& dataset)
{
    std::vector<std::string> ids;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        ids.push_back(dataset.key(i).id);
    return ids;
}

/// The control for pairs: which answer is the preferred one is drawn anew.
void shuffleRanks(PreparedSide& side, std::uint64_t seed)
{
    RandomStream stream(seed, "shuffle-labels");
    for (auto& row : side.rows) {
        auto& targets = row.targets;
        for (std::size_t group = 0; group + 1 < targets.groupOffsets.size(); ++group) {
            const auto begin = static_cast<std::size_t>(targets.groupOffsets[group]);
            const auto count = static_cast<std::size_t>(targets.groupOffsets[group + 1]) - begin;
            std::vector<std::size_t> order(count);
            std::iota(order.begin(), order.end(), begin);
            stream.shuffle(std::span(order));
            const auto rank = targets.rank, value = targets.value;
            for (std::size_t i = 0; i < count; ++i) {
                targets.rank[begin + i] = rank[order[i]];
                targets.value[begin + i] = value[order[i]];
            }
        }
    }
}

/// The control: training labels move to other supervised scores; counts and positions of supervision stay.
void shuffleLabels(PreparedSide& side, std::uint64_t seed)
{
    std::vector<float*> places;
    std::vector<float> values;
    for (auto& row : side.rows)
        for (std::size_t i = 0; i < row.targets.value.size(); ++i)
            if (row.targets.mask[i]) {
                places.push_back(&row.targets.value[i]);
                values.push_back(row.targets.value[i]);
            }
    RandomStream stream(seed, "shuffle-labels");
    stream.shuffle(std::span(values));
    for (std::size_t i = 0; i < places.size(); ++i)
        *places[i] = values[i];
}

std::vector<LabelledStep> stepsOf(const PreparedSide& side)
{
    std::vector<LabelledStep> steps;
    for (const auto row : side.kept) {
        auto part = labelledSteps(side.dataset->at(row), side.rows[static_cast<std::size_t>(row)],
                                  static_cast<std::int32_t>(row));
        std::move(part.begin(), part.end(), std::back_inserter(steps));
    }
    return steps;
}

/// How a file was understood is part of what the checks found in order.
void noteFormat(Report& report, const ExperimentConfig& config)
{
    if (config.data.format != "auto")
        return;
    const auto format = recogniseFormat(config.data.train);
    for (auto& table : report.tables)
        if (table.id == "checks_passed" && format.ok())
            table.rows.insert(
                table.rows.begin(),
                {"format", "Format",
                 fmt::format("{} was recognised as \"{}\".",
                             std::filesystem::path(config.data.train).filename().string(), *format)});
}

Refusals refusalsOf(const ExperimentConfig& config)
{
    return config.data.badRows == "skip" ? Refusals::Skip : Refusals::Fail;
}

void limitEvaluation(PreparedSide& side, const ExperimentConfig& config)
{
    const auto most = config.evaluation.maximumExamples;
    if (most > 0 && static_cast<std::int64_t>(side.kept.size()) > most)
        side.kept.resize(static_cast<std::size_t>(most));
}

/// What the label checks look at; it refers to `prepared` and `refused`.
LabelCheckInput checkInput(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                           const PreparedData& prepared, std::span<const RowProblem> refused)
{
    LabelCheckInput input;
    input.train = prepared.train.dataset.get();
    input.evaluation = prepared.evaluation.dataset.get();
    input.trainRows = prepared.train.rows;
    input.evaluationRows = prepared.evaluation.rows;
    input.stepSeparator = config.layout.stepSeparator;
    if (tokenizer) {
        // The layout marker reads its tag among the special tokens.
        const auto pieces = config.layout.name == "marker"
                                ? tokenizer->encodeParsed(config.layout.stepTag)
                                : tokenizer->encodeWithOffsets(config.layout.stepSeparator);
        if (!pieces.empty())
            input.separatorIds = {pieces.back().id};
    }
    input.refusedRows = refused;
    input.skipBadRows = refusalsOf(config) == Refusals::Skip;
    return input;
}

/// A text, or turns as "role: content" with an empty line between them.
std::string passageText(const Passage& passage)
{
    std::string text = passage.text;
    for (const auto& message : passage.messages)
        text += (text.empty() ? "" : "\n\n") + message.role + ": " + message.content;
    return text;
}

} // namespace

Result<PreparedData> prepareData(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                                 const ModelLimits& limits, const std::optional<SplitIds>& splitIds,
                                 const PrepareProgress& progress, const std::stop_token& stop)
{
    PreparedData prepared;
    progress("Reading rows", 0.0);
    TRY(auto sides, splitRows(config, splitIds, stop));
    if (stop.stop_requested())
        return cancelled();
    TRY(prepared.layout, makeLayout(layoutOptions(config.layout), tokenizer));
    progress("Laying out rows", 0.2);
    TRY(prepared.train, layOutAll(sides.train, *prepared.layout, true, limits, refusalsOf(config), stop));
    TRY(prepared.evaluation,
        layOutAll(sides.evaluation, *prepared.layout, false, limits, refusalsOf(config), stop));
    prepared.splitHash = sides.hash;
    prepared.trainIds = idsOf(*prepared.train.dataset);
    prepared.evaluationIds = idsOf(*prepared.evaluation.dataset);
    limitEvaluation(prepared.evaluation, config);

    progress("Checking labels", 0.6);
    prepared.checks = checkLabels(checkInput(config, tokenizer, prepared, sides.refused), stop);
    DataAuditInput audit;
    audit.train = prepared.train.dataset.get();
    audit.evaluation = prepared.evaluation.dataset.get();
    audit.trainRows = prepared.train.rows;
    audit.evaluationRows = prepared.evaluation.rows;
    audit.tokenizer = tokenizer.get();
    audit.stepSeparator = config.layout.stepSeparator;
    audit.maximumTokens = config.layout.maximumTokens;
    audit.maximumPositions = limits.maximumPositions;
    auditData(prepared.checks.report, audit, stop);
    noteFormat(prepared.checks.report, config);
    if (config.run.shuffleLabels && taskOf(config) == Task::Pairs)
        shuffleRanks(prepared.train, config.seedFor(config.run.orderSeed));
    else if (config.run.shuffleLabels)
        shuffleLabels(prepared.train, config.seedFor(config.run.orderSeed));
    progress("Fitting null baselines", 0.8);
    if (taskOf(config) == Task::Pairs) {
        prepared.baselines.metrics = lengthBaselines(pairView(rowsWithoutScores(prepared.evaluation)));
    } else {
        const auto ladder = BaselineSet::fit(stepsOf(prepared.train), stop);
        prepared.baselines = ladder.evaluate(stepsOf(prepared.evaluation));
    }
    if (stop.stop_requested())
        return cancelled();
    progress("Ready", 1.0);
    return prepared;
}

Result<PreparedData> prepareEvaluation(const ExperimentConfig& config, const TokenizerPtr& tokenizer,
                                       const ModelLimits& limits, const PrepareProgress& progress,
                                       const std::stop_token& stop)
{
    PreparedData prepared;
    progress("Reading rows", 0.0);
    TRY(auto rows, openRows(config, config.data.evaluation, 0, stop));
    TRY(prepared.layout, makeLayout(layoutOptions(config.layout), tokenizer));
    progress("Laying out rows", 0.2);
    TRY(prepared.evaluation, layOutAll(rows, *prepared.layout, false, limits, refusalsOf(config), stop));
    prepared.evaluationIds = idsOf(*prepared.evaluation.dataset);
    limitEvaluation(prepared.evaluation, config);
    progress("Checking labels", 0.6);
    prepared.checks = checkLabels(checkInput(config, tokenizer, prepared, {}), stop);
    // A ruler over lengths is fitted on nothing.
    if (taskOf(config) == Task::Pairs)
        prepared.baselines.metrics = lengthBaselines(pairView(rowsWithoutScores(prepared.evaluation)));
    if (stop.stop_requested())
        return cancelled();
    progress("Ready", 1.0);
    return prepared;
}

Status checkRecordedData(std::initializer_list<std::string_view> paths)
{
    for (const auto path : paths) {
        std::error_code ignored;
        if (!path.empty() && !std::filesystem::exists(path, ignored))
            return Error{ErrorCode::NotFound, "the run recorded this data file, and nothing is there now",
                         std::string(path), "Bring the file back to this place; a link to it will do"};
    }
    return {};
}

std::vector<StoredExample> storedExamples(const PreparedSide& side)
{
    std::vector<StoredExample> examples;
    for (const auto row : side.kept)
        examples.push_back(storedExample(side.dataset->at(row)));
    return examples;
}

StoredExample storedExample(const Example& example)
{
    StoredExample stored;
    stored.id = example.id;
    stored.source = std::filesystem::path(example.source).filename().string();
    stored.row = example.row;
    if (const auto* steps = example.stepwise()) {
        stored.prompt = steps->prompt;
        for (const auto& step : steps->steps)
            stored.steps.push_back(step.text);
    } else if (const auto* preference = example.preference()) {
        stored.prompt = passageText(preference->prompt);
        for (const auto& candidate : preference->candidates)
            stored.steps.push_back(passageText(candidate));
    } else if (const auto* given = example.tokenisedPreference()) {
        for (const auto& candidate : given->candidates)
            stored.steps.push_back(fmt::format("{}", fmt::join(candidate, " ")));
    } else if (const auto* tokens = example.tokenised()) {
        // Pieces between supervised positions stand for the steps of a row that has no text.
        std::string piece;
        for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
            piece += (piece.empty() ? "" : " ") + std::to_string(tokens->ids[i]);
            if (tokens->labels[i].supervised) {
                stored.steps.push_back(piece);
                piece.clear();
            }
        }
    }
    return stored;
}

} // namespace assay
