#pragma once

#include "core/objective/objective.h"

namespace assay {

/// -log sigmoid(r_better - r_worse - margin) + centring * (r_better + r_worse)^2, summed over pairs
/// (Bradley and Terry, 1952; centring: Eisenstein et al., 2023).
std::unique_ptr<Objective> makeBradleyTerry(const ObjectiveOptions& options);

} // namespace assay
