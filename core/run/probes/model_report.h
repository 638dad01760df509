#pragma once

#include "core/base/result.h"
#include "core/model/ledger.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// Which model folder, and how its head is read.
struct ModelRequest
{
    std::string place;         ///< folder, or the name of a model in the local cache
    std::string head = "auto"; ///< declaration of a published head, see `loadStoredHead`
};

/// How far opening is, and whether it shall go on. `progress` gets the share of the tensors, [0, 1].
struct LoadWatch
{
    std::stop_token stop = {};
    std::function<void(double share)> progress = {};
};

/// What the folder's tokenizer is, or why there is none.
struct TokenizerFacts
{
    std::string file;
    std::int64_t vocabulary = 0; ///< 0 = it could not be opened
    std::string problem;
    std::vector<std::pair<std::string, std::string>> special; ///< bos, eos, pad, unk and how they are spelt
    bool chatTemplate = false;
};

/// The head that a folder holds.
struct HeadFacts
{
    bool perToken = false;
    std::int64_t outputs = 0;
    std::int64_t hidden = 0; ///< width of its hidden layer, 0 = none
    bool bias = false;
    std::string declaration; ///< id of the declaration that it was read by; empty = an ordinary one
};

/// Bytes of memory that uses of a model take, activations apart; 0 = not known.
struct MemoryFacts
{
    std::int64_t scoring = 0;  ///< also training of the head alone
    std::int64_t training = 0; ///< of all weights, with gradients and moments
    std::int64_t available = 0;
};

/// A model folder that was opened and looked at: every tensor was read.
struct ModelReport
{
    std::string folder;
    std::string family, familyTitle, architecture;
    std::int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, keyValueHeads = 0, headWidth = 0;
    std::int64_t mlpWidth = 0, positions = 0;
    std::string ropeType;
    double ropeTheta = 0.0;
    std::int64_t parameters = 0;  ///< of the backbone
    std::int64_t weightBytes = 0; ///< on disk
    std::string dtype;            ///< on disk, as config.json names it
    std::string weightsHash;
    std::optional<HeadFacts> head;
    bool languageHead = false;
    std::vector<std::pair<std::string, std::string>>
        publishedHeads;  ///< declarations to read it by: id, title
    std::string rewards; ///< what an export does to its outputs, see `RewardScale::text`; empty = nothing
    TokenizerFacts tokenizer;
    MemoryFacts memory;
    Ledger ledger;
};

} // namespace assay
