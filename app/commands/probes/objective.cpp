#include "app/commands/probes/probes.h"
#include "app/lines/json_lines.h"
#include "core/run/catalog.h"
#include "core/run/probes/probe_objective.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <cmath>
#include <iostream>

namespace assay {

namespace {

/// Scores come flat ([n]) or as rows ([n, outputs]); the gradient goes back in the same shape.
Result<ObjectiveCase> caseOfScores(const Json& line)
{
    ObjectiveCase input;
    const auto found = line.find("scores");
    if (found == line.end() || !found->is_array())
        return Error{ErrorCode::BadData, "scores is missing or no list"};
    if (found->empty() || !found->front().is_array()) {
        TRY(input.scores, numbersOf(*found, "scores"));
        return input;
    }
    input.outputs = static_cast<std::int64_t>(found->front().size());
    for (std::size_t i = 0; i < found->size(); ++i) {
        TRY(const auto row, numbersOf((*found)[i], fmt::format("scores[{}]", i)));
        if (static_cast<std::int64_t>(row.size()) != input.outputs)
            return Error{ErrorCode::BadData, fmt::format("scores[{}] has {} entries, scores[0] has {}", i,
                                                         row.size(), input.outputs)};
        input.scores.insert(input.scores.end(), row.begin(), row.end());
    }
    return input;
}

/// A null among the values is a score that nobody supervises.
Result<ObjectiveCase> withTargets(ObjectiveCase input, const Json& targets)
{
    TRY_STATUS(onlyKeys(targets, {"value", "mask", "weight", "group_offsets", "rank", "margin"}));
    TRY(input.mask, numbersAt(targets, "mask"));
    TRY(input.weight, numbersAt(targets, "weight"));
    TRY(input.groupOffsets, numbersAt(targets, "group_offsets"));
    TRY(input.rank, numbersAt(targets, "rank"));
    TRY(input.margin, numbersAt(targets, "margin"));
    Json values = targets.value("value", Json::array());
    for (std::size_t i = 0; values.is_array() && i < values.size(); ++i) {
        if (!values[i].is_null())
            continue;
        if (input.mask.empty())
            input.mask.assign(values.size(), 1.0);
        if (i < input.mask.size())
            input.mask[i] = 0.0;
        values[i] = 0.0;
    }
    TRY(input.value, numbersOf(values, "targets.value"));
    return input;
}

Json numberJson(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json gradientJson(const ObjectiveCase& input, const std::vector<double>& gradient, bool rows)
{
    Json json = Json::array();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const auto outputs = static_cast<std::size_t>(input.outputs);
        if (rows && i % outputs == 0)
            json.push_back(Json::array());
        (rows ? json.back() : json).push_back(numberJson(gradient[i]));
    }
    return json;
}

class ObjectiveCommand : public Command
{
public:
    std::string_view name() const override { return "objective"; }
    std::string_view summary() const override
    {
        return "Sum, count and gradient of an objective for scores and targets from standard input, one JSON "
               "object per line";
    }

    void declare(CLI::App& app) override
    {
        std::string names;
        for (const auto& entry : catalogObjectives())
            names += (names.empty() ? "" : ", ") + entry.id;
        app.add_option("NAME", m_name, "One of " + names)->required();
    }

    Result<int> run(const Invocation&) override
    {
        // A wrong name is told before anything is read.
        TRY_STATUS(requireObjective(m_name));
        return answerJsonLines(std::cin, [this](const Json& line) { return answer(line); });
    }

private:
    Result<Json> answer(const Json& line) const
    {
        TRY_STATUS(onlyKeys(line, {"id", "scores", "targets", "options"}));
        TRY(auto scores, caseOfScores(line));
        TRY(const auto targets, objectAt(line, "targets"));
        TRY(auto input, withTargets(std::move(scores), targets));
        TRY(const auto options, objectAt(line, "options"));
        TRY_STATUS(onlyKeys(options, {"wrong_weight", "centring"}));
        TRY(input.wrongWeight, numberAt(options, "wrong_weight", 1.0));
        TRY(input.centring, numberAt(options, "centring", 0.0));
        TRY(const auto result, probeObjective(m_name, input));
        Json json = Json::object();
        if (line.contains("id"))
            json["id"] = line["id"];
        json["sum"] = numberJson(result.sum);
        json["count"] = result.count;
        json["mean"] = result.count > 0.0 ? numberJson(result.sum / result.count) : Json(nullptr);
        const bool rows = !line["scores"].empty() && line["scores"].front().is_array();
        json["gradient"] = gradientJson(input, result.gradient, rows);
        return json;
    }

    std::string m_name;
};

} // namespace

std::unique_ptr<Command> makeObjectiveCommand()
{
    return std::make_unique<ObjectiveCommand>();
}

} // namespace assay
