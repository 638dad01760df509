#pragma once

#include "core/text/opening/tokenizer_files.h"

namespace assay {

/// `base` with what the settings beside its vocabulary add: tokens that its own file does not have, and a
/// chat template. `base` itself when they add nothing. Errors: BadModel, Unsupported with the settings file
/// as `where`.
Result<TokenizerPtr> withSettings(TokenizerPtr base, const TokenizerConfig& config,
                                  const TokenizerFiles& files);

/// The chat template of `chat_template.jinja` or the settings; null if there is none. `tokenizer` spells BOS
/// and EOS where the settings do not.
Result<std::shared_ptr<const ChatTemplate>>
findChatTemplate(const Tokenizer& tokenizer, const TokenizerConfig& config, const TokenizerFiles& files);

} // namespace assay
