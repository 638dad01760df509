#include "core/text/tokenizer.h"
#include "tests/fuzz/memory_file.h"

using namespace assay;

/// A tokenizer model: refused by the check or the library, or it encodes and decodes texts that stress it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto tokenizer = openSentencePiece("fuzz.model", std::string(fuzz::view(data, size)));
    if (!tokenizer.ok()) {
        fuzz::checkError(tokenizer.error());
        return 0;
    }
    using namespace std::string_view_literals;
    for (const auto text :
         {""sv, " a  b\n"sv, "a\0b"sv, "###################################"sv, "naïve ½ 日本語 🙂"sv,
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"sv, "\xff\xc3"sv}) {
        const auto ids = (*tokenizer)->encode(text);
        const auto pieces = (*tokenizer)->encodeWithOffsets(text);
        CHECK(pieces.size() == ids.size(), "ids with and without offsets");
        for (const auto& piece : pieces)
            CHECK(piece.begin >= 0 && piece.begin <= piece.end &&
                      piece.end <= static_cast<std::int32_t>(text.size()),
                  "offset outside the text");
        (*tokenizer)->decode(ids);
    }
    return 0;
}
