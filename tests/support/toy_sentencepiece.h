#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::tests {

/// A piece of a hand-made sentencepiece model.
struct ToyPiece
{
    std::string text;
    float score = 0.0F;
    int type = 1; ///< 1 normal, 2 unknown, 3 control, 4 user defined, 6 byte
};

inline std::string protoVarint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>((value & 0x7f) | 0x80);
    return bytes + static_cast<char>(value);
}

inline std::string protoNumber(int field, std::uint64_t value)
{
    return protoVarint(static_cast<std::uint64_t>(field) << 3) + protoVarint(value);
}

inline std::string protoBytes(int field, const std::string& bytes)
{
    return protoVarint((static_cast<std::uint64_t>(field) << 3) | 2) + protoVarint(bytes.size()) + bytes;
}

inline std::string protoPiece(const ToyPiece& piece)
{
    const auto bits = std::bit_cast<std::uint32_t>(piece.score);
    std::string score = protoVarint((2 << 3) | 5);
    for (int i = 0; i < 4; ++i)
        score += static_cast<char>((bits >> (8 * i)) & 0xff);
    return protoBytes(1, protoBytes(1, piece.text) + score +
                             protoNumber(3, static_cast<std::uint64_t>(piece.type)));
}

/// A byte-fallback BPE model in the manner of Llama: <unk> 0, <s> 1, </s> 2, the 256 bytes, then `pieces`.
inline std::string toyModel(const std::vector<ToyPiece>& pieces, const std::string& characterMap = "")
{
    std::string model =
        protoPiece({"<unk>", 0.0F, 2}) + protoPiece({"<s>", 0.0F, 3}) + protoPiece({"</s>", 0.0F, 3});
    constexpr char kDigits[] = "0123456789ABCDEF";
    for (unsigned byte = 0; byte < 256; ++byte)
        model += protoPiece({std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">", 0.0F, 6});
    for (const auto& piece : pieces)
        model += protoPiece(piece);
    const auto trainer = protoNumber(3, 2) + protoNumber(35, 1); // BPE, byte fallback
    const auto normaliser = protoBytes(1, "identity") +
                            (characterMap.empty() ? "" : protoBytes(2, characterMap)) + protoNumber(3, 1) +
                            protoNumber(4, 0) + protoNumber(5, 1);
    return model + protoBytes(2, trainer) + protoBytes(3, normaliser);
}

/// Letters, digits, some punctuation and a few merges.
inline std::string toyModel()
{
    std::vector<ToyPiece> pieces{{"\xe2\x96\x81", -1.0F}};
    for (const char c : std::string("abcdefghijklmnopqrstuvwxyz0123456789+-=.,?"))
        pieces.push_back({std::string(1, c), -2.0F - static_cast<float>(pieces.size())});
    for (const auto* merge : {"\xe2\x96\x81"
                              "a",
                              "he", "th",
                              "\xe2\x96\x81"
                              "th",
                              "12"})
        pieces.push_back({merge, -0.1F * static_cast<float>(pieces.size())});
    return toyModel(pieces);
}

} // namespace assay::tests
