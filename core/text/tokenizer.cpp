#include "core/text/tokenizer.h"

#include "core/base/durable_file.h"
#include "core/files/foreign_file.h"
#include "core/files/model_place.h"
#include "core/text/opening/configured_tokenizer.h"

#include <algorithm>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaximumFileBytes = std::uintmax_t{256} << 20;

struct FoundSpecial
{
    std::size_t begin = std::string_view::npos;
    TokenId id = 0;
    std::string spelling;
};

/// The first special spelling in `text`; of two at one place the longer.
FoundSpecial firstSpecial(const Tokenizer& tokenizer, std::string_view text)
{
    const auto& special = tokenizer.special();
    FoundSpecial first;
    for (const auto id : {special.bos, special.eos, special.unk, special.pad}) {
        if (!id)
            continue;
        auto spelling = tokenizer.piece(*id);
        const auto begin = spelling.empty() ? std::string_view::npos : text.find(spelling);
        if (begin < first.begin || (begin == first.begin && spelling.size() > first.spelling.size()))
            first = {begin, *id, std::move(spelling)};
    }
    return first;
}

/// The vocabulary file of a folder; the complete description first, then what says less. Empty if there is
/// none.
fs::path vocabularyFile(const fs::path& folder)
{
    std::error_code ignored;
    for (const auto* name : {"tokenizer.json", "tokenizer.model", "spiece.model"})
        if (fs::exists(folder / name, ignored))
            return folder / name;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".model" || entry.path().extension() == ".tiktoken")
            found.push_back(entry.path());
    // The order of a folder is not fixed; the result must be.
    std::sort(found.begin(), found.end());
    if (!found.empty())
        return found.front();
    for (const auto* name : {"vocab.json", "vocab.txt"})
        if (fs::exists(folder / name, ignored))
            return folder / name;
    return {};
}

/// A pipe or a device may hold its reader for ever.
Result<std::string> readRegularFile(const fs::path& file)
{
    std::error_code ignored;
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
        return Error{ErrorCode::BadModel, "is no regular file", file.string(),
                     "Put the tokenizer's own file in its place"};
    TRY(auto bytes, readFile(file, kMaximumFileBytes));
    if (auto foreign = foreignFile(bytes, ErrorCode::BadModel)) {
        foreign->where = file.string();
        return *foreign;
    }
    return bytes;
}

Result<TokenizerFiles> readFiles(const fs::path& file)
{
    TRY(auto bytes, readRegularFile(file));
    TokenizerFiles files(file.filename().string(), std::move(bytes));
    std::error_code ignored;
    for (const auto name : kCompanionFiles) {
        const auto beside = file.parent_path() / name;
        const bool needed = name != "merges.txt" || files.name() == "vocab.json";
        if (needed && fs::exists(beside, ignored)) {
            TRY(auto content, readRegularFile(beside));
            files.add(std::string(name), std::move(content));
        }
    }
    return files;
}

/// A file of tiktoken is text; a sentencepiece model begins with a tag of its format.
bool looksLikeTiktoken(std::string_view bytes)
{
    const auto line = bytes.substr(0, std::min(bytes.find('\n'), std::size_t{200}));
    return !line.empty() &&
           std::all_of(line.begin(), line.end(), [](char c) { return c > 0x1f && c < 0x7f; });
}

/// The vocabulary file that `place` names or holds.
Result<fs::path> vocabularyAt(const fs::path& place)
{
    TRY(const auto path, findModel(place));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return path;
    const auto file = vocabularyFile(path);
    if (file.empty())
        return Error{ErrorCode::NotFound,
                     "no tokenizer; looked for tokenizer.json, tokenizer.model, spiece.model, *.model, "
                     "*.tiktoken, vocab.json "
                     "with merges.txt, and vocab.txt",
                     path.string(), ""};
    return file;
}

} // namespace

Result<TokenizerFiles> readTokenizerFiles(const fs::path& place)
{
    TRY(const auto file, vocabularyAt(place));
    return readFiles(file);
}

Result<TokenizerPtr> openTokenizerFiles(const TokenizerFiles& files)
{
    const auto& name = files.name();
    if (name == "vocab.json")
        return openVocabularyMerges(files);
    if (name.ends_with(".json"))
        return openTokenizerJson(files);
    if (name.ends_with(".txt"))
        return openVocabularyText(files);
    if (name.ends_with(".tiktoken") || looksLikeTiktoken(files.bytes()))
        return openTiktoken(files);
    TRY(auto sentencePiece, openSentencePiece(name, files.bytes()));
    TRY(const auto config, TokenizerConfig::read(files));
    return withSettings(std::move(sentencePiece), config, files);
}

std::vector<TokenPiece> Tokenizer::encodeParsed(std::string_view text) const
{
    std::vector<TokenPiece> pieces;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto special = firstSpecial(*this, text.substr(at));
        const auto plain = text.substr(at, special.begin);
        const auto base = static_cast<std::int32_t>(at);
        if (!plain.empty()) {
            for (auto piece : encodeWithOffsets(plain)) {
                piece.begin += base;
                piece.end += base;
                pieces.push_back(std::move(piece));
            }
        }
        at += plain.size();
        if (special.begin == std::string_view::npos)
            break;
        const auto end = at + special.spelling.size();
        pieces.push_back(
            {special.id, special.spelling, static_cast<std::int32_t>(at), static_cast<std::int32_t>(end)});
        at = end;
    }
    return pieces;
}

TemplatedPieces Tokenizer::encodeTemplated(std::string_view text,
                                           std::optional<std::string_view> second) const
{
    TemplatedPieces all;
    for (auto& piece : encodeParsed(text))
        all.add(std::move(piece), 0, 0);
    if (second)
        for (auto& piece : encodeParsed(*second))
            all.add(std::move(piece), 1, 1);
    return all;
}

bool Tokenizer::isSpecial(TokenId id) const
{
    const auto& known = special();
    return id == known.bos || id == known.eos || id == known.pad || id == known.unk;
}

Result<TokenizerPtr> openTokenizer(const fs::path& place)
{
    TRY(const auto file, vocabularyAt(place));
    TRY(const auto files, readFiles(file));
    auto tokenizer = openTokenizerFiles(files);
    if (!tokenizer) {
        auto error = tokenizer.error();
        // A line or a file beside it is the better place.
        error.where = error.where.empty() || error.where == files.name()
                          ? file.string()
                          : (file.parent_path() / error.where).string();
        return error;
    }
    return tokenizer;
}

} // namespace assay
