#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace assay {

/// An evaluation prompt and the training prompt it equals or resembles; rows of their files.
struct PromptPair
{
    std::int64_t evaluationRow = 0;
    std::int64_t trainRow = 0;
    double similarity = 1.0; ///< word 3-shingle Jaccard
};

/// Evaluation prompts that stand in training.
struct PromptOverlap
{
    std::vector<PromptPair> equal;          ///< the same prompt
    std::vector<PromptPair> nearDuplicates; ///< not equal, similarity of at least 0.8
    std::int64_t evaluationRows = 0;
    std::int64_t templateRuns =
        0; ///< three-word runs left out, as a quarter of the training prompts has them
    double leakedShare() const
    {
        return evaluationRows > 0 ? double(equal.size()) / double(evaluationRows) : 0.0;
    }
};

/// Compares prompts by group (equal), then by the Jaccard similarity of their sets of three consecutive words
/// in lower case without punctuation. Runs that stand in a quarter of the training prompts or more are left
/// out: prompts of one long template would else all resemble each other, whatever they ask. Every row that
/// has such a neighbour is found, not a sample: only prompts that share one of their rarest shingles can
/// reach 0.8. One pair per evaluation row, the most similar of the first 500 compared. A stopped search
/// returns what it has found.
PromptOverlap promptOverlap(const Dataset& train, const Dataset& evaluation,
                            const std::stop_token& stop = {});

/// Sorted distinct hashes of all three consecutive words; a shorter text is one shingle of all its words.
std::vector<std::uint64_t> wordShingles(const std::string& text);
/// |a and b| / |a or b| of two sorted sets; 0 for two empty ones.
double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

} // namespace assay
