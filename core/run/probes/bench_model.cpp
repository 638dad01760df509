#include "core/run/probes/bench_model.h"

#include "core/base/durable_file.h"
#include "core/base/random.h"
#include "core/files/model_place.h"
#include "core/model/model_folder.h"
#include "core/run/compute.h"
#include "core/run/guarded.h"
#include "core/run/preflight/model_memory.h"
#include "core/text/tokenizer.h"
#include "core/train/collate.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <thread>

namespace assay {

namespace {

constexpr std::uintmax_t kLargestText = 1U << 28;
constexpr std::int64_t kMostTokens = 1 << 20; ///< of all texts together
constexpr int kMostRounds = 200;
/// Sides of the square products that the roof is the best of.
constexpr std::int64_t kRoofSides[] = {1024, 2048};

using Work = std::function<void()>;

double secondsOnTheWall(const Work& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct BestTimes
{
    std::vector<double> seconds; ///< [works]
    int rounds = 0;
};

/// All works once a round, so that a machine that changes its pace changes it for all of them. The first
/// round makes pages and kernels and does not count.
Result<BestTimes> timeTogether(const std::vector<Work>& works, double seconds, std::stop_token stop)
{
    BestTimes best;
    best.seconds.assign(works.size(), std::numeric_limits<double>::infinity());
    double spent = 0.0;
    for (int round = 0; round < 2 || (spent < seconds && round < kMostRounds); ++round) {
        for (std::size_t i = 0; i < works.size(); ++i) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "Stopped on request", "bench"};
            const double time = secondsOnTheWall(works[i]);
            spent += time;
            if (round > 0)
                best.seconds[i] = std::min(best.seconds[i], time);
        }
        best.rounds = round;
    }
    return best;
}

/// Keys that a token sees on average, by itself included.
double meanKeys(std::int64_t tokens, std::int64_t window)
{
    const auto whole = static_cast<double>(tokens);
    if (window <= 0 || window >= tokens)
        return (whole + 1.0) / 2.0;
    const auto seen = static_cast<double>(window);
    return (seen * (seen + 1.0) / 2.0 + (whole - seen) * seen) / whole;
}

/// Of the matrix products and of causal attention; embeddings, norms and activations do none worth counting.
std::int64_t operationsPerToken(const DecoderConfig& config, std::int64_t tokens)
{
    const auto states = config.heads * config.headWidth;
    const auto attention =
        config.width * (states + 2 * config.keyValueHeads * config.headWidth) + states * config.width;
    const auto mlp = (config.traits.gatedMlp ? 3 : 2) * config.width * config.mlpWidth;
    double operations = 2.0 * static_cast<double>(config.layers * (attention + mlp));
    for (std::int64_t layer = 0; layer < config.layers; ++layer)
        operations += 4.0 * static_cast<double>(states) * meanKeys(tokens, config.window(layer));
    return static_cast<std::int64_t>(operations);
}

std::vector<LaidOut> randomTexts(const BenchSettings& settings, std::int64_t vocabulary)
{
    RandomStream stream(0, "bench");
    std::vector<LaidOut> rows(static_cast<std::size_t>(settings.texts));
    for (auto& row : rows) {
        const auto length = static_cast<std::int32_t>(settings.tokens);
        Sequence sequence;
        for (std::int32_t i = 0; i < length; ++i)
            sequence.ids.push_back(
                static_cast<TokenId>(stream.below(static_cast<std::uint64_t>(vocabulary))));
        row.sequences.push_back(std::move(sequence));
        row.readOuts.push_back({0, {{length - 1, length}}, Pooling::Last});
        row.scores.push_back({0, -1});
        row.targets.value.push_back(0.0F);
        row.targets.mask.push_back(0);
    }
    return rows;
}

MicroBatch batchOf(const std::vector<LaidOut>& rows, Execution execution, const Backbone& backbone,
                   const ComputeChoice& compute)
{
    CollateOptions options;
    options.execution = execution;
    options.attention = backbone.attention();
    options.device = compute.device;
    std::vector<const LaidOut*> pointers;
    for (const auto& row : rows)
        pointers.push_back(&row);
    return collate(pointers, options);
}

/// A device that works on its own is waited for by reading one number of the result.
void waitFor(const at::Tensor& result)
{
    if (!result.is_cpu())
        result.flatten()[0].cpu();
}

Work forwardWork(const Backbone& backbone, const MicroBatch& batch, at::ScalarType products)
{
    return [&backbone, &batch, products] {
        ForwardOptions forward;
        forward.compute = products;
        for (const auto& unit : batch.units)
            waitFor(backbone.forward(unit.input, forward));
    };
}

Result<ComputeChoice> computeFor(const BenchSettings& settings, const ModelFolder& model)
{
    ComputeConfig config;
    config.device = settings.device;
    config.dtype = settings.dtype;
    config.threads = settings.threads;
    return chooseCompute(config, model.config.decoder);
}

Status checkSizes(const BenchSettings& settings, const ModelLimits& limits)
{
    if (settings.tokens * settings.texts > kMostTokens)
        return Error{ErrorCode::Usage, fmt::format("more than {} tokens at once", kMostTokens), "tokens",
                     "Take fewer or shorter texts"};
    if (limits.lastPosition > 0 && settings.tokens > limits.lastPosition)
        return Error{ErrorCode::Usage, fmt::format("the model has no position after {}", limits.lastPosition),
                     "tokens", fmt::format("Enter at most {}", limits.lastPosition)};
    return {};
}

Status benchForward(ModelBench& bench, const ModelFolder& model, const ComputeChoice& compute,
                    const BenchSettings& settings, std::stop_token stop)
{
    const at::NoGradGuard noGradients;
    const auto rows = randomTexts(settings, model.config.decoder.vocabulary);
    constexpr Execution kExecutions[] = {Execution::Single, Execution::Packed, Execution::Padded};
    std::vector<MicroBatch> batches;
    for (const auto execution : kExecutions)
        batches.push_back(batchOf(rows, execution, *model.backbone, compute));
    std::vector<at::Tensor> sides;
    std::vector<Work> works;
    for (const auto side : kRoofSides)
        sides.push_back(
            at::randn({side, side}, at::TensorOptions(compute.device)).to(compute.products)); // [side, side]
    for (const auto& side : sides)
        works.emplace_back([&side] { waitFor(at::matmul(side, side)); });
    for (const auto& batch : batches)
        works.push_back(forwardWork(*model.backbone, batch, compute.products));
    TRY(const auto best, timeTogether(works, settings.seconds, stop));

    bench.rounds = best.rounds;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto side = static_cast<double>(kRoofSides[i]);
        bench.roofPerSecond = std::max(bench.roofPerSecond, 2.0 * side * side * side / best.seconds[i]);
    }
    bench.operationsPerToken = operationsPerToken(model.config.decoder, settings.tokens);
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const double rate = double(batches[i].tokens) / best.seconds[sides.size() + i];
        bench.forward.push_back({std::string(executionName(kExecutions[i])), rate,
                                 rate * double(bench.operationsPerToken) / bench.roofPerSecond});
    }
    return {};
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Every `threads`-th line for each of them.
void encodeWith(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines, std::int64_t threads)
{
    const auto work = [&](std::size_t first) {
        for (std::size_t i = first; i < lines.size(); i += static_cast<std::size_t>(threads))
            tokenizer.encode(lines[i]);
    };
    std::vector<std::jthread> others;
    for (std::int64_t i = 1; i < threads; ++i)
        others.emplace_back(work, static_cast<std::size_t>(i));
    work(0);
}

