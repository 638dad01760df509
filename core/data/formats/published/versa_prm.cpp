#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

namespace assay {

namespace {

/// 1, 0 or -1. Neutral steps count as right, as the labellers of PRM800K count them.
Result<Label> ratingValue(const simdjson::dom::element& value, const std::string& what)
{
    TRY(const auto rating, wholeNumber(value, what, -1, 1));
    return Label::of(rating < 0 ? 0.0F : 1.0F);
}

/// The chain up to the place of an alternative next step, which alone is judged here: the steps before it are
/// judged in the chain itself.
Result<StepwiseExample> alternative(const StepwiseExample& chain, const simdjson::dom::object& step)
{
    TRY(auto text, textValue(step, "aug_step"));
    TRY(const auto place, requiredValue(step, "aug_idx"));
    TRY(const auto index, wholeNumber(place, "aug_idx", 0, std::ssize(chain.steps)));
    TRY(const auto type, requiredValue(step, "aug_type"));
    TRY(const auto label, ratingValue(type, "aug_type"));
    StepwiseExample solution;
    solution.prompt = chain.prompt;
    for (std::int64_t i = 0; i < index; ++i)
        solution.steps.push_back({chain.steps[static_cast<std::size_t>(i)].text, Label::none()});
    solution.steps.push_back({std::move(text), label});
    return solution;
}

Result<StepwiseExample> chainOf(const std::string& prompt, const simdjson::dom::object& chain)
{
    StepwiseExample solution;
    solution.prompt = prompt;
    TRY(auto texts, textsValue(chain, "steps"));
    TRY(const auto labels, listValue(chain, "labels"));
    if (labels.size() != texts.size())
        return Error{ErrorCode::BadData, std::to_string(texts.size()) + " steps and " +
                                             std::to_string(labels.size()) + " labels"};
    std::size_t step = 0;
    for (const auto value : labels) {
        TRY(const auto label, ratingValue(value, "labels[" + std::to_string(step) + "]"));
        solution.steps.push_back({std::move(texts[step]), label});
        ++step;
    }
    return solution;
}

/// VersaPRM: chains of steps, each with alternatives to a next step.
Result<std::vector<Example>> readChains(const simdjson::dom::object& row)
{
    TRY(const auto prompt, textValue(row, "question"));
    TRY(const auto chains, listValue(row, "chain_of_thoughts"));
    std::vector<Example> examples;
    const auto add = [&](StepwiseExample solution) {
        if (solution.steps.empty())
            return;
        Example example;
        example.content = std::move(solution);
        example.metadata = otherColumns(row, {"question", "chain_of_thoughts"});
        examples.push_back(std::move(example));
    };
    for (const auto element : chains) {
        simdjson::dom::object chain;
        if (element.get(chain) != simdjson::SUCCESS)
            return Error{ErrorCode::BadData, "`chain_of_thoughts` holds something that is no object"};
        TRY(const auto solution, chainOf(prompt, chain));
        add(solution);
        simdjson::dom::array steps;
        if (chain.at_key("augs").get(steps) != simdjson::SUCCESS)
            continue;
        for (const auto step : steps) {
            simdjson::dom::object object;
            if (step.get(object) != simdjson::SUCCESS)
                return Error{ErrorCode::BadData, "`augs` holds something that is no object"};
            TRY(auto other, alternative(solution, object));
            add(std::move(other));
        }
    }
    return examples;
}

} // namespace

const DatasetFormat& versaPrmFormat()
{
    static const JsonFormat kFormat("versaprm", "VersaPRM (question, chain_of_thoughts)",
                                    {"question", "chain_of_thoughts"}, readChains);
    return kFormat;
}

} // namespace assay
