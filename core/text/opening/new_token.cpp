#include "core/text/opening/new_token.h"

#include "core/base/utf8.h"
#include "core/text/opening/tokenizer_files.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTagBytes = 128;
constexpr const char* kSettings = "tokenizer_config.json";
constexpr const char* kDecoder = "added_tokens_decoder";

Status checkTag(const std::string& tag)
{
    const auto refuse = [&tag](const char* why) {
        return Error{ErrorCode::Usage, "\"" + tag.substr(0, kMostTagBytes) + "\" " + why, "layout.step_tag",
                     "Take a short word of its own, for example <step>"};
    };
    if (tag.empty())
        return Error{ErrorCode::Usage, "the layout marker needs a step tag", "layout.step_tag"};
    if (tag.size() > kMostTagBytes)
        return refuse("is too long for a token");
    if (!isUtf8(tag))
        return Error{ErrorCode::Usage, "the step tag is not UTF-8", "layout.step_tag"};
    // Programs differ in what they make of white space at the edges of a token.
    const auto edge = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    if (edge(tag.front()) || edge(tag.back()))
        return refuse("begins or ends with white space, so it cannot become a token");
    return {};
}

/// The id that `tag` has, where it is one token.
std::optional<TokenId> singleToken(const Tokenizer& tokenizer, const std::string& tag)
{
    std::optional<TokenId> single;
    for (const auto& piece : tokenizer.encodeParsed(tag)) {
        if (piece.end == piece.begin) // a blank that the vocabulary puts in front
            continue;
        if (single || piece.begin != 0 || static_cast<std::size_t>(piece.end) != tag.size())
            return std::nullopt;
        single = piece.id;
    }
    return single && single != tokenizer.special().unk ? single : std::nullopt;
}

Json entryFor(const std::string& tag)
{
    return {{"content", tag},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false},  {"special", true}};
}

/// `tokenizer.json` numbers its added tokens through, whatever their entries say: behind the vocabulary, or
/// behind the last one. Errors: Unsupported where that would not be `id`.
Result<std::string> inTokenizerJson(const TokenizerFiles& files, const std::string& tag, TokenId id)
{
    TRY(auto json, parseTokenizerFile(files.name(), files.bytes()));
    auto& added = json["added_tokens"];
    if (!added.is_array())
        added = Json::array();
    auto next = static_cast<std::int64_t>(json.at("model").at("vocab").size());
    for (const auto& token : added)
        next = std::max(next, token.value("id", std::int64_t{0}) + 1);
    if (next != id || json["model"]["vocab"].size() > static_cast<std::size_t>(id))
        return Error{ErrorCode::Unsupported,
                     "the ids of the vocabulary have gaps: other programs would number a new token "
                     "differently",
                     files.name(), "Take a tag that is one token already"};
    auto entry = entryFor(tag);
    entry["id"] = id;
    added.push_back(std::move(entry));
    return json.dump(2) + "\n";
}

Result<std::string> inSettings(const TokenizerFiles& files, const std::string& tag, TokenId id)
{
    Json json = Json::object();
    if (const auto* bytes = files.find(kSettings)) {
        TRY(json, parseTokenizerFile(kSettings, *bytes));
    }
    auto& decoder = json[kDecoder];
    if (!decoder.is_object())
        decoder = Json::object();
    decoder[std::to_string(id)] = entryFor(tag);
    return json.dump(2) + "\n";
}

/// The same files in the order in which they are read, with these in the place of their namesakes.
TokenizerFiles replaced(const TokenizerFiles& files, const TokenizerFiles& changed)
{
    const auto bytesOf = [&](const std::string& name) {
        const auto* other = changed.find(name);
        return other ? other : files.find(name);
    };
    TokenizerFiles all(files.name(), *bytesOf(files.name()));
    for (const auto name : kCompanionFiles)
        if (const auto* bytes = bytesOf(std::string(name)))
            all.add(std::string(name), *bytes);
    return all;
}

Result<TokenizerFiles> filesWith(const TokenizerFiles& files, const std::string& tag, TokenId id)
{
    if (files.name() == "vocab.txt")
        return Error{ErrorCode::Unsupported, "a vocab.txt has no place for an added token", files.name(),
                     "Add the model's tokenizer.json to the folder"};
    const bool described = files.name().ends_with(".json") && files.name() != "vocab.json";
    if (!described) {
        TRY(auto settings, inSettings(files, tag, id));
        return replaced(files, TokenizerFiles(kSettings, std::move(settings)));
    }
    TRY(auto description, inTokenizerJson(files, tag, id));
    TokenizerFiles changed(files.name(), std::move(description));
    // Older programs read the tokens a second time from the settings, where these list them.
    if (const auto* bytes = files.find(kSettings); bytes && bytes->find(kDecoder) != std::string::npos) {
        TRY(auto settings, inSettings(files, tag, id));
        changed.add(kSettings, std::move(settings));
    }
    return replaced(files, changed);
}

TokenizerFiles builtIn(const Tokenizer& tokenizer)
{
    auto [name, bytes] = tokenizer.file();
    TokenizerFiles files(std::move(name), std::move(bytes));
    for (auto& [companion, beside] : tokenizer.companionFiles())
        files.add(companion, beside);
    return files;
}

} // namespace

Result<TaggedTokenizer> withNewToken(const TokenizerPtr& tokenizer, const std::filesystem::path& place,
                                     const std::string& tag)
{
    TRY_STATUS(checkTag(tag));
    if (const auto id = singleToken(*tokenizer, tag))
        return TaggedTokenizer{tokenizer, *id, false};
    TaggedTokenizer tagged;
    tagged.id = tokenizer->vocabularySize();
    tagged.added = true;
    auto files = builtIn(*tokenizer);
    if (!place.empty()) {
        TRY(files, readTokenizerFiles(place));
    }
    TRY(const auto extended, filesWith(files, tag, tagged.id));
    TRY(tagged.tokenizer, openTokenizerFiles(extended));
    if (singleToken(*tagged.tokenizer, tag) != tagged.id)
        return Error{ErrorCode::Unsupported, "\"" + tag + "\" cannot be added to this tokenizer",
                     files.name(), "Take another tag"};
    return tagged;
}

} // namespace assay
