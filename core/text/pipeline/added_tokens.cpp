#include "core/text/pipeline/added_tokens.h"

#include "core/text/unicode/code_points.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::size_t kMaximumContentBytes = 1024;

bool wordBefore(std::string_view text, std::size_t at)
{
    return at > 0 && isWordCharacter(codePointBefore(text, at).value);
}

bool wordAt(std::string_view text, std::size_t at)
{
    return at < text.size() && isWordCharacter(codePointAt(text, at).value);
}

} // namespace

Status AddedTokens::add(AddedToken token)
{
    if (token.content.empty() || token.content.size() > kMaximumContentBytes)
        return Error{ErrorCode::BadModel,
                     "the added token " + std::to_string(token.id) + " has no text, or too much of it"};
    const auto known = find(std::string_view(token.content));
    if (known && *known != token.id)
        return Error{ErrorCode::BadModel, "the added token \"" + token.content + "\" has two ids, " +
                                              std::to_string(*known) + " and " + std::to_string(token.id)};
    if (const auto* replaced = find(token.id))
        m_idOfContent.erase(replaced->content);
    m_idOfContent.insert_or_assign(token.content, token.id);
    m_tokens.insert_or_assign(token.id, std::move(token));
    return {};
}

void AddedTokens::finish(const Normalizer* normalizer)
{
    for (const auto& [id, token] : m_tokens) {
        auto content = token.content;
        if (token.normalized && normalizer)
            content = normalizer->apply(AlignedText(content, 0, false)).view();
        if (content.empty())
            continue;
        auto& search = token.normalized ? m_normalized : m_raw;
        auto& lengths = search.lengths[static_cast<unsigned char>(content.front())];
        if (std::find(lengths.begin(), lengths.end(), content.size()) == lengths.end())
            lengths.push_back(content.size());
        search.ids.try_emplace(std::move(content), id);
    }
    for (auto* search : {&m_raw, &m_normalized})
        for (auto& lengths : search->lengths)
            std::sort(lengths.begin(), lengths.end(), std::greater<>());
}

const AddedToken* AddedTokens::find(TokenId id) const
{
    const auto found = m_tokens.find(id);
    return found == m_tokens.end() ? nullptr : &found->second;
}

std::optional<TokenId> AddedTokens::find(std::string_view content) const
{
    const auto found = m_idOfContent.find(content);
    return found == m_idOfContent.end() ? std::optional<TokenId>() : found->second;
}

std::optional<AddedTokens::Found> AddedTokens::foundAt(const Search& search, std::string_view text,
                                                       std::size_t at) const
{
    for (const auto length : search.lengths[static_cast<unsigned char>(text[at])]) {
        if (length > text.size() - at) // what is left may be a shorter token
            continue;
        const auto found = search.ids.find(text.substr(at, length));
        if (found != search.ids.end())
            return Found{&m_tokens.at(found->second), length};
    }
    return std::nullopt;
}

std::vector<AddedSplit> AddedTokens::split(std::string_view text, bool normalized, bool parseSpecial) const
{
    const auto& search = normalized ? m_normalized : m_raw;
    std::vector<AddedSplit> splits;
    std::size_t done = 0;
    const auto range = [](std::size_t begin, std::size_t end) {
        return ByteRange{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
    };
    for (std::size_t at = 0; !search.ids.empty() && at < text.size();) {
        const auto found = foundAt(search, text, at);
        if (!found) {
            ++at;
            continue;
        }
        auto begin = at, end = at + found->bytes;
        at = end;
        const auto& token = *found->token;
        if ((token.special && !parseSpecial) ||
            (token.singleWord && (wordBefore(text, begin) || wordAt(text, end))))
            continue;
        while (token.leftStrip && begin > done && isWhiteSpace(codePointBefore(text, begin).value))
            begin -= codePointBefore(text, begin).bytes;
        while (token.rightStrip && end < text.size() && isWhiteSpace(codePointAt(text, end).value))
            end += codePointAt(text, end).bytes;
        if (done < begin)
            splits.push_back({range(done, begin), std::nullopt});
        splits.push_back({range(begin, end), token.id});
        done = at = end;
    }
    if (done < text.size())
        splits.push_back({range(done, text.size()), std::nullopt});
    return splits;
}

Result<AddedToken> addedTokenFrom(const Component& component, std::int64_t id)
{
    if (id < 0 || id >= kMaximumIds)
        return component.refuse("the id " + std::to_string(id) + " of an added token is not 0 to " +
                                std::to_string(kMaximumIds - 1));
    AddedToken token;
    token.id = static_cast<TokenId>(id);
    TRY(token.content, component.text("content"));
    TRY(token.singleWord, component.flagOr("single_word", false));
    TRY(token.leftStrip, component.flagOr("lstrip", false));
    TRY(token.rightStrip, component.flagOr("rstrip", false));
    TRY(token.special, component.flagOr("special", false));
    TRY(token.normalized, component.flagOr("normalized", !token.special));
    return token;
}

} // namespace assay
