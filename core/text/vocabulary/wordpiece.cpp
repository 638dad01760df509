#include "core/text/vocabulary/wordpiece.h"

#include "core/text/unicode/code_points.h"

namespace assay {

namespace {

std::int32_t bytesOf(std::string_view word)
{
    return static_cast<std::int32_t>(word.size());
}

class WordPiece : public TokenModel
{
public:
    WordPiece(Vocabulary vocabulary, WordPieceOptions options, TokenId unknown)
        : m_vocabulary(std::move(vocabulary))
        , m_options(std::move(options))
        , m_unknown(unknown)
    {}

    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        const std::vector<ModelToken> unknown = {{m_unknown, {0, bytesOf(word)}}};
        if (static_cast<std::int64_t>(countCodePoints(word)) > m_options.maximumCharacters)
            return unknown;
        std::vector<ModelToken> tokens;
        for (std::size_t begin = 0; begin < word.size();) {
            auto end = word.size();
            auto id = pieceAt(word, begin, end);
            while (!id && end > begin) {
                end -= codePointBefore(word, end).bytes;
                if (end > begin)
                    id = pieceAt(word, begin, end);
            }
            if (!id)
                return unknown;
            tokens.push_back({*id, {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)}});
            begin = end;
        }
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    std::optional<TokenId> pieceAt(std::string_view word, std::size_t begin, std::size_t end) const
    {
        const auto text = word.substr(begin, end - begin);
        return begin == 0 ? m_vocabulary.find(text)
                          : m_vocabulary.find(m_options.continuingPrefix + std::string(text));
    }

    Vocabulary m_vocabulary;
    WordPieceOptions m_options;
    TokenId m_unknown;
};

class WordLevel : public TokenModel
{
public:
    WordLevel(Vocabulary vocabulary, TokenId unknown)
        : m_vocabulary(std::move(vocabulary))
        , m_unknown(unknown)
    {}

    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        return {{m_vocabulary.find(word).value_or(m_unknown), {0, bytesOf(word)}}};
    }

    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    Vocabulary m_vocabulary;
    TokenId m_unknown;
};

Result<TokenId> unknownId(const Vocabulary& vocabulary, const std::string& unknown)
{
    if (const auto id = vocabulary.find(unknown))
        return *id;
    return Error{ErrorCode::BadModel,
                 "the unknown token \"" + unknown.substr(0, 80) + "\" is not in the vocabulary"};
}

} // namespace

Result<TokenModelPtr> makeWordPiece(Vocabulary vocabulary, WordPieceOptions options)
{
    TRY(const auto unknown, unknownId(vocabulary, options.unknown));
    return TokenModelPtr(std::make_shared<WordPiece>(std::move(vocabulary), std::move(options), unknown));
}

Result<TokenModelPtr> makeWordLevel(Vocabulary vocabulary, const std::string& unknown)
{
    TRY(const auto id, unknownId(vocabulary, unknown));
    return TokenModelPtr(std::make_shared<WordLevel>(std::move(vocabulary), id));
}

} // namespace assay
