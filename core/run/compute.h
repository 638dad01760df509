#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/model/decoder_config.h"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>
#include <optional>
#include <string>

namespace assay {

/// Where and in which type a run computes, and why.
struct ComputeChoice
{
    at::Device device = at::kCPU;
    at::ScalarType products = at::kFloat; ///< type of the matrix products
    at::ScalarType weights = at::kFloat;  ///< float64 only when asked for
    std::int64_t threads = 1;
    std::string deviceId;          ///< "cpu", "cuda:0"
    std::string deviceDescription; ///< "AMD EPYC ..., 2 threads"
    std::string dtype;             ///< "bfloat16", ...
    std::string reason;            ///< what the self-test measured
};

/// Resolves device, threads and type; sets the process's thread count. `recordedDtype`: what an earlier
/// attempt of the run decided, so that a resume computes the same. Errors: Usage (no such device).
Result<ComputeChoice> chooseCompute(const ComputeConfig& config, const DecoderConfig& decoder,
                                    const std::optional<std::string>& recordedDtype = std::nullopt);

/// Two pieces of work of this thread, in seconds that it computed, timed in turns: neither other programs nor
/// a clock that falls under load meet one of them only. The best of each counts, because a disturbance only
/// ever makes work slower.
struct AlternatingTimes
{
    double firstSeconds = 0.0, secondSeconds = 0.0;
    int rounds = 0;
    double ratio() const { return firstSeconds / secondSeconds; }
};
/// At least 5 rounds behind one that does not count, and more until `seconds` are spent or there are 25.
AlternatingTimes timeInTurns(const std::function<void()>& first, const std::function<void()>& second,
                             double seconds);

/// The outcome of timing float32 against bfloat16 products of this width (casts of the weights included).
struct Bfloat16Test
{
    AlternatingTimes times; ///< float32, bfloat16
    double speedUp = 1.0;
    double largestError = 0.0; ///< relative to the largest float32 result
    bool use = false;
    /// One sentence with every figure: what was chosen, and why.
    std::string text;
};
Bfloat16Test testBfloat16(std::int64_t width, std::int64_t mlpWidth);
/// Decides by the margin (1.15 times as fast) and the error allowed (0.02), and says so.
Bfloat16Test judgeBfloat16(const AlternatingTimes& times, double largestError);

/// "AMD EPYC 9R14" or the architecture, if the system does not say.
std::string processorName();

} // namespace assay
