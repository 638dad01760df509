#pragma once

#include "core/data/dataset.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

} // namespace assay::tests
