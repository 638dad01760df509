#include "core/text/opening/tokenizer_files.h"
#include "core/text/pipeline/normalizers/base64.h"
#include "core/text/unicode/pattern.h"
#include "core/text/vocabulary/bpe.h"
#include "core/text/vocabulary/byte_alphabet.h"
#include "core/text/vocabulary/word_cache.h"

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

constexpr std::string_view kLlama3Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::size_t kMaximumPieceBytes = 1024;

struct Ranked
{
    std::string bytes;
    std::int32_t rank = 0;
};

Result<Ranked> rankedFrom(std::string_view line, const std::string& where)
{
    const auto refuse = [&where](const char* message) {
        return Error{ErrorCode::BadModel, message, where, ""};
    };
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos)
        return refuse("has no blank between piece and rank");
    Ranked ranked;
    auto bytes = decodeBase64(line.substr(0, blank));
    if (!bytes || bytes->empty() || bytes->size() > kMaximumPieceBytes)
        return refuse("the piece is no base64 of 1 to 1,024 bytes");
    ranked.bytes = std::move(*bytes);
    const auto number = line.substr(blank + 1);
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), ranked.rank);
    if (code != std::errc() || end != number.data() + number.size() || ranked.rank < 0)
        return refuse("the rank is no number from 0 to 2,147,483,647");
    return ranked;
}

Result<std::vector<Ranked>> piecesOf(const TokenizerFiles& files)
{
    std::vector<Ranked> pieces;
    std::string_view text = files.bytes();
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        TRY(auto piece, rankedFrom(line, files.name() + ", line " + std::to_string(number)));
        pieces.push_back(std::move(piece));
    }
    if (pieces.empty())
        return Error{ErrorCode::BadModel, "holds no piece", files.name(), ""};
    return pieces;
}

/// Every way to cut a piece into two others is a merge with the piece's rank.
std::vector<BpeMerge> mergesOf(const std::vector<Ranked>& pieces, const Vocabulary& vocabulary)
{
    std::vector<BpeMerge> merges;
    for (const auto& piece : pieces) {
        for (std::size_t cut = 1; cut < piece.bytes.size(); ++cut) {
            BpeMerge merge{spellBytes(piece.bytes.substr(0, cut)), spellBytes(piece.bytes.substr(cut)),
                           piece.rank};
            if (vocabulary.find(merge.left) && vocabulary.find(merge.right))
                merges.push_back(std::move(merge));
        }
    }
    return merges;
}

Result<DecoderPtr> byteDecoder()
{
    const nlohmann::json json = {{"type", "ByteLevel"}};
    return makeDecoder(Component(json, "decoder"));
}

Status addTokens(const TokenizerConfig& config, Pipeline& pipeline)
{
    TRY(const auto added, config.addedTokens());
    for (const auto& entry : added) {
        TRY(auto token,
            addedTokenFrom(Component(entry, "added_tokens_decoder"), entry["id"].get<std::int64_t>()));
        TRY_STATUS(pipeline.added.add(std::move(token)));
    }
    return {};
}

PreTokenizerPtr llama3Split()
{
    return makePatternSplit(Pattern::compile(kLlama3Expression).value(), SplitBehavior::Isolated, false);
}

} // namespace

Result<TokenizerPtr> openTiktoken(const TokenizerFiles& files)
{
    TRY(const auto config, TokenizerConfig::read(files));
    TRY(const auto pieces, piecesOf(files));
    Vocabulary vocabulary;
    for (const auto& piece : pieces)
        if (const auto status = vocabulary.add(spellBytes(piece.bytes), piece.rank); !status.ok())
            return Error{ErrorCode::BadModel, status.error().message, files.name(), ""};
    const auto merges = mergesOf(pieces, vocabulary);
    BpeOptions options;
    options.byteLevel = options.ignoreMerges = true;
    Pipeline pipeline;
    pipeline.preTokenizer = llama3Split();
    TRY(auto model, makeBpe(std::move(vocabulary), merges, options));
    pipeline.model = withWordCache(std::move(model));
    TRY(pipeline.decoder, byteDecoder());
    TRY_STATUS(addTokens(config, pipeline));
    return finishTokenizer(std::move(pipeline), config, files);
}

} // namespace assay
