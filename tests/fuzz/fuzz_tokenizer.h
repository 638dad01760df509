#pragma once

#include "core/text/opening/tokenizer_files.h"
#include "core/text/unicode/text_faults.h"
#include "tests/fuzz/memory_file.h"

namespace assay::fuzz {

/// What any file may become: an error that says what is wrong, or a tokenizer that encodes a fixed text
/// within limits.
inline void checkTokenizer(const Result<TokenizerPtr>& opened)
{
    if (!opened.ok()) {
        checkError(opened.error());
        return;
    }
    using namespace std::string_view_literals;
    const auto& tokenizer = **opened;
    constexpr std::size_t kMostTokens = std::size_t{1}
                                        << 18; // 64 KiB of normalised text, each byte at most four
    const TextFaults quiet;
    for (const auto text : {""sv, "The cat's 12 hats:\r\n\t<s>x</s> "sv,
                            "na\xc3\xafve \xc2\xbd \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x99\x82"sv,
                            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"sv, "a\0b\xff\xc3"sv}) {
        const auto ids = tokenizer.encode(text);
        const auto pieces = tokenizer.encodeWithOffsets(text);
        CHECK(ids.size() <= kMostTokens, "more tokens than the limit of a text allows");
        CHECK(pieces.size() == ids.size(), "ids with and without offsets");
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& piece = pieces[i];
            CHECK(piece.id == ids[i] && piece.id >= 0 && piece.id < tokenizer.vocabularySize(), "another id");
            CHECK(piece.begin >= 0 && piece.begin <= piece.end &&
                      piece.end <= static_cast<std::int32_t>(text.size()),
                  "offset outside the text");
        }
        tokenizer.decode(ids);
        tokenizer.encodeTemplated(text, "b"sv);
    }
}

} // namespace assay::fuzz
