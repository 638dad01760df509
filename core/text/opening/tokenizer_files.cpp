#include "core/text/opening/tokenizer_files.h"

#include "core/base/json_fault.h"
#include "core/text/chat/chat_template.h"
#include "core/text/opening/configured_tokenizer.h"
#include "core/text/pipeline/pipeline_json.h"

namespace assay {

namespace {

std::optional<TokenId> idOf(const Pipeline& pipeline, const std::optional<std::string>& spelling)
{
    if (!spelling)
        return std::nullopt;
    const auto added = pipeline.added.find(std::string_view(*spelling));
    return added ? added : pipeline.model->vocabulary().find(*spelling);
}

/// The unknown token that the model itself names.
std::optional<std::string> modelUnknown(const nlohmann::json& json)
{
    const auto& model = json.at("model");
    const auto named = model.find("unk_token");
    if (named != model.end() && named->is_string())
        return named->get<std::string>();
    const auto numbered = model.find("unk_id");
    const auto id = numbered == model.end() ? std::nullopt : tokenIdFrom(*numbered);
    const auto& pieces = model.at("vocab");
    const bool known = id && pieces.is_array() && static_cast<std::size_t>(*id) < pieces.size();
    return known ? std::optional(pieces[static_cast<std::size_t>(*id)][0].get<std::string>()) : std::nullopt;
}

} // namespace

const std::string* TokenizerFiles::find(std::string_view name) const
{
    for (const auto& [known, bytes] : m_files)
        if (known == name)
            return &bytes;
    return nullptr;
}

Result<nlohmann::json> parseTokenizerFile(const std::string& name, const std::string& bytes)
{
    auto json = nlohmann::json::parse(bytes, nullptr, false);
    if (json.is_discarded())
        return Error{ErrorCode::BadModel, "is no JSON: " + jsonFault(bytes), name, ""};
    if (!json.is_object())
        return Error{ErrorCode::BadModel, "is no JSON object", name, ""};
    return json;
}

Result<TokenizerConfig> TokenizerConfig::read(const TokenizerFiles& files)
{
    TokenizerConfig config;
    for (const auto* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
        if (const auto* bytes = files.find(name)) {
            TRY(const auto json, parseTokenizerFile(name, *bytes));
            config.m_json.update(json);
        }
    }
    return config;
}

std::optional<std::string> TokenizerConfig::token(std::string_view key) const
{
    auto value = m_json.find(key);
    if (value == m_json.end())
        return std::nullopt;
    if (value->is_object() && value->contains("content"))
        value = value->find("content");
    return value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::string TokenizerConfig::tokenizerClass() const
{
    auto name = token("tokenizer_class").value_or("");
    if (name.ends_with("Fast"))
        name.resize(name.size() - 4);
    return name;
}

Result<nlohmann::json> TokenizerConfig::addedTokens() const
{
    auto list = nlohmann::json::array();
    const auto decoder = m_json.find("added_tokens_decoder");
    if (decoder == m_json.end())
        return list;
    for (const auto& [key, entry] : decoder->items()) {
        const bool digits =
            !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
        if (!digits || !entry.is_object())
            return Error{ErrorCode::BadModel,
                         "added_tokens_decoder has an entry \"" + key.substr(0, 80) +
                             "\" that is no token with an id",
                         "tokenizer_config.json", ""};
        auto token = entry;
        token["id"] = std::stoll(key);
        list.push_back(std::move(token));
    }
    return list;
}

Result<TokenizerPtr> makeTokenizer(const nlohmann::json& json, const TokenizerConfig& config,
                                   const TokenizerFiles& files)
{
    auto pipeline = pipelineFromJson(json);
    if (!pipeline) {
        auto error = pipeline.error();
        error.where = files.name();
        return error;
    }
    pipeline->special.unk = idOf(*pipeline, modelUnknown(json));
    return finishTokenizer(std::move(*pipeline), config, files);
}

Result<TokenizerPtr> finishTokenizer(Pipeline pipeline, const TokenizerConfig& config,
                                     const TokenizerFiles& files)
{
    const auto named = [&](const char* key) {
        const auto spelling = config.token(key);
        const auto id = idOf(pipeline, spelling);
        if (spelling && !id)
            pipeline.missingSpecial.push_back(std::string(key) + " \"" + spelling->substr(0, 80) + "\"");
        return id;
    };
    const auto unknown = named("unk_token");
    pipeline.special = {named("bos_token"), named("eos_token"), named("pad_token"),
                        unknown ? unknown : pipeline.special.unk};
    // The template is read with the spellings of a tokenizer, so there is one first.
    const auto plain = makePipelineTokenizer(pipeline, files.all());
    TRY(pipeline.chatTemplate, findChatTemplate(*plain, config, files));
    return pipeline.chatTemplate ? makePipelineTokenizer(std::move(pipeline), files.all()) : plain;
}

Result<TokenizerPtr> openTokenizerJson(const TokenizerFiles& files)
{
    TRY(const auto json, parseTokenizerFile(files.name(), files.bytes()));
    TRY(const auto config, TokenizerConfig::read(files));
    return makeTokenizer(json, config, files);
}

} // namespace assay
