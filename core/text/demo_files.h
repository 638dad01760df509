#pragma once

#include "core/base/result.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// A data file of the demo; `name` is its file name inside `experiments/demo/`.
struct DemoFile
{
    std::string name;
    std::string content;
};

/// Every data file that the experiments of `experiments/` read, made from a seed; those in the repository are
/// seed 0. Training and evaluation problems never share a prompt.
///   train (a recipe, see core/data/formats/demo_recipe.cpp), evaluation: the healthy demo, and its control
///   with shuffled labels; no-signal-train, no-signal-evaluation: right labels, but hardly a wrong step among
///   them; historic: token ids with the ignored positions cast to True, so that every token is labelled.
/// `tokenizer` makes the ids of the last. Errors: BadData when it cannot lay the rows out.
Result<std::vector<DemoFile>> demoFiles(std::uint64_t seed, const TokenizerPtr& tokenizer);

} // namespace assay
