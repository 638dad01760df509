#include "core/base/utf8.h"
#include "core/text/opening/tokenizer_files.h"

#include <map>

namespace assay {

namespace {

using Json = nlohmann::json;

/// The lines of `text` without their ends.
std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// A piece a line; the line is the id. Of two equal lines the last counts, as in BERT's own reader.
Result<Json> vocabularyOf(const TokenizerFiles& files)
{
    if (!isUtf8(files.bytes()))
        return Error{ErrorCode::BadModel, "is not UTF-8", files.name(), ""};
    Json vocabulary = Json::object();
    std::int64_t id = 0;
    for (const auto line : linesOf(files.bytes()))
        vocabulary[std::string(line)] = id++;
    if (vocabulary.empty())
        return Error{ErrorCode::BadModel, "holds no piece", files.name(), ""};
    return vocabulary;
}

Json templatePart(const char* kind, const std::string& id, int type)
{
    return {{kind, {{"id", id}, {"type_id", type}}}};
}

/// [CLS] a [SEP] b [SEP]
Json templateOf(const std::string& first, const std::string& end, const Json& vocabulary)
{
    const auto special = [&vocabulary](const std::string& token) -> Json {
        return {{"id", token}, {"ids", Json::array({vocabulary[token]})}, {"tokens", Json::array({token})}};
    };
    Json single = {templatePart("SpecialToken", first, 0), templatePart("Sequence", "A", 0),
                   templatePart("SpecialToken", end, 0)};
    Json pair = single;
    pair.push_back(templatePart("Sequence", "B", 1));
    pair.push_back(templatePart("SpecialToken", end, 1));
    return {{"type", "TemplateProcessing"},
            {"single", std::move(single)},
            {"pair", std::move(pair)},
            {"special_tokens", {{first, special(first)}, {end, special(end)}}}};
}

Json flagOf(const TokenizerConfig& config, const char* key, Json missing)
{
    const auto found = config.json().find(key);
    return found == config.json().end() ? std::move(missing) : *found;
}

} // namespace

Result<TokenizerPtr> openVocabularyText(const TokenizerFiles& files)
{
    TRY(const auto config, TokenizerConfig::read(files));
    const auto kind = config.tokenizerClass();
    if (!kind.empty() && kind != "BertTokenizer" && kind != "DistilBertTokenizer" &&
        kind != "ElectraTokenizer")
        return Error{ErrorCode::Unsupported,
                     "the tokenizer class " + kind + " cannot be opened from vocab.txt alone", files.name(),
                     "Add the model's tokenizer.json to the folder"};
    TRY(auto vocabulary, vocabularyOf(files));
    const auto unknown = config.token("unk_token").value_or("[UNK]");
    std::map<std::string, std::string> special = {{"unk_token", unknown},
                                                  {"cls_token", "[CLS]"},
                                                  {"sep_token", "[SEP]"},
                                                  {"pad_token", "[PAD]"},
                                                  {"mask_token", "[MASK]"}};
    Json added = Json::array();
    for (auto& [key, content] : special) {
        content = config.token(key).value_or(content);
        if (vocabulary.contains(content))
            added.push_back({{"id", vocabulary[content]},
                             {"content", content},
                             {"special", true},
                             {"normalized", false}});
    }
    Json json = {{"added_tokens", std::move(added)},
                 {"normalizer",
                  {{"type", "BertNormalizer"},
                   {"clean_text", true},
                   {"handle_chinese_chars", flagOf(config, "tokenize_chinese_chars", true)},
                   {"strip_accents", flagOf(config, "strip_accents", nullptr)},
                   {"lowercase", flagOf(config, "do_lower_case", true)}}},
                 {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                 {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}}};
    const auto first = special["cls_token"], end = special["sep_token"];
    if (vocabulary.contains(first) && vocabulary.contains(end))
        json["post_processor"] = templateOf(first, end, vocabulary);
    json["model"] = {{"type", "WordPiece"}, {"unk_token", unknown}, {"vocab", std::move(vocabulary)}};
    return makeTokenizer(json, config, files);
}

} // namespace assay
