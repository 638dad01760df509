#include "core/run/compute.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rand.h>

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <thread>

namespace assay {

namespace {

/// A faster type must repay its lost digits.
constexpr double kLeastSpeedUp = 1.15;
constexpr double kLargestRelativeError = 0.02;
constexpr std::int64_t kTestTokens = 512;

constexpr double kTestSeconds = 0.25;
constexpr int kLeastRounds = 5, kMostRounds = 25;

/// Of this thread alone: what else the machine does has no share in it.
double computedSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double secondsOf(const std::function<void()>& work)
{
    const double start = computedSeconds();
    work();
    return computedSeconds() - start;
}

Result<at::Device> resolveDevice(const std::string& text)
{
    if (text == "cpu" || (text == "auto" && !at::hasCUDA()))
        return at::Device(at::kCPU);
    if (!at::hasCUDA())
        return Error{ErrorCode::Usage, fmt::format("there is no {} on this machine", text), "compute.device",
                     "Enter auto or cpu"};
    const auto index = text == "auto" ? 0 : std::stoi(text.substr(text.find(':') + 1));
    if (index >= at::accelerator::deviceCount())
        return Error{ErrorCode::Usage, fmt::format("there is no {} on this machine", text), "compute.device",
                     fmt::format("Devices: 0 to {}", at::accelerator::deviceCount() - 1)};
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

std::optional<at::ScalarType> scalarType(const std::string& name)
{
    if (name == "float32")
        return at::kFloat;
    if (name == "bfloat16")
        return at::kBFloat16;
    if (name == "float64")
        return at::kDouble;
    return std::nullopt;
}

} // namespace

std::string processorName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "CPU";
}

AlternatingTimes timeInTurns(const std::function<void()>& first, const std::function<void()>& second,
                             double seconds)
{
    first(); // pages and kernels are made now
    second();
    AlternatingTimes times;
    times.firstSeconds = times.secondSeconds = std::numeric_limits<double>::infinity();
    for (double spent = 0.0; times.rounds < kLeastRounds || (spent < seconds && times.rounds < kMostRounds);
         ++times.rounds) {
        const double one = secondsOf(first), other = secondsOf(second);
        times.firstSeconds = std::min(times.firstSeconds, one);
        times.secondSeconds = std::min(times.secondSeconds, other);
        spent += one + other;
    }
    return times;
}

Bfloat16Test judgeBfloat16(const AlternatingTimes& times, double largestError)
{
    Bfloat16Test result;
    result.times = times;
    result.speedUp = times.ratio();
    result.largestError = largestError;
    result.use = result.speedUp >= kLeastSpeedUp && result.largestError <= kLargestRelativeError;
    result.text =
        fmt::format("Computing in {}: products of this size take {:.3g} ms in bfloat16 and {:.3g} ms in "
                    "float32 (one thread, best of {} in turns), {:.2f} times as fast where {} is asked for; "
                    "largest relative error {:.1e}, allowed {}",
                    result.use ? "bfloat16" : "float32", 1e3 * times.secondSeconds, 1e3 * times.firstSeconds,
                    times.rounds, result.speedUp, kLeastSpeedUp, result.largestError, kLargestRelativeError);
    return result;
}

Bfloat16Test testBfloat16(std::int64_t width, std::int64_t mlpWidth)
{
    const at::NoGradGuard noGradients;
    const at::Tensor x = at::rand({kTestTokens, width}) - 0.5;
    const at::Tensor weight = at::rand({mlpWidth, width}) - 0.5;
    at::Tensor exact, fast;
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    const auto times =
        timeInTurns([&] { exact = at::linear(x, weight); },
                    [&] { fast = at::linear(x.to(at::kBFloat16), weight.to(at::kBFloat16)); }, kTestSeconds);
    at::set_num_threads(threads);
    return judgeBfloat16(times,
                         ((fast.to(at::kFloat) - exact).abs().max() / exact.abs().max()).item<double>());
}

Result<ComputeChoice> chooseCompute(const ComputeConfig& config, const DecoderConfig& decoder,
                                    const std::optional<std::string>& recordedDtype)
{
    ComputeChoice choice;
    TRY(choice.device, resolveDevice(config.device));
    // The library's own default is one thread for two virtual cores.
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    choice.threads = config.threads > 0 ? config.threads : static_cast<std::int64_t>(cores);
    at::set_num_threads(static_cast<int>(choice.threads));
    choice.deviceId = choice.device.is_cpu() ? "cpu" : fmt::format("cuda:{}", choice.device.index());
    choice.deviceDescription = choice.device.is_cpu()
                                   ? fmt::format("{}, {} threads", processorName(), choice.threads)
                                   : choice.deviceId;
    std::string name = recordedDtype && !recordedDtype->empty() ? *recordedDtype : config.dtype;
    if (name == "auto") {
        if (choice.device.is_cpu()) {
            const auto test = testBfloat16(decoder.width, decoder.mlpWidth);
            name = test.use ? "bfloat16" : "float32";
            choice.reason = test.text;
        } else {
            name = "bfloat16";
            choice.reason = "Computing in bfloat16, the usual type on this device";
        }
    }
    const auto type = scalarType(name);
    if (!type)
        return Error{ErrorCode::Usage, fmt::format("\"{}\" is no compute type", name), "compute.dtype"};
    choice.products = *type;
    choice.weights = *type == at::kDouble ? at::kDouble : at::kFloat;
    choice.dtype = name;
    return choice;
}

} // namespace assay
