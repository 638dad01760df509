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

class ChatTemplate;

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

/// One text or two with the special tokens that the tokenizer's own template puts around them.
struct TemplatedPieces
{
    std::vector<TokenPiece> pieces;  ///< offsets each in its own text
    std::vector<std::uint8_t> types; ///< [pieces], token type ids
    std::vector<std::int8_t> texts;  ///< [pieces], 0 or 1; -1 = put there by the template

    void add(TokenPiece piece, std::uint8_t type, std::int8_t text)
    {
        pieces.push_back(std::move(piece));
        types.push_back(type);
        texts.push_back(text);
    }
};

/// Text to ids and back. `encode` adds no special token and parses none: text is text. (Added tokens that the
/// vocabulary does not call special are found all the same.)
/// Implementations are immutable and safe to use from several threads.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;
    virtual std::vector<TokenId> encode(std::string_view text) const = 0;
    virtual std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const = 0;
    /// The same with the spellings of special tokens taken as these tokens. What knows no other special
    /// tokens cuts the text at BOS, EOS, UNK and PAD and encodes every part between alone.
    virtual std::vector<TokenPiece> encodeParsed(std::string_view text) const;
    /// `encodeParsed` of one text or two inside the tokenizer's template; nothing around where it has none.
    virtual TemplatedPieces encodeTemplated(std::string_view text,
                                            std::optional<std::string_view> second) const;
    virtual std::string decode(std::span<const TokenId> ids) const = 0;
    /// The vocabulary's spelling of one id; for ids outside it "<id>".
    virtual std::string piece(TokenId id) const = 0;
    virtual std::int32_t vocabularySize() const = 0;
    virtual const SpecialTokens& special() const = 0;
    /// Special tokens that the settings beside the vocabulary name and nothing has, as `bos_token "<s>"`.
    virtual std::vector<std::string> missingSpecialTokens() const { return {}; }
    /// Whether text that is shown without special tokens leaves this one out.
    virtual bool isSpecial(TokenId id) const;
    /// How conversations become text for this vocabulary; null when nobody said.
    virtual const ChatTemplate* chatTemplate() const { return nullptr; }
    /// SHA-256 of the vocabulary file: checkpoints and runs record it.
    virtual const std::string& fingerprint() const = 0;
    /// The bytes of the vocabulary file, so that a checkpoint can carry it. First: file name.
    virtual std::pair<std::string, std::string> file() const = 0;
    /// Other files that opening needs: name and bytes.
    virtual std::vector<std::pair<std::string, std::string>> companionFiles() const { return {}; }
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// Opens the tokenizer of a model folder, or one vocabulary file with what stands beside it. Of several in a
/// folder the first of tokenizer.json, tokenizer.model, spiece.model, *.model, *.tiktoken, vocab.json with
/// merges.txt and vocab.txt. Errors: NotFound, BadModel, Unsupported.
Result<TokenizerPtr> openTokenizer(const std::filesystem::path& path);
/// The same from bytes already read (checkpoints, embedded files).
Result<TokenizerPtr> openSentencePiece(std::string name, std::string bytes);

} // namespace assay
