#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

using TokenId = std::int32_t;

/// A token and the bytes [begin, end) of the original text that it stands for.
struct TokenPiece
{
    TokenId id = 0;
    std::string piece; ///< as the vocabulary spells it
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

struct SpecialTokens
{
    std::optional<TokenId> bos, eos, pad, unk;
};

/// Text to ids and back. Encoding adds no special token and parses none: text is text.
/// Implementations are immutable and safe to use from several threads.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;
    virtual std::vector<TokenId> encode(std::string_view text) const = 0;
    virtual std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const = 0;
    virtual std::string decode(std::span<const TokenId> ids) const = 0;
    /// The vocabulary's spelling of one id; for ids outside it "<id>".
    virtual std::string piece(TokenId id) const = 0;
    virtual std::int32_t vocabularySize() const = 0;
    virtual const SpecialTokens& special() const = 0;
    /// SHA-256 of the vocabulary file: checkpoints and runs record it.
    virtual const std::string& fingerprint() const = 0;
    /// The bytes of the vocabulary file, so that a checkpoint can carry it. First: file name.
    virtual std::pair<std::string, std::string> file() const = 0;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// Opens the tokenizer of a model folder, or a `.model` file. Errors: NotFound, BadModel, Unsupported.
Result<TokenizerPtr> openTokenizer(const std::filesystem::path& path);
/// The same from bytes already read (checkpoints, embedded files).
Result<TokenizerPtr> openSentencePiece(std::string name, std::string bytes);

} // namespace assay
