#pragma once

#include "core/run/session.h"
#include "core/text/layout.h"

namespace assay {

/// A laid-out row as the token view shows it. `tokenizer` may be absent: pieces are then the ids.
TokenView tokenViewOf(const LaidOut& row, const Tokenizer* tokenizer);

/// A row laid out for training, with the tokens that the layout's limits cut away among the others, marked.
/// Errors: as laying out.
Result<TokenView> tokenViewWithCuts(const Example& example, const Layout& layout,
                                    const TokenizerPtr& tokenizer);

/// A stored example, laid out as its run did and with the labels of the run's newest evaluation.
Result<TokenView> tokenViewOfExample(const RunReader& reader, const RunId& run, const std::string& exampleId);

} // namespace assay
