#include "core/base/utf8.h"
#include "core/text/opening/tokenizer_files.h"

#include <sstream>

namespace assay {

namespace {

using Json = nlohmann::json;

constexpr const char* kQwenExpression = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)"
                                        R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// A merge a line, the best first; a first line that begins with #version is none.
Result<Json> mergesOf(const std::string& name, const std::string& bytes)
{
    if (!isUtf8(bytes))
        return Error{ErrorCode::BadModel, "is not UTF-8", name, ""};
    Json merges = Json::array();
    std::istringstream text(bytes);
    std::string line;
    for (std::size_t number = 1; std::getline(text, line); ++number) {
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.empty() || (number == 1 && line.starts_with("#version")))
            continue;
        const auto blank = line.find(' ');
        if (blank == std::string::npos || blank == 0 || blank + 1 == line.size())
            return Error{ErrorCode::BadModel, "is not two pieces with a blank between them",
                         name + ", line " + std::to_string(number), ""};
        merges.push_back(Json::array({line.substr(0, blank), line.substr(blank + 1)}));
    }
    return merges;
}

/// What the tokenizer class adds to vocabulary and merges.
struct Family
{
    Json normalizer, preTokenizer, postProcessor;
    std::vector<std::string> specialDefaults; ///< spellings that are special without being named
};

Json byteLevel(bool prefix, bool regex)
{
    return {
        {"type", "ByteLevel"}, {"add_prefix_space", prefix}, {"trim_offsets", false}, {"use_regex", regex}};
}

Result<Family> familyOf(const TokenizerConfig& config, const Json& vocabulary, const std::string& name)
{
    const auto kind = config.tokenizerClass();
    const bool prefix = config.json().value("add_prefix_space", Json(false)) == Json(true);
    if (kind == "Qwen2Tokenizer") {
        const Json split = {{"type", "Split"},
                            {"pattern", {{"Regex", kQwenExpression}}},
                            {"behavior", "Isolated"},
                            {"invert", false}};
        return Family{
            {{"type", "NFC"}},
            {{"type", "Sequence"}, {"pretokenizers", Json::array({split, byteLevel(prefix, false)})}},
            nullptr,
            {"<|endoftext|>"}};
    }
    if (kind.empty() || kind == "GPT2Tokenizer" || kind == "CodeGenTokenizer")
        return Family{nullptr, byteLevel(prefix, true), nullptr, {"<|endoftext|>"}};
    if (kind == "RobertaTokenizer") {
        const auto first = config.token("cls_token").value_or("<s>"),
                   end = config.token("sep_token").value_or("</s>");
        if (!vocabulary.contains(first) || !vocabulary.contains(end))
            return Error{ErrorCode::BadModel, "lacks the special tokens " + first + " and " + end, name, ""};
        const Json around = {{"type", "RobertaProcessing"},
                             {"cls", {first, vocabulary[first]}},
                             {"sep", {end, vocabulary[end]}},
                             {"trim_offsets", false},
                             {"add_prefix_space", prefix}};
        return Family{nullptr, byteLevel(prefix, true), around, {"<s>", "</s>", "<pad>", "<unk>", "<mask>"}};
    }
    return Error{ErrorCode::Unsupported,
                 "the tokenizer class " + kind + " cannot be opened from vocab.json and merges.txt alone",
                 name, "Add the model's tokenizer.json to the folder"};
}

Result<Json> addedTokens(const TokenizerConfig& config, const Family& family, const Json& vocabulary)
{
    TRY(auto added, config.addedTokens());
    auto spellings = family.specialDefaults;
    for (const auto* key :
         {"bos_token", "eos_token", "unk_token", "pad_token", "cls_token", "sep_token", "mask_token"})
        if (auto spelling = config.token(key))
            spellings.push_back(std::move(*spelling));
    for (const auto& spelling : spellings) {
        const bool known = std::any_of(added.begin(), added.end(), [&](const Json& entry) {
            return entry.value("content", Json()) == Json(spelling);
        });
        if (!known && vocabulary.contains(spelling))
            added.push_back({{"id", vocabulary[spelling]},
                             {"content", spelling},
                             {"special", true},
                             {"normalized", false}});
    }
    return added;
}

} // namespace

Result<TokenizerPtr> openVocabularyMerges(const TokenizerFiles& files)
{
    const auto* mergesFile = files.find("merges.txt");
    if (!mergesFile)
        return Error{ErrorCode::NotFound, "stands without merges.txt beside it", files.name(),
                     "Add merges.txt to the folder"};
    TRY(const auto config, TokenizerConfig::read(files));
    TRY(auto vocabulary, parseTokenizerFile(files.name(), files.bytes()));
    TRY(auto merges, mergesOf("merges.txt", *mergesFile));
    TRY(auto family, familyOf(config, vocabulary, files.name()));
    TRY(auto added, addedTokens(config, family, vocabulary));
    const Json json = {
        {"added_tokens", std::move(added)},
        {"normalizer", std::move(family.normalizer)},
        {"pre_tokenizer", std::move(family.preTokenizer)},
        {"post_processor", std::move(family.postProcessor)},
        {"decoder", {{"type", "ByteLevel"}}},
        {"model", {{"type", "BPE"}, {"vocab", std::move(vocabulary)}, {"merges", std::move(merges)}}}};
    return makeTokenizer(json, config, files);
}

} // namespace assay
