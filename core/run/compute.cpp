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

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

namespace assay {

namespace {

/// A faster type must repay its lost digits.
constexpr double kLeastSpeedUp = 1.15;
constexpr double kLargestRelativeError = 0.02;
constexpr std::int64_t kTestTokens = 512;

double secondsOf(const std::function<void()>& work)
{
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
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

Bfloat16Test testBfloat16(std::int64_t width, std::int64_t mlpWidth)
{
    const at::NoGradGuard noGradients;
    const at::Tensor x = at::rand({kTestTokens, width}) - 0.5;
    const at::Tensor weight = at::rand({mlpWidth, width}) - 0.5;
    at::Tensor exact, fast;
    const double plain = secondsOf([&] { exact = at::linear(x, weight); });
    const double short16 =
        secondsOf([&] { fast = at::linear(x.to(at::kBFloat16), weight.to(at::kBFloat16)); });
    Bfloat16Test result;
    result.speedUp = plain / short16;
    result.largestError = ((fast.to(at::kFloat) - exact).abs().max() / exact.abs().max()).item<double>();
    result.use = result.speedUp >= kLeastSpeedUp && result.largestError <= kLargestRelativeError;
    return result;
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
            choice.reason = fmt::format(
                "bfloat16 products are {:.2f} times as fast as float32 at this size, largest error {:.1e}",
                test.speedUp, test.largestError);
        } else {
            name = "bfloat16";
            choice.reason = "bfloat16 is the usual type on this device";
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
