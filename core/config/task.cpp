#include "core/config/task.h"

#include <array>

namespace assay {

namespace {

constexpr std::string_view kAuto = "auto";

struct HeadAndObjective
{
    std::string_view head, objective;
    Task task;
};

/// The first of a task is what `auto` takes.
constexpr std::array<HeadAndObjective, 4> kCombinations{{{"step-classifier", "cross-entropy", Task::Steps},
                                                         {"step-two-layer", "cross-entropy", Task::Steps},
                                                         {"step-scalar", "binary", Task::Steps},
                                                         {"pair-scalar", "bradley-terry", Task::Pairs}}};

} // namespace

Task taskOfLayout(std::string_view layoutName)
{
    return layoutName == "pairwise" || layoutName == "trl-pairwise" ? Task::Pairs : Task::Steps;
}

Task taskOf(const ExperimentConfig& config)
{
    return taskOfLayout(config.layout.name);
}

std::string_view taskWord(Task task)
{
    return task == Task::Pairs ? "Pairs" : "Steps";
}

std::string_view headKindOf(const ExperimentConfig& config)
{
    if (config.head.kind != kAuto)
        return config.head.kind;
    const bool byLayout = config.objective.name == kAuto;
    for (const auto& row : kCombinations)
        if (byLayout ? row.task == taskOf(config) : row.objective == config.objective.name)
            return row.head;
    return {};
}

std::string_view objectiveFor(std::string_view headKind)
{
    for (const auto& row : kCombinations)
        if (row.head == headKind)
            return row.objective;
    return {};
}

std::string_view objectiveOf(const ExperimentConfig& config)
{
    return config.objective.name == kAuto ? objectiveFor(headKindOf(config)) : config.objective.name;
}

} // namespace assay
