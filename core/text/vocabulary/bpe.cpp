#include "core/text/vocabulary/bpe.h"

#include "core/text/unicode/code_points.h"
#include "core/text/vocabulary/byte_alphabet.h"
#include "core/text/vocabulary/byte_pieces.h"

#include <queue>

#include <algorithm>
#include <array>

namespace assay {

namespace {

struct Merge
{
    std::int32_t rank = 0;
    TokenId id = 0;
};

/// A piece under way; neighbours by index, -1 = none. An id of -1 was merged away.
struct Symbol
{
    TokenId id = 0;
    std::int32_t begin = 0, end = 0;
    std::int32_t previous = -1, next = -1;
};

struct Candidate
{
    std::int32_t rank = 0;
    std::int32_t left = 0;
    TokenId id = 0;
    /// The lowest rank first, of equal ones the leftmost.
    bool operator<(const Candidate& other) const
    {
        return rank != other.rank ? rank > other.rank : left > other.left;
    }
};

std::uint64_t pairKey(TokenId left, TokenId right)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
}

class Bpe : public TokenModel
{
public:
    Bpe(Vocabulary vocabulary, BpeOptions options)
        : m_vocabulary(std::move(vocabulary))
        , m_options(std::move(options))
        , m_bytePieces(m_options.byteFallback ? findBytePieces(m_vocabulary) : BytePieces{})
    {}

    Status load(const std::vector<BpeMerge>& merges);

    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        const auto whole = static_cast<std::int32_t>(word.size());
        if (m_options.ignoreMerges)
            if (const auto id = wholeWord(word))
                return {{*id, {0, whole}}};
        auto symbols = m_options.byteLevel ? byteSymbols(word) : characterSymbols(word);
        merge(symbols);
        std::vector<ModelToken> tokens;
        for (const auto& symbol : symbols)
            if (symbol.id >= 0)
                tokens.push_back({symbol.id, {symbol.begin, symbol.end}});
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    std::optional<TokenId> wholeWord(std::string_view word) const
    {
        if (!m_options.byteLevel)
            return m_vocabulary.find(word);
        const auto found = m_wordOfBytes.find(word);
        return found == m_wordOfBytes.end() ? std::optional<TokenId>() : found->second;
    }

    std::vector<Symbol> byteSymbols(std::string_view word) const
    {
        std::vector<Symbol> symbols;
        symbols.reserve(word.size());
        UnknownRun unknown;
        for (std::size_t i = 0; i < word.size(); ++i) {
            const auto at = static_cast<std::int32_t>(i);
            const auto id = m_byteIds[static_cast<unsigned char>(word[i])];
            if (id >= 0) {
                flush(symbols, unknown);
                append(symbols, id, {at, at + 1});
            } else {
                addUnknown(symbols, unknown, {at, at + 1});
            }
        }
        flush(symbols, unknown);
        return symbols;
    }

    std::vector<Symbol> characterSymbols(std::string_view word) const
    {
        std::vector<Symbol> symbols;
        UnknownRun unknown;
        std::string decorated;
        for (std::size_t at = 0; at < word.size();) {
            const auto bytes = codePointAt(word, at).bytes;
            auto text = word.substr(at, bytes);
            const bool first = at == 0, last = at + bytes == word.size();
            if ((!first && !m_options.continuingPrefix.empty()) || (last && !m_options.endSuffix.empty())) {
                decorated = (first ? std::string() : m_options.continuingPrefix) + std::string(text);
                decorated += last ? m_options.endSuffix : std::string();
                text = decorated;
            }
            const ByteRange range{static_cast<std::int32_t>(at), static_cast<std::int32_t>(at + bytes)};
            if (const auto id = m_vocabulary.find(text)) {
                flush(symbols, unknown);
                append(symbols, *id, range);
            } else if (const auto ids = m_bytePieces.of(text); !ids.empty()) {
                // Every byte piece takes one byte, so that offsets add up.
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    const auto begin = std::min(range.begin + static_cast<std::int32_t>(i), range.end - 1);
                    append(symbols, ids[i], {begin, begin + 1});
                }
            } else {
                addUnknown(symbols, unknown, range);
            }
            at += bytes;
        }
        flush(symbols, unknown);
        return symbols;
    }

    /// Unknown characters that are not written yet.
    using UnknownRun = std::optional<ByteRange>;

