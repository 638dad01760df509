#include "tests/fuzz/fuzz_tokenizer.h"

/// A file of ranks of any content.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace assay;
    fuzz::checkTokenizer(openTiktoken(TokenizerFiles("fuzz.tiktoken", std::string(fuzz::view(data, size)))));
    return 0;
}
