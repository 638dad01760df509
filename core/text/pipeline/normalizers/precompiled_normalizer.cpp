#include "core/base/utf8.h"
#include "core/text/pipeline/normalizers/base64.h"
#include "core/text/pipeline/normalizers/normalizer.h"
#include "core/text/unicode/code_points.h"

#include <algorithm>
#include <cstring>

namespace assay {

namespace {

constexpr std::size_t kMaximumMapBytes = std::size_t{4} << 20;
constexpr std::size_t kMaximumGraphemeBytes = 6; // longer ones are looked up character by character

/// The character map of a sentencepiece model: a double array that gives offsets into a table of texts. No
/// offset is followed outside either.
class PrecompiledNormalizer : public Normalizer
{
public:
    PrecompiledNormalizer(std::vector<std::uint32_t> units, std::string texts)
        : m_units(std::move(units))
        , m_texts(std::move(texts))
    {}

    AlignedText apply(AlignedText text) const override
    {
        std::vector<ChangedCharacter> characters;
        bool changed = false;
        std::int32_t begin = 0;
        for (const auto end : clusterEnds(text.view())) {
            const auto cluster =
                text.view().substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            begin = end;
            if (cluster.size() < kMaximumGraphemeBytes)
                if (const auto* found = replacement(cluster)) {
                    replace(characters, cluster, found);
                    changed = true;
                    continue;
                }
            for (std::size_t at = 0; at < cluster.size();) {
                const auto character = codePointAt(cluster, at);
                const auto part = cluster.substr(at, character.bytes);
                at += character.bytes;
                if (const auto* found = replacement(part)) {
                    replace(characters, part, found);
                    changed = true;
                } else {
                    characters.push_back({character.value, 0});
                }
            }
        }
        if (changed)
            text.transform(characters);
        return text;
    }

private:
    /// Grapheme clusters; plain ASCII needs no tables for that.
    static std::vector<std::int32_t> clusterEnds(std::string_view text)
    {
        const bool plain = std::all_of(text.begin(), text.end(), [](char byte) {
            return static_cast<unsigned char>(byte) < 0x80 && byte != '\r';
        });
        if (!plain)
            return graphemeEnds(text);
        std::vector<std::int32_t> ends(text.size());
        for (std::size_t i = 0; i < ends.size(); ++i)
            ends[i] = static_cast<std::int32_t>(i + 1);
        return ends;
    }

    /// What the map gives for the shortest key that `text` begins with; null if there is none.
    const char* replacement(std::string_view text) const
    {
        std::size_t node = 0;
        auto unit = unitAt(node);
        node ^= offsetOf(unit);
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte == 0)
                return nullptr;
            node ^= byte;
            unit = unitAt(node);
            if ((unit & 0x800000ffU) != byte)
                return nullptr;
            node ^= offsetOf(unit);
            if ((unit >> 8 & 1U) == 0)
                continue;
            const auto value = unitAt(node) & 0x7fffffffU;
            return value < m_texts.size() ? m_texts.c_str() + value : nullptr;
        }
        return nullptr;
    }

    std::uint32_t unitAt(std::size_t index) const
    {
        return index < m_units.size() ? m_units[index] : 0x80000000U;
    }
    static std::size_t offsetOf(std::uint32_t unit) { return (unit >> 10) << ((unit & (1U << 9)) >> 6); }

    static void replace(std::vector<ChangedCharacter>& characters, std::string_view old, const char* text)
    {
        const auto added = std::string_view(text);
        const auto first = characters.size();
        for (std::size_t at = 0; at < added.size();) {
            const auto character = codePointAt(added, at);
            characters.push_back({character.value, 0});
            at += character.bytes;
        }
        const auto newCount = characters.size() - first;
        const auto oldCount = countCodePoints(old);
        for (std::size_t i = oldCount; i < newCount; ++i)
            characters[first + i].change = 1;
        // What went away goes with the last character that is left, even one of an earlier cluster.
        if (newCount < oldCount && !characters.empty())
            characters.back().change -= static_cast<std::int32_t>(oldCount - newCount);
    }

    std::vector<std::uint32_t> m_units;
    std::string m_texts;
};

} // namespace

Result<NormalizerPtr> makePrecompiledNormalizer(const Component& component)
{
    TRY(const auto encoded, component.text("precompiled_charsmap"));
    auto bytes = decodeBase64(encoded);
    if (!bytes || bytes->size() < 4 || bytes->size() > kMaximumMapBytes)
        return component.refuse("precompiled_charsmap is no base64 of 4 bytes to 4 MiB");
    std::uint32_t arrayBytes = 0;
    std::memcpy(&arrayBytes, bytes->data(), sizeof arrayBytes);
    if (arrayBytes % 4 != 0 || arrayBytes == 0 || arrayBytes > bytes->size() - 4)
        return component.refuse("precompiled_charsmap gives its array a size that does not fit");
    std::vector<std::uint32_t> units(arrayBytes / 4);
    std::memcpy(units.data(), bytes->data() + 4, arrayBytes);
    auto texts = bytes->substr(4 + arrayBytes);
    if (!isUtf8(texts))
        return component.refuse("precompiled_charsmap holds texts that are not UTF-8");
    return NormalizerPtr(std::make_shared<PrecompiledNormalizer>(std::move(units), std::move(texts)));
}

} // namespace assay
