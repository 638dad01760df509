#include "core/text/sentencepiece_check.h"

#include "core/base/utf8.h"
#include "core/files/foreign_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace assay {

namespace {

constexpr std::size_t kMaximumModelBytes = std::size_t{64} << 20;
constexpr std::size_t kMaximumPieces = 1'000'000;
constexpr std::size_t kMaximumPieceBytes = 512;
constexpr std::size_t kMaximumNormaliserBytes = std::size_t{2} << 20;
constexpr std::size_t kMaximumSelfTestBytes = std::size_t{1} << 20;
/// The library keeps this many prefix matches on its stack, and reads on behind them when there are more.
constexpr int kMaximumNestedRules = 32;
constexpr int kMaximumNestedSymbols = 64;

Error modelError(std::string message)
{
    return {ErrorCode::BadModel, "not a usable sentencepiece model: " + std::move(message), "", ""};
}

/// One field of a protobuf message.
struct Field
{
    std::uint32_t number = 0;
    std::uint32_t wireType = 0;
    std::uint64_t varint = 0;
    std::string_view bytes; ///< wire types 1, 2 and 5
};

/// Walks the fields of one message; never reads outside it.
class FieldReader
{
public:
    explicit FieldReader(std::string_view message)
        : m_rest(message)
    {}
    bool done() const { return m_rest.empty(); }

    Result<Field> next()
    {
        Field field;
        TRY(const auto tag, varint());
        field.number = static_cast<std::uint32_t>(tag >> 3);
        field.wireType = static_cast<std::uint32_t>(tag & 7);
        if (field.number == 0 || tag >> 32 != 0)
            return modelError("a field has no valid number");
        switch (field.wireType) {
        case 0: {
            TRY(field.varint, varint());
            return field;
        }
        case 1:
            return take(field, 8);
        case 5:
            return take(field, 4);
        case 2: {
            TRY(const auto size, varint());
            return take(field, size);
        }
        default:
            return modelError("unknown wire type " + std::to_string(field.wireType));
        }
    }

private:
    Result<Field> take(Field field, std::uint64_t size)
    {
        if (size > m_rest.size())
            return modelError(
                "a field reaches behind its message (the file is cut off, or not a model at all)");
        field.bytes = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return field;
    }

    Result<std::uint64_t> varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (m_rest.empty())
                return modelError("it ends within a number");
            const auto byte = static_cast<std::uint8_t>(m_rest.front());
            m_rest.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80)
                return value;
        }
        return modelError("a number has more than ten bytes");
    }

    std::string_view m_rest;
};

struct Piece
{
    std::string_view text;
    std::uint64_t type = 1;
};

Result<Piece> checkPiece(std::string_view message, std::size_t index)
{
    const auto name = "piece " + std::to_string(index);
    Piece piece;
    FieldReader fields(message);
    while (!fields.done()) {
        TRY(const auto field, fields.next());
        if (field.number == 1 && field.wireType == 2) {
            piece.text = field.bytes;
        } else if (field.number == 2 && field.wireType == 5) {
            float score = 0.0F;
            std::memcpy(&score, field.bytes.data(), sizeof score);
            if (!std::isfinite(score))
                return modelError(name + " has a score that is not finite");
        } else if (field.number == 3 && field.wireType == 0) {
            piece.type = field.varint;
        } else if (field.number <= 3) {
            return modelError(name + " has a field of the wrong kind");
        }
    }
    if (piece.text.empty() || piece.text.size() > kMaximumPieceBytes)
        return modelError(name + " has " + std::to_string(piece.text.size()) + " bytes");
    if (!isUtf8(piece.text) || piece.text.find('\0') != std::string_view::npos)
        return modelError(name + " is not valid UTF-8 text");
    if (piece.type < 1 || piece.type > 6)
        return modelError(name + " is of unknown type " + std::to_string(piece.type));
    return piece;
}

/// How many of the sorted texts are prefixes of one another at most.
int deepestNesting(std::vector<std::string_view> texts)
{
    std::sort(texts.begin(), texts.end());
    std::vector<std::string_view> chain;
    std::size_t deepest = 0;
    for (const auto text : texts) {
        while (!chain.empty() && !text.starts_with(chain.back()))
            chain.pop_back();
        chain.push_back(text);
        deepest = std::max(deepest, chain.size());
    }
    return static_cast<int>(deepest);
}

/// The double array of the normaliser (Darts-clone's layout), followed as the library would follow it.
class RuleTrie
{
public:
    explicit RuleTrie(std::string_view blob)
        : m_units(blob.size() / sizeof(std::uint32_t))
    {
        std::memcpy(m_units.data(), blob.data(), m_units.size() * sizeof(std::uint32_t));
    }

