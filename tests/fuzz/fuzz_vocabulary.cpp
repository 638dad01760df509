#include "tests/fuzz/fuzz_tokenizer.h"

/// One input as vocab.txt; as vocab.json and merges.txt, cut at the first zero byte; and as settings beside a
/// small vocab.txt.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace assay;
    const std::string bytes(fuzz::view(data, size));
    fuzz::checkTokenizer(openVocabularyText(TokenizerFiles("vocab.txt", bytes)));
    const auto cut = std::min(bytes.find('\0'), bytes.size());
    TokenizerFiles pair("vocab.json", bytes.substr(0, cut));
    pair.add("merges.txt", cut < bytes.size() ? bytes.substr(cut + 1) : std::string());
    fuzz::checkTokenizer(openVocabularyMerges(pair));
    TokenizerFiles configured("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n##a\n");
    configured.add("tokenizer_config.json", bytes);
    fuzz::checkTokenizer(openVocabularyText(configured));
    return 0;
}
