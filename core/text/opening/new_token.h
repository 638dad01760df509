#pragma once

#include "core/text/tokenizer.h"

#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// A tokenizer that knows a tag as one token, and whether the tag had to be added for that.
struct TaggedTokenizer
{
    TokenizerPtr tokenizer;
    TokenId id = 0;
    bool added = false;
};

/// `tokenizer` with `tag` as a special token behind all others, unless it is one token already. `place`:
/// where it was opened; empty = it is built in. The files that it carries into checkpoints say the same, so
/// that other programs find the token, too. Errors: Usage (no tag to add), Unsupported (no place for it).
Result<TaggedTokenizer> withNewToken(const TokenizerPtr& tokenizer, const std::filesystem::path& place,
                                     const std::string& tag);

} // namespace assay
