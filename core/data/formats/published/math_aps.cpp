#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/step_tags.h"

namespace assay {

namespace {

Result<Label> successRate(const simdjson::dom::object& node)
{
    TRY(const auto value, requiredValue(node, "mc_value"));
    return labelValue(value, "mc_value");
}

Error badNode(const std::string& message)
{
    return {ErrorCode::BadData, "`reasoning_steps` " + message, "", ""};
}

/// Solutions of a search tree: one for each leaf, and every node's value is supervised in the first solution
/// that goes through it.
class TreeReader
{
public:
    TreeReader(std::string prompt, std::vector<StepwiseExample>& solutions)
        : m_prompt(std::move(prompt))
        , m_solutions(solutions)
    {}

    /// The depth is that of the JSON, which the parser limits.
    Status addChildren(const simdjson::dom::object& node)
    {
        TRY(const auto children, listValue(node, "children"));
        for (const auto element : children) {
            simdjson::dom::object child;
            if (element.get(child) != simdjson::SUCCESS)
                return badNode("has a child that is no object");
            TRY(auto text, textValue(child, "text"));
            TRY(const auto label, successRate(child));
            m_path.push_back({std::move(text), label});
            const auto before = m_solutions.size();
            TRY_STATUS(addChildren(child));
            if (m_solutions.size() == before)
                m_solutions.push_back({m_prompt, m_path, {}});
            for (auto& step : m_path)
                step.label = Label::none();
            m_path.pop_back();
        }
        return {};
    }

private:
    std::string m_prompt;
    std::vector<StepwiseExample>& m_solutions;
    std::vector<Step> m_path;
};

/// A flat list of prefixes; each has a success rate for the whole of it, so each is a solution with one step.
/// The question alone is a prefix too, and nothing that could be scored.
Status addPrefixes(const std::string& prompt, const simdjson::dom::array& prefixes,
                   std::vector<StepwiseExample>& solutions)
{
    for (const auto element : prefixes) {
        simdjson::dom::object prefix;
        if (element.get(prefix) != simdjson::SUCCESS)
            return badNode("holds something that is no object");
        TRY(const auto text, textValue(prefix, "solution_prefix"));
        TRY(const auto label, successRate(prefix));
        if (!std::string_view(text).starts_with(prompt))
            return badNode("has a prefix that does not begin with the question");
        const auto rest = trimmed(std::string_view(text).substr(prompt.size()));
        if (!rest.empty())
            solutions.push_back({prompt, {{std::string(rest), label}}, {}});
    }
    return {};
}

/// MATH-APS: Monte-Carlo success rates of solution prefixes, as a tree or as a list.
Result<std::vector<Example>> readSearch(const simdjson::dom::object& row)
{
    TRY(const auto prompt, textValue(row, "question"));
    TRY(const auto value, requiredValue(row, "reasoning_steps"));
    std::vector<StepwiseExample> solutions;
    simdjson::dom::object root;
    simdjson::dom::array prefixes;
    if (value.get(root) == simdjson::SUCCESS)
        TRY_STATUS(TreeReader(prompt, solutions).addChildren(root));
    else if (value.get(prefixes) == simdjson::SUCCESS)
        TRY_STATUS(addPrefixes(prompt, prefixes, solutions));
    else
        return badNode("is neither a tree nor a list");
    std::vector<Example> examples;
    for (auto& solution : solutions) {
        Example example;
        example.content = std::move(solution);
        example.metadata = otherColumns(row, {"question", "reasoning_steps"});
        examples.push_back(std::move(example));
    }
    return examples;
}

} // namespace

const DatasetFormat& mathApsFormat()
{
    static const JsonFormat kFormat("math-aps", "MATH-APS (question, reasoning_steps with success rates)",
                                    {"question", "reasoning_steps"}, readSearch);
    return kFormat;
}

} // namespace assay
