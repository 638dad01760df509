#pragma once

#include "core/data/dataset.h"
#include "tests/support/golden_json.h"

#include <memory>
#include <string>

namespace assay::tests {

/// A step that is labelled, as tests write it.
inline Step labelledStep(std::string text, float label)
{
    return {std::move(text), Label::of(label)};
}

inline Example stepwiseExample(std::string prompt, std::vector<Step> steps, std::int64_t row,
                               std::optional<int> declaredFirstError = {})
{
    Example example;
    example.row = row;
    example.content = StepwiseExample{std::move(prompt), std::move(steps), declaredFirstError};
    identify(example);
    return example;
}

/// Label of a JSON value: a number or a truth value.
inline bool isLabel(const Json& value)
{
    return value.is_boolean() || value.is_number();
}

/// Reads rows that may be faulty, as a strict reader does: what breaks the rules becomes a problem of the
/// data set.
class RowsFromJson
{
public:
    void add(const Json& row)
    {
        const auto index = m_next++;
        if (row.contains("input_ids"))
            addTokenised(row, index);
        else
            addStepwise(row, index);
    }
    std::shared_ptr<const MemoryDataset> dataset() const
    {
        return std::make_shared<MemoryDataset>(m_examples, m_problems);
    }

private:
    void addTokenised(const Json& row, std::int64_t index)
    {
        TokenisedExample tokens;
        tokens.ids = row.at("input_ids").get<std::vector<std::int32_t>>();
        for (const auto& label : row.at("labels"))
            tokens.labels.push_back(numberOf(label) == -100.0 ? Label::none()
                                                              : Label::of(float(numberOf(label))));
        Example example;
        example.row = index;
        example.content = std::move(tokens);
        if (row.contains("steps"))
            example.metadata.emplace_back("steps", row.at("steps").dump());
        identify(example);
        m_examples.push_back(std::move(example));
    }
    void addStepwise(const Json& row, std::int64_t index)
    {
        const auto& steps = row.at("completions");
        const auto& labels = row.at("labels");
        RowProblem problem{"memory", index, 0, "", "", -1, {}, -1, -1};
        if (steps.size() != labels.size()) {
            problem.kind = "label-count-mismatch";
            problem.steps = static_cast<std::int32_t>(steps.size());
            problem.labels = static_cast<std::int32_t>(labels.size());
        }
        std::vector<Step> list;
        for (std::size_t i = 0; i < std::min(steps.size(), labels.size()); ++i) {
            if (!isLabel(labels[i])) {
                problem.kind = "labels-are-text";
                problem.values.push_back(labels[i].get<std::string>());
                continue;
            }
            const double value = numberOf(labels[i]);
            if (value < 0.0 || value > 1.0) {
                problem.kind = "label-out-of-range";
                problem.step = static_cast<std::int32_t>(i);
                problem.values = {labels[i].dump()};
            }
            list.push_back(labelledStep(steps[i].get<std::string>(), float(value)));
        }
        if (!problem.kind.empty()) {
            m_problems.push_back(std::move(problem));
            return;
        }
        std::optional<int> declared;
        if (row.contains("first_error"))
            declared = row.at("first_error").get<int>();
        auto example = stepwiseExample(row.at("prompt").get<std::string>(), std::move(list), index, declared);
        if (row.contains("source"))
            example.metadata.emplace_back("source", row.at("source").get<std::string>());
        m_examples.push_back(std::move(example));
    }

    std::vector<Example> m_examples;
    std::vector<RowProblem> m_problems;
    std::int64_t m_next = 0;
};

} // namespace assay::tests
