#include "core/text/pipeline/pipeline_json.h"
#include "core/text/vocabulary/bpe.h"
#include "core/text/vocabulary/unigram.h"
#include "core/text/vocabulary/word_cache.h"
#include "core/text/vocabulary/wordpiece.h"

namespace assay {

namespace {

constexpr std::size_t kMaximumMerges = std::size_t{1} << 22;

Result<Vocabulary> vocabularyFrom(const Component& component)
{
    TRY(const auto list, component.object("vocab"));
    Vocabulary vocabulary;
    for (const auto& [piece, id] : list.json().items()) {
        if (!id.is_number_integer())
            return list.refuse("the id of \"" + piece.substr(0, 80) + "\" is no integer");
        if (const auto status = vocabulary.add(piece, id.get<std::int64_t>()); !status.ok())
            return component.refuse(status.error().message);
    }
    return vocabulary;
}

/// A merge as a list of two texts, or as one text with a blank.
std::optional<BpeMerge> mergeFrom(const nlohmann::json& json, std::size_t rank)
{
    BpeMerge merge;
    merge.rank = static_cast<std::int32_t>(rank);
    if (json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string()) {
        merge.left = json[0].get<std::string>();
        merge.right = json[1].get<std::string>();
        return merge;
    }
    if (!json.is_string())
        return std::nullopt;
    const auto text = json.get<std::string>();
    const auto blank = text.find(' ');
    if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
        return std::nullopt;
    merge.left = text.substr(0, blank);
    merge.right = text.substr(blank + 1);
    return merge;
}

Result<std::vector<BpeMerge>> mergesFrom(const Component& component)
{
    const auto list = component.json().find("merges");
    if (list == component.json().end() || !list->is_array() || list->size() > kMaximumMerges)
        return component.refuse("\"merges\" must be a list of at most 4,194,304 merges");
    std::vector<BpeMerge> merges;
    merges.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        auto merge = mergeFrom((*list)[i], i);
        if (!merge)
            return component.refuse("merge " + std::to_string(i + 1) + " is not two pieces");
        merges.push_back(std::move(*merge));
    }
    return merges;
}

Result<TokenModelPtr> makeBpeModel(const Component& component, bool byteLevel)
{
    if (component.has("dropout") && component.json()["dropout"] != 0.0)
        return Error{ErrorCode::Unsupported,
                     component.path() + ": \"dropout\" would make ids a matter of chance", "",
                     "Set it to null"};
    BpeOptions options;
    options.byteLevel = byteLevel;
    TRY(options.byteFallback, component.flagOr("byte_fallback", false));
    TRY(options.ignoreMerges, component.flagOr("ignore_merges", false));
    TRY(options.fuseUnknown, component.flagOr("fuse_unk", false));
    TRY(options.continuingPrefix, component.textOr("continuing_subword_prefix", ""));
    TRY(options.endSuffix, component.textOr("end_of_word_suffix", ""));
    if (component.has("unk_token")) {
        TRY(options.unknown, component.text("unk_token"));
    }
    if (byteLevel &&
        (options.byteFallback || !options.continuingPrefix.empty() || !options.endSuffix.empty()))
        return component.refuse("words of bytes go neither with byte_fallback nor with a prefix or suffix");
    TRY(auto vocabulary, vocabularyFrom(component));
    TRY(const auto merges, mergesFrom(component));
    return makeBpe(std::move(vocabulary), merges, std::move(options));
}

Result<TokenModelPtr> makeUnigramModel(const Component& component)
{
    const auto list = component.json().find("vocab");
    if (list == component.json().end() || !list->is_array())
        return component.refuse("\"vocab\" must be a list of pieces and scores");
    Vocabulary vocabulary;
    std::vector<double> scores;
    for (const auto& entry : *list) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            return component.refuse("entry " + std::to_string(scores.size() + 1) +
                                    " of \"vocab\" is not a piece and its score");
        if (const auto status =
                vocabulary.add(entry[0].get<std::string>(), static_cast<std::int64_t>(scores.size()));
            !status.ok())
            return component.refuse(status.error().message);
        scores.push_back(entry[1].get<double>());
    }
    std::optional<TokenId> unknown;
    if (component.has("unk_id")) {
        TRY(const auto id, component.number("unk_id"));
        if (id < 0 || id >= vocabulary.size())
            return component.refuse("\"unk_id\" lies outside the vocabulary");
        unknown = static_cast<TokenId>(id);
    }
    TRY(const bool byteFallback, component.flagOr("byte_fallback", false));
    return makeUnigram(std::move(vocabulary), std::move(scores), unknown, byteFallback);
}

Result<TokenModelPtr> makeWordPieceModel(const Component& component)
{
    WordPieceOptions options;
    TRY(options.unknown, component.textOr("unk_token", options.unknown));
    TRY(options.continuingPrefix, component.textOr("continuing_subword_prefix", options.continuingPrefix));
    TRY(options.maximumCharacters, component.numberOr("max_input_chars_per_word", options.maximumCharacters));
    TRY(auto vocabulary, vocabularyFrom(component));
    return makeWordPiece(std::move(vocabulary), std::move(options));
}

/// Old files do not say what kind of model they hold.
std::string guessedType(const Component& component)
{
    if (component.has("merges"))
        return "BPE";
    if (component.has("vocab") && component.json()["vocab"].is_array())
        return "Unigram";
    return component.has("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

Result<TokenModelPtr> makeModel(const Component& component, bool byteLevel)
{
    TRY(const auto type, component.textOr("type", guessedType(component)));
    if (type == "BPE")
        return makeBpeModel(component, byteLevel);
    if (byteLevel)
        return Error{ErrorCode::Unsupported, component.path() + ": the model " + type.substr(0, 80) +
                                                 " after the pre-tokenizer ByteLevel is not known here"};
    if (type == "Unigram")
        return makeUnigramModel(component);
    if (type == "WordPiece")
        return makeWordPieceModel(component);
    if (type == "WordLevel") {
        TRY(const auto unknown, component.textOr("unk_token", "<unk>"));
        TRY(auto vocabulary, vocabularyFrom(component));
        return makeWordLevel(std::move(vocabulary), unknown);
    }
    return component.unknownType("model", type);
}

} // namespace

Result<TokenModelPtr> makeTokenModel(const Component& component, bool byteLevel)
{
    auto model = makeModel(component, byteLevel);
    if (model)
        return withWordCache(std::move(*model));
    if (model.error().message.starts_with(component.path()))
        return model;
    auto error = model.error();
    error.message = component.path() + ": " + error.message;
    return error;
}

} // namespace assay
