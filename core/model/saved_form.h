#pragma once

#include "core/model/reward_model.h"
#include "core/model/torchtune.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// How a reward model is written; the defaults are those of a checkpoint.
struct SavedForm
{
    std::optional<at::ScalarType> type; ///< none: as the weights are
    bool perToken = true;               ///< class that config.json names: of tokens, or of whole sequences
    bool keepBias = true;               ///< of the head
    bool biasPlace = false;             ///< the class has a bias: one that is missing is written as zero
    std::optional<std::int64_t> padId;  ///< none: as config.json says; negative: no pad id
    ForeignNames foreign;               ///< names and row order of another program; empty: ours
};

/// The name of a parameter in a file: heads have other names in some families.
std::string storedNameIn(const Family& family, bool perToken, const std::string& parameter);

/// Weights under the names of their family, and the `config.json` that belongs to them.
RewardModel::Saved savedModel(const RewardModel& model, const SavedForm& form);

} // namespace assay
