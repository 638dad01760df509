#include "core/base/hash.h"
#include "core/text/sentencepiece_check.h"
#include "core/text/tokenizer.h"

#include <sentencepiece_processor.h>

namespace assay {

namespace {

/// A sentencepiece model, checked before the library opened it.
class SentencePieceTokenizer : public Tokenizer
{
public:
    SentencePieceTokenizer(std::string name, std::string bytes)
        : m_name(std::move(name))
        , m_bytes(std::move(bytes))
        , m_fingerprint(sha256Hex(m_bytes))
    {}

    /// Errors: BadModel.
    Status load()
    {
        // Its logger writes to standard error; what it says comes back in the status, too.
        sentencepiece::SetMinLogLevel(3);
        // The array builder inside the library throws on some tables.
        try {
            const auto status = m_processor.LoadFromSerializedProto(m_bytes);
            if (!status.ok())
                return Error{ErrorCode::BadModel,
                             std::string("sentencepiece refuses the model: ") + status.message(), m_name, ""};
        } catch (const std::exception& exception) {
            return Error{ErrorCode::BadModel,
                         std::string("sentencepiece refuses the model: ") + exception.what(), m_name, ""};
        }
        const auto optional = [](int id) {
            return id < 0 ? std::optional<TokenId>() : std::optional<TokenId>(id);
        };
        m_special = {optional(m_processor.bos_id()), optional(m_processor.eos_id()),
                     optional(m_processor.pad_id()), optional(m_processor.unk_id())};
        return {};
    }

    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<int> ids;
        const auto status = m_processor.Encode(text, &ids);
        CHECK(status.ok(), status.message());
        return ids;
    }

    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        sentencepiece::ImmutableSentencePieceText encoded;
        const auto status = m_processor.Encode(text, encoded.mutable_proto());
        CHECK(status.ok(), status.message());
        std::vector<TokenPiece> pieces;
        pieces.reserve(encoded.pieces_size());
        for (const auto& piece : encoded.pieces())
            pieces.push_back(
                {static_cast<TokenId>(piece.id()), m_processor.IdToPiece(static_cast<int>(piece.id())),
                 static_cast<std::int32_t>(piece.begin()), static_cast<std::int32_t>(piece.end())});
        spreadBytes(pieces);
        return pieces;
    }

    std::string decode(std::span<const TokenId> ids) const override
    {
        std::string text;
        std::vector<int> run;
        const auto flush = [&] {
            std::string part;
            const auto status = m_processor.Decode(run, &part);
            CHECK(status.ok(), status.message());
            text += part;
            run.clear();
        };
        for (const auto id : ids) {
            if (id >= 0 && id < vocabularySize()) {
                run.push_back(id);
                continue;
            }
            flush();
            text += piece(id);
        }
        flush();
        return text;
    }

    std::string piece(TokenId id) const override
    {
        return id >= 0 && id < vocabularySize() ? m_processor.IdToPiece(id) : "<" + std::to_string(id) + ">";
    }

    std::int32_t vocabularySize() const override { return m_processor.GetPieceSize(); }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_fingerprint; }
    std::pair<std::string, std::string> file() const override { return {m_name, m_bytes}; }

private:
    /// The library gives the whole range of an unknown character to the last of its byte pieces. Where the
    /// normaliser left the character alone there are as many pieces as bytes, and each gets its own.
    void spreadBytes(std::vector<TokenPiece>& pieces) const
    {
        std::size_t start = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (!m_processor.IsByte(pieces[i].id)) {
                start = i + 1;
                continue;
            }
            const auto begin = pieces[i].begin;
            const auto size = pieces[i].end - begin;
            if (size == 0) // not the last piece of its character
                continue;
            const bool own = static_cast<std::size_t>(size) == i + 1 - start;
            for (std::size_t j = start; own && j <= i; ++j) {
                pieces[j].begin = begin + static_cast<std::int32_t>(j - start);
                pieces[j].end = pieces[j].begin + 1;
            }
            start = i + 1;
        }
    }

    std::string m_name;
    std::string m_bytes;
    std::string m_fingerprint;
    SpecialTokens m_special;
    sentencepiece::SentencePieceProcessor m_processor;
};

} // namespace

Result<TokenizerPtr> openSentencePiece(std::string name, std::string bytes)
{
    if (const auto status = checkSentencePieceModel(bytes); !status.ok()) {
        auto error = status.error();
        error.where = name;
        return error;
    }
    auto tokenizer = std::make_shared<SentencePieceTokenizer>(std::move(name), std::move(bytes));
    TRY_STATUS(tokenizer->load());
    return TokenizerPtr(std::move(tokenizer));
}

} // namespace assay