    Status check()
    {
        m_nested.assign(m_units.size(), kUnknown);
        TRY(const auto root, target(0, m_units[0]));
        std::vector<std::uint32_t> path{root};
        while (!path.empty()) {
            TRY(const auto open, firstOpenChild(path.back()));
            if (open) {
                path.push_back(*open);
                continue;
            }
            path.pop_back();
        }
        if (m_nested[root] > kMaximumNestedRules)
            return modelError("its normaliser has more than " + std::to_string(kMaximumNestedRules) +
                              " rules that begin alike");
        return {};
    }

private:
    static constexpr std::int32_t kUnknown = -1;
    static constexpr std::int32_t kOnPath = -2;

    /// Start of a unit's children; the array is a multiple of 256 units, so every child is inside when this
    /// one is.
    Result<std::uint32_t> target(std::uint32_t position, std::uint32_t unit) const
    {
        const std::uint32_t offset = (unit >> 10) << ((unit & (1U << 9)) >> 6);
        if ((position ^ offset) >= m_units.size())
            return modelError("its normaliser points outside its own table");
        return position ^ offset;
    }

    /// A child of `base` that was not followed yet; empty when all were, and then the depth of `base` is
    /// known.
    Result<std::optional<std::uint32_t>> firstOpenChild(std::uint32_t base)
    {
        m_nested[base] = kOnPath;
        std::int32_t nested = 0;
        for (std::uint32_t label = 0; label < 256; ++label) {
            const auto unit = m_units[base ^ label];
            if ((unit & 0x800000ffU) != label)
                continue;
            TRY(const auto child, target(base ^ label, unit));
            if (m_nested[child] == kOnPath)
                return modelError("its normaliser runs in a circle");
            if (m_nested[child] == kUnknown)
                return std::optional(child);
            nested = std::max(nested, m_nested[child] + static_cast<std::int32_t>((unit >> 8) & 1));
        }
        m_nested[base] = nested;
        return std::optional<std::uint32_t>();
    }

    std::vector<std::uint32_t> m_units;
    std::vector<std::int32_t> m_nested; ///< by start of children: most rules on one way down from there
};

Status checkCharacterMap(std::string_view blob)
{
    if (blob.empty())
        return {};
    if (blob.size() > kMaximumNormaliserBytes)
        return modelError("its normaliser has " + std::to_string(blob.size()) + " bytes");
    std::uint32_t trieBytes = 0;
    if (blob.size() <= sizeof trieBytes)
        return modelError("its normaliser is cut off");
    std::memcpy(&trieBytes, blob.data(), sizeof trieBytes);
    const auto rest = blob.substr(sizeof trieBytes);
    if (trieBytes < 1024 || trieBytes % 1024 != 0 || trieBytes >= rest.size())
        return modelError("its normaliser's table has an impossible size");
    const auto texts = rest.substr(trieBytes);
    if (texts.back() != '\0' || !isUtf8(texts))
        return modelError("its normaliser's texts are not valid UTF-8");
    return RuleTrie(rest.substr(0, trieBytes)).check();
}

Status checkNormaliser(std::string_view message)
{
    FieldReader fields(message);
    while (!fields.done()) {
        TRY(const auto field, fields.next());
        if (field.number == 2 && field.wireType == 2)
            TRY_STATUS(checkCharacterMap(field.bytes));
    }
    return {};
}

} // namespace

Status checkSentencePieceModel(std::string_view bytes)
{
    if (auto foreign = foreignFile(bytes, ErrorCode::BadModel))
        return *foreign;
    if (bytes.empty() || bytes.size() > kMaximumModelBytes)
        return modelError("the file has " + std::to_string(bytes.size()) + " bytes");
    std::size_t pieces = 0;
    std::vector<std::string_view> userDefined;
    FieldReader fields(bytes);
    while (!fields.done()) {
        TRY(const auto field, fields.next());
        if (field.number >= 1 && field.number <= 5 && field.wireType != 2)
            return modelError("field " + std::to_string(field.number) + " is of the wrong kind");
        if (field.number == 1) {
            if (pieces == kMaximumPieces)
                return modelError("more than " + std::to_string(kMaximumPieces) + " pieces");
            TRY(const auto piece, checkPiece(field.bytes, pieces++));
            if (piece.type == 4)
                userDefined.push_back(piece.text);
        } else if (field.number == 3 || field.number == 5) {
            TRY_STATUS(checkNormaliser(field.bytes));
        } else if (field.number == 4 && field.bytes.size() > kMaximumSelfTestBytes) {
            return modelError("its self-test has " + std::to_string(field.bytes.size()) + " bytes");
        }
    }
    if (pieces == 0)
        return modelError("it has no pieces");
    if (deepestNesting(std::move(userDefined)) > kMaximumNestedSymbols)
        return modelError("more than " + std::to_string(kMaximumNestedSymbols) + " user symbols begin alike");
    return {};
}

std::string_view sentencePieceVersion()
{
    return ASSAY_SENTENCEPIECE_VERSION;
}

} // namespace assay
