// Measures, as ratios inside one run, what decides kMinimumSharedTokens and kBatchedPartPairs.
#include "core/objective/objective.h"
#include "core/train/collate.h"
#include "core/train/trainer.h"
#include "tests/support/random_rows.h"
#include "tests/support/tiny_model.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace assay;

namespace {

std::vector<LaidOut> rowsWith(std::int32_t count, std::int32_t shared, std::int32_t own)
{
    RandomStream random(1, "bench");
    std::vector<TokenId> prefix;
    for (std::int32_t i = 0; i < shared; ++i)
        prefix.push_back(static_cast<TokenId>(random.between(1, 49)));
    std::vector<LaidOut> rows;
    for (std::int32_t i = 0; i < count; ++i) {
        LaidOut row;
        Sequence sequence;
        sequence.ids = prefix;
        sequence.ids.push_back(static_cast<TokenId>(1 + i % 49));
        for (std::int32_t t = 1; t < own; ++t)
            sequence.ids.push_back(static_cast<TokenId>(random.between(1, 49)));
        const auto end = static_cast<std::int32_t>(sequence.ids.size());
        row.sequences.push_back(std::move(sequence));
        row.readOuts.push_back({0, {{end - 1, end}}, Pooling::Last});
        row.scores.push_back({0, -1});
        row.targets.value.push_back(1.0F);
        row.targets.mask.push_back(1);
        row.scoreStep.push_back(0);
        rows.push_back(std::move(row));
    }
    return rows;
}

double seconds(const RewardModel& model, const std::vector<LaidOut>& rows, const CollateOptions& options,
               at::ScalarType type)
{
    const auto objective = makeObjective("cross-entropy", {}).value();
    const auto batch = collate(tests::pointers(rows), options);
    ForwardOptions forward;
    forward.compute = type;
    const auto start = std::chrono::steady_clock::now();
    for (const auto& unit : batch.units)
        objective->loss(model.scores(unit.input, unit.readOuts, forward), unit.targets).sum.backward();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Median of B / A over interleaved pairs.
double ratio(const RewardModel& model, const std::vector<LaidOut>& rows, const CollateOptions& a,
             const CollateOptions& b, at::ScalarType type)
{
    std::vector<double> ratios;
    for (int i = 0; i < 7; ++i) {
        const double first = seconds(model, rows, a, type);
        ratios.push_back(seconds(model, rows, b, type) / first);
    }
    std::sort(ratios.begin(), ratios.end());
    return ratios[3];
}

} // namespace

int main()
{
    for (const std::int64_t width : {std::int64_t(128), std::int64_t(512)}) {
        const auto model = tests::tinyModel({.width = width,
                                             .layers = 4,
                                             .heads = width / 32,
                                             .keyValueHeads = width / 64,
                                             .mlpWidth = width * 8 / 3,
                                             .scale = 1.0});
        for (const auto type : {at::kFloat, at::kBFloat16}) {
            std::printf("width %ld, %s, %d threads\n", width, type == at::kFloat ? "float32" : "bfloat16",
                        at::get_num_threads());
            for (const std::int32_t shared : {1, 4, 8, 16, 32, 64, 128}) {
                CollateOptions packed, merged;
                packed.execution = Execution::Packed;
                merged.minimumShared = 1;
                std::printf("  2 rows share %3d of %3d tokens: merged/packed %.2f; 8 rows: %.2f\n", shared,
                            shared + 40, ratio(*model, rowsWith(2, shared, 40), packed, merged, type),
                            ratio(*model, rowsWith(8, shared, 40), packed, merged, type));
            }
            for (const std::int32_t length : {16, 32, 64, 128, 192, 256, 384, 512}) {
                CollateOptions batched, fused;
                batched.execution = fused.execution = Execution::Packed;
                batched.batchedPairs = std::int64_t(1) << 40;
                fused.batchedPairs = 0;
                std::printf("  8 rows of %3d tokens: fused/batched %.2f\n", length,
                            ratio(*model, rowsWith(8, 0, length), batched, fused, type));
            }
        }
    }
}
