#include "tests/fuzz/fuzz_tokenizer.h"

/// A tokenizer.json of any content.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace assay;
    fuzz::checkTokenizer(
        openTokenizerJson(TokenizerFiles("tokenizer.json", std::string(fuzz::view(data, size)))));
    return 0;
}
