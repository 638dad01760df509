#include "app/commands/commands.h"
#include "app/exit_codes.h"
#include "app/experiment_input.h"
#include "app/json_values.h"
#include "app/lines/rows_in_order.h"
#include "app/output.h"
#include "core/base/embedded_file.h"
#include "core/data/format.h"
#include "core/text/layout_settings.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

Json sequenceJson(const Sequence& sequence)
{
    Json roles = Json::array();
    for (const auto role : sequence.roles)
        roles.push_back(tokenRoleId(role));
    Json json = {{"ids", sequence.ids},
                 {"roles", roles},
                 {"steps", sequence.step},
                 {"position_offset", sequence.positionOffset}};
    if (!sequence.tokenTypes.empty())
        json["token_types"] = sequence.tokenTypes;
    return json;
}

Json readOutJson(const ReadOut& readOut)
{
    Json spans = Json::array();
    for (const auto& span : readOut.spans)
        spans.push_back({span.begin, span.end});
    Json json = {{"sequence", readOut.sequence},
                 {"pooling", readOut.pooling == Pooling::Last ? "last" : "mean"},
                 {"spans", spans}};
    json["position"] = readOut.pooling == Pooling::Last && !readOut.spans.empty()
                           ? Json(readOut.spans.back().end - 1)
                           : Json(nullptr);
    return json;
}

/// [position, label] of every supervised score with one position: what a label list with -100 elsewhere says.
Json supervisedJson(const LaidOut& row)
{
    Json pairs = Json::array();
    for (std::size_t i = 0; i < row.scores.size(); ++i) {
        const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[i].readOutA)];
        const auto target = i * static_cast<std::size_t>(row.targets.outputs);
        if (row.targets.mask[target] != 0 && !readOut.spans.empty())
            pairs.push_back({readOut.spans.back().end - 1, row.targets.value[target]});
    }
    return pairs;
}

Json laidOutJson(const LaidOut& row)
{
    Json json;
    json["sequences"] = Json::array();
    for (const auto& sequence : row.sequences)
        json["sequences"].push_back(sequenceJson(sequence));
    json["read_outs"] = Json::array();
    for (const auto& readOut : row.readOuts)
        json["read_outs"].push_back(readOutJson(readOut));
    json["scores"] = Json::array();
    for (std::size_t i = 0; i < row.scores.size(); ++i)
        json["scores"].push_back(
            {{"read_out_a", row.scores[i].readOutA},
             {"read_out_b", row.scores[i].readOutB < 0 ? Json(nullptr) : Json(row.scores[i].readOutB)},
             {"step", row.scoreStep[i]}});
    json["targets"] = {
        {"outputs", row.targets.outputs}, {"value", row.targets.value}, {"mask", row.targets.mask}};
    if (!row.targets.groupOffsets.empty())
        json["targets"].update({{"group_offsets", row.targets.groupOffsets},
                                {"rank", row.targets.rank},
                                {"margin", row.targets.margin}});
    json["supervised"] = supervisedJson(row);
    json["cut"] = {{"dropped", row.cut.dropped},
                   {"tokens", row.cut.tokens},
                   {"labels_correct", row.cut.labelsCorrect},
                   {"labels_wrong", row.cut.labelsWrong},
                   {"read_outs", row.cut.readOuts}};
    if (!row.cut.lengths.empty())
        json["cut"]["lengths"] = row.cut.lengths;
    return json;
}

Result<TokenizerPtr> demoTokenizer()
{
    for (const auto& file : embeddedDemo())
        if (file.name.ends_with(".model"))
            return openSentencePiece(std::string(file.name), std::string(file.content));
    return Error{ErrorCode::Usage, "No tokenizer is given", {}, "Add --tokenizer FOLDER"};
}

class DataCommand : public Command
{
public:
    std::string_view name() const override { return "data"; }
    std::string_view summary() const override
    {
        return "Look into data: `assay data rows PATH` lays rows out as JSON lines";
    }
    std::vector<std::string_view> settingGroups() const override { return {"layout", "data"}; }

    void declare(CLI::App& app) override
    {
        app.require_subcommand(1);
        auto* rows = app.add_subcommand(
            "rows", "Sequences, read-outs, targets and what was cut, one JSON line per row");
        rows->fallthrough();
        rows->add_option("PATH", m_path, "Data file, or a folder of them")->required();
        rows->add_option("--layout", m_layout, "Short for --layout.name");
        rows->add_option("--tokenizer", m_tokenizer, "Model folder or tokenizer file; default the demo's");
        rows->add_option("--limit", m_limit, "Rows at most; 0 = all")->check(CLI::NonNegativeNumber);
        rows->add_flag("--evaluation", m_evaluation,
                       "Lay out as for evaluation: options that are for training only are off");
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(auto config, experimentFrom({}, invocation));
        if (!m_layout.empty())
            TRY_STATUS(setLayout(config));
        TRY(const auto tokenizer, m_tokenizer.empty() ? demoTokenizer() : openTokenizer(m_tokenizer));
        TRY(const auto layout, makeLayout(layoutOptions(config.layout), tokenizer));
        OpenOptions options;
        options.format = config.data.format == "auto" ? "" : config.data.format;
        options.maximumRows = m_limit > 0 ? m_limit : config.data.maximumRows;
        TRY(const auto data, openDataset(m_path, options));
        const auto refused = printRows(*data, *layout);
        if (refused == 0)
            return 0;
        printNote(fmt::format("{} of {} rows were refused", refused, refused + m_laidOut));
        return config.data.badRows == "skip" ? 0 : exitCodeOf(ErrorCode::BadData);
    }

private:
    Status setLayout(ExperimentConfig& config) const
    {
        const SettingFlag flag{"layout.name", m_layout};
        return applySettings(config, {&flag, 1});
    }

    /// Rows and refusals in the order of the file; returns how many were refused.
    std::int64_t printRows(const Dataset& data, const Layout& layout)
    {
        std::int64_t refused = 0;
        visitInFileOrder(
            data,
            [&](const Example& example) {
                Json json = {{"row", example.row}, {"source", example.source}, {"id", example.id}};
                const auto row = layout.layOut(example, !m_evaluation);
                if (row.ok()) {
                    json.update(laidOutJson(*row));
                    ++m_laidOut;
                } else {
                    json["error"] = row.error().text();
                    ++refused;
                }
                printJsonLine(json);
            },
            [&](const RowProblem& problem) {
                printJsonLine({{"row", problem.row},
                               {"line", problem.line},
                               {"source", problem.source},
                               {"error", problem.message}});
                ++refused;
            });
        return refused;
    }

    std::string m_path, m_layout, m_tokenizer;
    std::int64_t m_limit = 0, m_laidOut = 0;
    bool m_evaluation = false;
};

} // namespace

std::unique_ptr<Command> makeDataCommand()
{
    return std::make_unique<DataCommand>();
}

} // namespace assay