Status benchTokenizer(ModelBench& bench, const Tokenizer& tokenizer, const BenchSettings& settings,
                      std::int64_t threads, std::stop_token stop)
{
    TRY(const auto text, readFile(settings.tokenized, kLargestText));
    const auto lines = linesOf(text);
    for (const auto line : lines) {
        bench.tokenizedBytes += static_cast<std::int64_t>(line.size());
        bench.tokenizedTokens += static_cast<std::int64_t>(tokenizer.encode(line).size());
    }
    if (bench.tokenizedTokens == 0)
        return Error{ErrorCode::Usage, "has no text", settings.tokenized, "Name a file with lines of text"};
    std::vector<std::int64_t> counts{1};
    if (threads > 1)
        counts.push_back(threads);
    std::vector<Work> works;
    for (const auto count : counts)
        works.emplace_back([&tokenizer, &lines, count] { encodeWith(tokenizer, lines, count); });
    TRY(const auto best, timeTogether(works, settings.seconds, stop));
    for (std::size_t i = 0; i < counts.size(); ++i)
        bench.tokenizer.push_back({counts[i], double(bench.tokenizedBytes) / best.seconds[i]});
    return {};
}

std::int64_t peakProcessBytes()
{
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? std::int64_t{usage.ru_maxrss} * 1024 : 0;
}

} // namespace

Result<ModelBench> benchModel(const std::filesystem::path& place, const BenchSettings& settings,
                              std::stop_token stop)
{
    return guarded<ModelBench>([&]() -> Result<ModelBench> {
        TRY(const auto folder, findModel(place));
        TRY_STATUS(checkModelFits(folder, {}, ModelUse::Scoring));
        ModelBench bench;
        const auto start = std::chrono::steady_clock::now();
        TRY(auto model, openModelFolder(folder, at::kFloat, MissingHead::Allow));
        const auto tokenizer = openTokenizer(folder);
        if (!tokenizer && !settings.tokenized.empty())
            return tokenizer.error();
        bench.openSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        TRY_STATUS(checkSizes(settings, model.config.limits()));
        TRY(const auto compute, computeFor(settings, model));
        if (!compute.device.is_cpu() || compute.weights != at::kFloat) {
            TRY(model, openModelFolder(folder, compute.weights, MissingHead::Allow, compute.device,
                                       model.weightsHash));
        }
        bench.device = compute.deviceDescription;
        bench.dtype = compute.dtype;
        bench.vocabulary = tokenizer ? (*tokenizer)->vocabularySize() : 0;
        for (const auto& parameter : model.backbone->parameters())
            bench.parameters += parameter.tensor.numel();
        TRY_STATUS(benchForward(bench, model, compute, settings, stop));
        if (!settings.tokenized.empty())
            TRY_STATUS(benchTokenizer(bench, **tokenizer, settings, compute.threads, stop));
        bench.peakBytes = peakProcessBytes();
        return bench;
    });
}

} // namespace assay
