#include "core/text/opening/configured_tokenizer.h"

#include "core/base/hash.h"
#include "core/text/chat/chat_template.h"

#include <algorithm>

namespace assay {

namespace {

using ChatTemplatePtr = std::shared_ptr<const ChatTemplate>;

/// A tokenizer with tokens that are looked for before it sees the text. Every part between is encoded alone.
class ConfiguredTokenizer : public Tokenizer
{
public:
    ConfiguredTokenizer(TokenizerPtr base, AddedTokens added, ChatTemplatePtr chatTemplate,
                        const TokenizerFiles& files)
        : m_base(std::move(base))
        , m_added(std::move(added))
        , m_chatTemplate(std::move(chatTemplate))
        , m_files(files.all())
    {
        m_added.finish(nullptr);
        m_size = m_base->vocabularySize();
        if (!m_added.all().empty())
            m_size = std::max(m_size, m_added.all().rbegin()->first + 1);
        std::string all;
        for (const auto& [name, bytes] : m_files)
            all += name + '\n' + sha256Hex(bytes) + '\n';
        m_fingerprint = sha256Hex(all);
    }

    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        for (const auto& piece : pieces(text, false))
            ids.push_back(piece.id);
        return ids;
    }

    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        return pieces(text, false);
    }
    std::vector<TokenPiece> encodeParsed(std::string_view text) const override { return pieces(text, true); }

    std::string decode(std::span<const TokenId> ids) const override
    {
        std::string text;
        std::size_t begin = 0;
        const auto flush = [&](std::size_t end) {
            if (begin < end)
                text += m_base->decode(ids.subspan(begin, end - begin));
            begin = end + 1;
        };
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (const auto* token = m_added.find(ids[i]); token && ids[i] >= m_base->vocabularySize()) {
                flush(i);
                text += token->content;
            }
        }
        flush(ids.size());
        return text;
    }

    std::string piece(TokenId id) const override
    {
        const auto* token = m_added.find(id);
        return token ? token->content : m_base->piece(id);
    }

    std::int32_t vocabularySize() const override { return m_size; }
    const SpecialTokens& special() const override { return m_base->special(); }
    bool isSpecial(TokenId id) const override
    {
        const auto* token = m_added.find(id);
        return token ? token->special : m_base->isSpecial(id);
    }
    const ChatTemplate* chatTemplate() const override { return m_chatTemplate.get(); }
    const std::string& fingerprint() const override { return m_fingerprint; }
    std::pair<std::string, std::string> file() const override { return m_files.front(); }
    std::vector<std::pair<std::string, std::string>> companionFiles() const override
    {
        return {m_files.begin() + 1, m_files.end()};
    }

private:
    std::vector<TokenPiece> pieces(std::string_view text, bool parseSpecial) const
    {
        std::vector<TokenPiece> all;
        for (const auto& split : m_added.split(text, false, parseSpecial)) {
            if (split.token) {
                all.push_back({*split.token, piece(*split.token), split.range.begin, split.range.end});
                continue;
            }
            const auto part = text.substr(static_cast<std::size_t>(split.range.begin),
                                          static_cast<std::size_t>(split.range.size()));
            for (auto& piece : parseSpecial ? m_base->encodeParsed(part) : m_base->encodeWithOffsets(part)) {
                piece.begin += split.range.begin;
                piece.end += split.range.begin;
                all.push_back(std::move(piece));
            }
        }
        return all;
    }

    TokenizerPtr m_base;
    AddedTokens m_added;
    ChatTemplatePtr m_chatTemplate;
    std::vector<std::pair<std::string, std::string>> m_files;
    std::string m_fingerprint;
    std::int32_t m_size = 0;
};

/// The template among several that are not meant for tools; as one text where there is one.
std::optional<std::string> templateSource(const nlohmann::json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    for (const auto& entry : value.is_array() ? value : nlohmann::json::array())
        if (entry.is_object() && entry.value("name", nlohmann::json()) == "default" &&
            entry.value("template", nlohmann::json()).is_string())
            return entry["template"].get<std::string>();
    return std::nullopt;
}

/// Tokens that are looked for in the text as it is: all that have no piece of their own, and the special
/// ones.
Result<AddedTokens> settingsTokens(const Tokenizer& base, const TokenizerConfig& config)
{
    TRY(const auto entries, config.addedTokens());
    AddedTokens added;
    for (const auto& entry : entries) {
        TRY(auto token,
            addedTokenFrom(Component(entry, "added_tokens_decoder"), entry["id"].get<std::int64_t>()));
        token.normalized = false;
        if (token.id < base.vocabularySize() && base.piece(token.id) != token.content)
            return Error{ErrorCode::BadModel,
                         "added_tokens_decoder says \"" + token.content + "\" for the id " +
                             std::to_string(token.id) + ", which the vocabulary spells \"" +
                             base.piece(token.id) + "\"",
                         "tokenizer_config.json", ""};
        TRY_STATUS(added.add(std::move(token)));
    }
    return added;
}

} // namespace

Result<ChatTemplatePtr> findChatTemplate(const Tokenizer& tokenizer, const TokenizerConfig& config,
                                         const TokenizerFiles& files)
{
    const auto* file = files.find("chat_template.jinja");
    const auto source =
        file ? std::optional(*file) : templateSource(config.json().value("chat_template", nlohmann::json()));
    if (!source)
        return ChatTemplatePtr();
    const auto spelling = [&](const char* key, const std::optional<TokenId>& id) {
        return config.token(key).value_or(id ? tokenizer.piece(*id) : std::string());
    };
    auto parsed = ChatTemplate::parse(*source, spelling("bos_token", tokenizer.special().bos),
                                      spelling("eos_token", tokenizer.special().eos));
    if (!parsed) {
        auto error = parsed.error();
        error.where = file ? "chat_template.jinja" : "tokenizer_config.json";
        return error;
    }
    return ChatTemplatePtr(std::make_shared<ChatTemplate>(std::move(*parsed)));
}

Result<TokenizerPtr> withSettings(TokenizerPtr base, const TokenizerConfig& config,
                                  const TokenizerFiles& files)
{
    TRY(auto added, settingsTokens(*base, config));
    TRY(auto chatTemplate, findChatTemplate(*base, config, files));
    if (added.all().empty() && !chatTemplate)
        return base;
    return TokenizerPtr(std::make_shared<ConfiguredTokenizer>(std::move(base), std::move(added),
                                                              std::move(chatTemplate), files));
}

} // namespace assay
