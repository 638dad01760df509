#pragma once

#include "core/text/layout.h"

namespace assay {

/// `pairwise`: BOS, prompt and answer as one text, EOS token. Text is text unless `parseSpecial`.
LayoutPtr makePairwiseLayout(LayoutOptions options, TokenizerPtr tokenizer);
/// `trl-pairwise`: what TRL's RewardTrainer makes of a text row. The spelling of EOS is appended unless the
/// answer ends with it, special spellings are parsed, and a pair with a side over the limit is dropped.
LayoutPtr makeTrlPairwiseLayout(LayoutOptions options, TokenizerPtr tokenizer);

} // namespace assay
