#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

#include <algorithm>
#include <optional>

namespace assay {

namespace {

/// One candidate for a step.
struct Candidate
{
    std::string text;
    Label label;
};

/// Where a labeller went from one step to the next.
struct Judged
{
    std::vector<Candidate> candidates;
    std::optional<std::size_t> chosen;
    std::optional<std::string> human; ///< written by the labeller where no candidate would do
};

/// Neutral (0) counts as right, as its labellers count it; a candidate without a rating was never judged.
Result<Label> ratingOf(const simdjson::dom::object& candidate)
{
    TRY(const auto value, requiredValue(candidate, "rating"));
    if (value.is_null())
        return Label::none();
    TRY(const auto rating, wholeNumber(value, "rating", -1, 1));
    return Label::of(rating < 0 ? 0.0F : 1.0F);
}

bool isThere(const simdjson::dom::object& object, std::string_view key)
{
    simdjson::dom::element value;
    return object.at_key(key).get(value) == simdjson::SUCCESS && !value.is_null();
}

Result<Judged> judgedStep(const simdjson::dom::object& step)
{
    Judged judged;
    if (isThere(step, "completions")) {
        TRY(const auto completions, listValue(step, "completions"));
        for (const auto element : completions) {
            simdjson::dom::object candidate;
            if (element.get(candidate) != simdjson::SUCCESS)
                return Error{ErrorCode::BadData, "`completions` holds something that is no object"};
            Candidate one;
            TRY(one.text, textValue(candidate, "text"));
            TRY(one.label, ratingOf(candidate));
            judged.candidates.push_back(std::move(one));
        }
    }
    if (isThere(step, "chosen_completion")) {
        TRY(const auto value, requiredValue(step, "chosen_completion"));
        TRY(const auto index, wholeNumber(value, "chosen_completion", 0, std::ssize(judged.candidates) - 1));
        judged.chosen = static_cast<std::size_t>(index);
    }
    if (isThere(step, "human_completion")) {
        simdjson::dom::object human;
        TRY(const auto value, requiredValue(step, "human_completion"));
        if (value.get(human) != simdjson::SUCCESS)
            return Error{ErrorCode::BadData, "`human_completion` is no object"};
        TRY(judged.human, textValue(human, "text"));
    }
    return judged;
}

StepwiseExample branch(const StepwiseExample& path, const Candidate& candidate)
{
    StepwiseExample solution;
    solution.prompt = path.prompt;
    for (const auto& step : path.steps)
        solution.steps.push_back({step.text, Label::none()});
    solution.steps.push_back({candidate.text, candidate.label});
    return solution;
}

Example exampleOf(StepwiseExample solution, const simdjson::dom::object& row)
{
    Example example;
    example.content = std::move(solution);
    example.metadata = otherColumns(row, {"question", "label"});
    return example;
}

/// PRM800K as it is published: every judgement once. The path that the labeller took is one solution; every
/// other judged candidate ends a solution of its own, in which it alone is labelled. (TRL's conversion
/// repeats the labels of the path in each, and makes unjudged and neutral candidates wrong.)
Result<std::vector<Example>> readLabeller(const simdjson::dom::object& row)
{
    simdjson::dom::object question, label;
    if (row.at_key("question").get(question) != simdjson::SUCCESS)
        return Error{ErrorCode::BadData, "`question` is no object"};
    if (row.at_key("label").get(label) != simdjson::SUCCESS)
        return Error{ErrorCode::BadData, "`label` is no object"};
    StepwiseExample path;
    TRY(path.prompt, textValue(question, "problem"));
    TRY(const auto steps, listValue(label, "steps"));
    std::vector<Example> examples;
    for (const auto element : steps) {
        simdjson::dom::object step;
        if (element.get(step) != simdjson::SUCCESS)
            return Error{ErrorCode::BadData, "`steps` holds something that is no object"};
        TRY(const auto judged, judgedStep(step));
        for (std::size_t i = 0; i < judged.candidates.size(); ++i)
            if (judged.chosen != i && judged.candidates[i].label.supervised)
                examples.push_back(exampleOf(branch(path, judged.candidates[i]), row));
        if (judged.chosen)
            path.steps.push_back(
                {judged.candidates[*judged.chosen].text, judged.candidates[*judged.chosen].label});
        else if (judged.human)
            path.steps.push_back({*judged.human, Label::of(1.0F)});
        else
            break;
    }
    if (!path.steps.empty())
        examples.push_back(exampleOf(std::move(path), row));
    return examples;
}

bool looksLikeIt(std::string_view head)
{
    const auto keys = firstKeys(head);
    const auto has = [&](std::string_view key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    return has("labeler") && has("question") && has("label");
}

} // namespace

const DatasetFormat& prm800kFormat()
{
    static const JsonFormat kFormat("prm800k", "PRM800K (question, label with rated completions)",
                                    readLabeller, looksLikeIt);
    return kFormat;
}

} // namespace assay
