#include "core/text/vocabulary/word_cache.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace assay {

namespace {

constexpr std::size_t kShards = 64;
constexpr std::size_t kWays = 2; // places that a word may stand in
constexpr std::size_t kSetsOfShard = WordCacheLimits::kWords / kShards / kWays;

/// A word and its tokens, of a size that is known beforehand: the bound of the whole holds whatever is put
/// in.
class Place
{
public:
    static bool fits(std::string_view word, const std::vector<ModelToken>& tokens)
    {
        return tokens.size() <= WordCacheLimits::kTokens &&
               std::all_of(tokens.begin(), tokens.end(), [&word](const ModelToken& token) {
                   return token.range.begin >= 0 && token.range.begin <= token.range.end &&
                          token.range.end <= static_cast<std::int32_t>(word.size());
               });
    }

    bool holds(std::string_view word) const { return std::string_view(m_word.data(), m_bytes) == word; }

    void put(std::string_view word, const std::vector<ModelToken>& tokens)
    {
        std::copy(word.begin(), word.end(), m_word.begin());
        m_bytes = static_cast<std::uint8_t>(word.size());
        m_tokens = static_cast<std::uint8_t>(tokens.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            m_ids[i] = tokens[i].id;
            m_begins[i] = static_cast<std::uint8_t>(tokens[i].range.begin);
            m_ends[i] = static_cast<std::uint8_t>(tokens[i].range.end);
        }
    }

    std::vector<ModelToken> tokens() const
    {
        std::vector<ModelToken> tokens(m_tokens);
        for (std::size_t i = 0; i < m_tokens; ++i)
            tokens[i] = {m_ids[i], {m_begins[i], m_ends[i]}};
        return tokens;
    }

private:
    std::uint8_t m_bytes = 0; ///< 0 = empty; no word is
    std::uint8_t m_tokens = 0;
    std::array<char, WordCacheLimits::kWordBytes> m_word{};
    std::array<TokenId, WordCacheLimits::kTokens> m_ids{};
    std::array<std::uint8_t, WordCacheLimits::kTokens> m_begins{}, m_ends{};
};

/// Words with some hash values, each set with the word that was asked for last in front. Two locks in one
/// cache line would hold each other up.
class alignas(64) Shard
{
public:
    std::optional<std::vector<ModelToken>> find(std::string_view word, std::size_t hash)
    {
        const std::lock_guard lock(m_mutex);
        if (m_sets.empty())
            return std::nullopt;
        auto& places = m_sets[hash % kSetsOfShard];
        for (std::size_t i = 0; i < kWays; ++i) {
            if (!places[i].holds(word))
                continue;
            std::swap(places[0], places[i]);
            return places[0].tokens();
        }
        return std::nullopt;
    }

    void keep(std::string_view word, std::size_t hash, const std::vector<ModelToken>& tokens)
    {
        const std::lock_guard lock(m_mutex);
        if (m_sets.empty())
            m_sets.resize(kSetsOfShard);
        auto& places = m_sets[hash % kSetsOfShard];
        std::rotate(places.begin(), places.end() - 1, places.end());
        places[0].put(word, tokens);
    }

private:
    std::mutex m_mutex;
    std::vector<std::array<Place, kWays>> m_sets; ///< empty until the first word comes
};

class WordCache : public TokenModel
{
public:
    explicit WordCache(TokenModelPtr model)
        : m_model(std::move(model))
    {}

    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        if (word.empty() || word.size() > WordCacheLimits::kWordBytes)
            return m_model->tokenize(word);
        const auto hash = std::hash<std::string_view>()(word);
        auto& shard = m_shards[hash % kShards];
        if (auto known = shard.find(word, hash / kShards))
            return std::move(*known);
        auto tokens = m_model->tokenize(word);
        if (Place::fits(word, tokens))
            shard.keep(word, hash / kShards, tokens);
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return m_model->vocabulary(); }

private:
    TokenModelPtr m_model;
    mutable std::array<Shard, kShards> m_shards;
};

} // namespace

TokenModelPtr withWordCache(TokenModelPtr model)
{
    return std::make_shared<WordCache>(std::move(model));
}

} // namespace assay
