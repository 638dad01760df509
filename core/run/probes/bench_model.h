#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace assay {

struct BenchSettings
{
    std::int64_t texts = 4;
    std::int64_t tokens = 512; ///< of each text
    std::string dtype = "auto";
    std::string device = "auto";
    std::int64_t threads = 0; ///< 0 = all cores
    double seconds = 10.0;    ///< to spend on timing, beyond one round that must be
    std::string tokenized;    ///< file whose lines the tokenizer is timed on; empty = it is not
};

/// How fast one way of computing the same texts was.
struct ForwardRate
{
    std::string execution;
    double tokensPerSecond = 0.0;
    double roofShare = 0.0; ///< of the best matrix product of the same rounds, by operations
};

struct TokenizerRate
{
    std::int64_t threads = 1;
    double bytesPerSecond = 0.0;
};

/// What a model costs on this machine. Every rate is the best of `rounds` in which the roof and all works
/// took turns, by the clock on the wall.
struct ModelBench
{
    std::string device, dtype;
    double openSeconds = 0.0;   ///< weights read and checked, tokenizer opened if there is one
    std::int64_t peakBytes = 0; ///< most memory that the process has held; 0 = not known
    std::int64_t parameters = 0;
    std::int64_t operationsPerToken = 0; ///< 2 N + 2 L D (s + 1), multiplications and additions counted apart
    double roofPerSecond = 0.0;          ///< operations of the best matrix product
    int rounds = 0;
    std::int64_t vocabulary = 0; ///< of the tokenizer; 0 = the folder has none
    std::vector<ForwardRate> forward;
    std::int64_t tokenizedBytes = 0, tokenizedTokens = 0;
    std::vector<TokenizerRate> tokenizer;
};

/// Times the forward pass of a model's backbone on texts of random tokens, and its tokenizer on a file.
/// `folder` may be the name of a model. Stops between two works when asked to.
/// Errors: as opening; Usage (sizes, a text longer than the model has positions); Cancelled.
Result<ModelBench> benchModel(const std::filesystem::path& folder, const BenchSettings& settings,
                              std::stop_token stop);

} // namespace assay
