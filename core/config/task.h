#pragma once

#include "core/config/experiment.h"

#include <string_view>

namespace assay {

/// What a reward model learns from; the layout decides it.
enum class Task {
    Steps, ///< every step of a solution has a label
    Pairs  ///< of two whole answers the first is preferred
};

Task taskOf(const ExperimentConfig& config);
Task taskOfLayout(std::string_view layoutName);
/// `Steps`, `Pairs`: the word in run tables and filters.
std::string_view taskWord(Task task);

/// The head of the experiment; `auto` follows the loss if that is given, else the layout.
std::string_view headKindOf(const ExperimentConfig& config);
/// The objective that a head works with; empty for an unknown head.
std::string_view objectiveFor(std::string_view headKind);
/// The objective of the experiment; `auto` follows the head.
std::string_view objectiveOf(const ExperimentConfig& config);

} // namespace assay