    void addUnknown(std::vector<Symbol>& symbols, UnknownRun& unknown, ByteRange range) const
    {
        if (!m_unknownId)
            return;
        if (unknown && m_options.fuseUnknown) {
            unknown->end = range.end;
            return;
        }
        flush(symbols, unknown);
        unknown = range;
    }

    void flush(std::vector<Symbol>& symbols, UnknownRun& unknown) const
    {
        if (unknown)
            append(symbols, *m_unknownId, *unknown);
        unknown.reset();
    }

    static void append(std::vector<Symbol>& symbols, TokenId id, ByteRange range)
    {
        const auto at = static_cast<std::int32_t>(symbols.size());
        if (at > 0)
            symbols.back().next = at;
        symbols.push_back({id, range.begin, range.end, at - 1, -1});
    }

    const Merge* find(const Symbol& left, const Symbol& right) const
    {
        const auto found = m_merges.find(pairKey(left.id, right.id));
        return found == m_merges.end() ? nullptr : &found->second;
    }

    void merge(std::vector<Symbol>& symbols) const;

    Vocabulary m_vocabulary;
    BpeOptions m_options;
    BytePieces m_bytePieces;
    std::optional<TokenId> m_unknownId;
    std::array<TokenId, 256> m_byteIds{};
    std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>> m_wordOfBytes;
    std::unordered_map<std::uint64_t, Merge> m_merges;
};

Status Bpe::load(const std::vector<BpeMerge>& merges)
{
    if (m_options.unknown) {
        m_unknownId = m_vocabulary.find(*m_options.unknown);
        if (!m_unknownId)
            return Error{ErrorCode::BadModel,
                         "the unknown token \"" + *m_options.unknown + "\" is not in the vocabulary"};
    }
    for (int byte = 0; byte < 256; ++byte) {
        std::string piece;
        appendCodePoint(piece, byteCharacter(static_cast<unsigned char>(byte)));
        m_byteIds[static_cast<std::size_t>(byte)] = m_vocabulary.find(piece).value_or(-1);
    }
    for (TokenId id = 0; m_options.byteLevel && m_options.ignoreMerges && id < m_vocabulary.size(); ++id)
        if (m_vocabulary.has(id))
            if (auto bytes = pieceBytes(m_vocabulary.piece(id)))
                m_wordOfBytes.emplace(std::move(*bytes), id);
    m_merges.reserve(merges.size());
    for (const auto& [left, right, rank] : merges) {
        const auto tail = right.starts_with(m_options.continuingPrefix)
                              ? right.substr(m_options.continuingPrefix.size())
                              : right;
        const auto leftId = m_vocabulary.find(left), rightId = m_vocabulary.find(right),
                   both = m_vocabulary.find(left + tail);
        if (!leftId || !rightId || !both)
            return Error{ErrorCode::BadModel, "merge " + std::to_string(rank + 1) + ", \"" +
                                                  left.substr(0, 80) + " " + right.substr(0, 80) +
                                                  "\": the vocabulary lacks a part or the whole"};
        m_merges.insert_or_assign(pairKey(*leftId, *rightId), Merge{rank, *both});
    }
    return {};
}

void Bpe::merge(std::vector<Symbol>& symbols) const
{
    std::priority_queue<Candidate> candidates;
    const auto at = [&symbols](std::int32_t index) -> Symbol& {
        return symbols[static_cast<std::size_t>(index)];
    };
    const auto consider = [&](std::int32_t left) {
        if (left < 0 || at(left).next < 0)
            return;
        if (const auto* merge = find(at(left), at(at(left).next)))
            candidates.push({merge->rank, left, merge->id});
    };
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(symbols.size()); ++i)
        consider(i);
    while (!candidates.empty()) {
        const auto best = candidates.top();
        candidates.pop();
        auto& left = at(best.left);
        if (left.id < 0 || left.next < 0)
            continue;
        auto& right = at(left.next);
        // What stood there when this was written down may have become something else.
        const auto* merge = find(left, right);
        if (!merge || merge->id != best.id)
            continue;
        left.id = best.id;
        left.end = right.end;
        right.id = -1;
        left.next = right.next;
        if (left.next >= 0)
            at(left.next).previous = best.left;
        consider(left.previous);
        consider(best.left);
    }
}

} // namespace

Result<TokenModelPtr> makeBpe(Vocabulary vocabulary, const std::vector<BpeMerge>& merges, BpeOptions options)
{
    auto model = std::make_shared<Bpe>(std::move(vocabulary), std::move(options));
    TRY_STATUS(model->load(merges));
    return TokenModelPtr(std::move(model));
}

} // namespace assay
