#pragma once

#include "tests/support/toy_sentencepiece.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace assay::tests {

constexpr const char* kAddedTag = "<extra_0>"; ///< a token that only tokenizer_config.json knows

/// tokenizer.model and tokenizer_config.json with a chat template; returns the vocabulary's size with the
/// added token.
inline std::int64_t writeChatVocabulary(const std::filesystem::path& folder)
{
    std::vector<ToyPiece> pieces{{"\xe2\x96\x81", -1.0F}};
    for (const char c : std::string("abcdefghijklmnopqrstuvwxyz0123456789+-=.,?"))
        pieces.push_back({std::string(1, c), -2.0F - static_cast<float>(pieces.size())});
    for (const auto* piece : {"к", "и", "▁к", "▁ки", "▁+", "▁-", "th"})
        pieces.push_back({piece, -0.1F * static_cast<float>(pieces.size())});
    std::ofstream(folder / "tokenizer.model", std::ios::binary) << toyModel(pieces);
    const auto tag = 3 + 256 + static_cast<std::int64_t>(pieces.size());
    const nlohmann::json config = {{"bos_token", "<s>"},
                                   {"added_tokens_decoder",
                                    {{std::to_string(tag),
                                      {{"content", kAddedTag},
                                       {"special", true},
                                       {"lstrip", false},
                                       {"rstrip", false},
                                       {"normalized", false},
                                       {"single_word", false}}}}},
                                   {"chat_template",
                                    "{{ bos_token }}{% for message in messages %}{{ message['role'] }}: "
                                    "{{ message['content'] }}\n{% endfor %}"}};
    std::ofstream(folder / "tokenizer_config.json") << config.dump();
    return tag + 1;
}

} // namespace assay::tests
