#include "core/text/vocabulary/unigram.h"

#include "core/text/unicode/code_points.h"
#include "core/text/vocabulary/byte_pieces.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

constexpr double kUnknownPenalty = 10.0;

/// All pieces that a text begins with, found byte by byte.
class PrefixTree
{
public:
    void add(std::string_view piece, TokenId id)
    {
        std::int32_t node = 0;
        for (const char byte : piece) {
            const auto [place, added] =
                m_edges.try_emplace(key(node, byte), static_cast<std::int32_t>(m_ids.size()));
            if (added)
                m_ids.push_back(-1);
            node = place->second;
        }
        m_ids[static_cast<std::size_t>(node)] = id;
    }

    /// The node one byte further, -1 = none. The root is 0.
    std::int32_t next(std::int32_t node, char byte) const
    {
        const auto found = m_edges.find(key(node, byte));
        return found == m_edges.end() ? -1 : found->second;
    }
    TokenId id(std::int32_t node) const { return m_ids[static_cast<std::size_t>(node)]; }

private:
    static std::uint64_t key(std::int32_t node, char byte)
    {
        return static_cast<std::uint64_t>(node) << 8 | static_cast<unsigned char>(byte);
    }

    std::unordered_map<std::uint64_t, std::int32_t> m_edges;
    std::vector<TokenId> m_ids = {-1};
};

/// The best way to a byte of the word.
struct Arrival
{
    double score = 0.0;
    std::int32_t from = -1; ///< -1 = no way yet
    TokenId id = 0;
};

class Unigram : public TokenModel
{
public:
    Unigram(Vocabulary vocabulary, std::vector<double> scores, std::optional<TokenId> unknown,
            bool byteFallback)
        : m_vocabulary(std::move(vocabulary))
        , m_scores(std::move(scores))
        , m_unknown(unknown)
        , m_bytePieces(byteFallback ? findBytePieces(m_vocabulary) : BytePieces{})
    {
        for (TokenId id = 0; id < m_vocabulary.size(); ++id)
            if (!m_vocabulary.piece(id).empty())
                m_tree.add(m_vocabulary.piece(id), id);
        m_unknownScore = *std::min_element(m_scores.begin(), m_scores.end()) - kUnknownPenalty;
    }

    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        const auto arrivals = bestArrivals(word);
        std::vector<ModelToken> tokens;
        for (auto end = static_cast<std::int32_t>(word.size()); end > 0;) {
            const auto& arrival = arrivals[static_cast<std::size_t>(end)];
            // Unknown characters side by side are one token.
            if (arrival.id == kNone && !tokens.empty() && tokens.back().id == kNone)
                tokens.back().range.begin = arrival.from;
            else
                tokens.push_back({arrival.id, {arrival.from, end}});
            end = arrival.from;
        }
        std::reverse(tokens.begin(), tokens.end());
        return named(tokens, word);
    }

    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    static constexpr TokenId kNone = -1; // an unknown character

    std::vector<Arrival> bestArrivals(std::string_view word) const
    {
        std::vector<Arrival> arrivals(word.size() + 1);
        const auto offer = [&arrivals](std::size_t to, double score, std::size_t from, TokenId id) {
            auto& there = arrivals[to];
            if (there.from < 0 || score > there.score)
                there = {score, static_cast<std::int32_t>(from), id};
        };
        for (std::size_t at = 0; at < word.size();) {
            const auto character = codePointAt(word, at).bytes;
            const double soFar = arrivals[at].score;
            bool single = false;
            std::int32_t node = 0;
            for (auto to = at; to < word.size();) {
                node = m_tree.next(node, word[to++]);
                if (node < 0)
                    break;
                const auto id = m_tree.id(node);
                if (id < 0)
                    continue;
                offer(to, m_scores[static_cast<std::size_t>(id)] + soFar, at, id);
                single = single || to - at == character;
            }
            if (!single)
                offer(at + character, m_unknownScore + soFar, at, kNone);
            at += character;
        }
        return arrivals;
    }

    /// Unknown runs get their byte pieces or the unknown id; nothing where there is neither.
    std::vector<ModelToken> named(const std::vector<ModelToken>& tokens, std::string_view word) const
    {
        std::vector<ModelToken> result;
        result.reserve(tokens.size());
        for (const auto& token : tokens) {
            if (token.id != kNone && token.id != m_unknown) {
                result.push_back(token);
                continue;
            }
            const auto text = word.substr(static_cast<std::size_t>(token.range.begin),
                                          static_cast<std::size_t>(token.range.size()));
            const auto ids = m_bytePieces.of(text);
            for (const auto id : ids)
                result.push_back({id, token.range});
            if (ids.empty() && m_unknown)
                result.push_back({*m_unknown, token.range});
        }
        return result;
    }

    Vocabulary m_vocabulary;
    std::vector<double> m_scores;
    std::optional<TokenId> m_unknown;
    BytePieces m_bytePieces;
    PrefixTree m_tree;
    double m_unknownScore = 0.0;
};

} // namespace

Result<TokenModelPtr> makeUnigram(Vocabulary vocabulary, std::vector<double> scores,
                                  std::optional<TokenId> unknown, bool byteFallback)
{
    if (scores.empty() || scores.size() != static_cast<std::size_t>(vocabulary.size()))
        return Error{ErrorCode::BadModel,
                     "a unigram model needs one score for each of its pieces, and at least one piece"};
    if (!std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); }))
        return Error{ErrorCode::BadModel, "a score of the unigram model is not finite"};
    if (unknown && (*unknown < 0 || *unknown >= vocabulary.size()))
        return Error{ErrorCode::BadModel,
                     "unk_id " + std::to_string(*unknown) + " lies outside the vocabulary"};
    return TokenModelPtr(
        std::make_shared<Unigram>(std::move(vocabulary), std::move(scores), unknown, byteFallback));
}

} // namespace assay
