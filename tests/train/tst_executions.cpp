// The first thing to hold for every backbone: four executions, one result (DESIGN §1).
#include "core/objective/objective.h"
#include "core/train/collate.h"
#include "core/train/trainer.h"
#include "tests/support/random_rows.h"
#include "tests/support/tiny_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <numeric>

using namespace assay;

namespace {

/// Scores and parameter gradients of one execution.
struct Outcome
{
    at::Tensor scores;
    std::map<std::string, at::Tensor> gradients;
};

Outcome compute(const RewardModel& model, const std::vector<LaidOut>& rows, const CollateOptions& options,
                bool recompute = false)
{
    const bool pairs = !rows.front().targets.groupOffsets.empty();
    const auto objective =
        makeObjective(pairs ? "bradley-terry" : "cross-entropy", {.centring = 0.01}).value();
    const auto batch = collate(tests::pointers(rows), options);
    for (auto parameter : model.parameters())
        parameter.tensor.mutable_grad().reset();
    Outcome outcome;
    std::vector<at::Tensor> scores;
    ForwardOptions forward;
    forward.compute = options.scoreType;
    forward.recompute = recompute;
    for (const auto& unit : batch.units) {
        const at::Tensor part = model.scores(unit.input, unit.readOuts, forward);
        objective->loss(part, unit.targets).sum.backward();
        scores.push_back(part.detach());
    }
    outcome.scores = at::cat(scores).to(at::kDouble);
    for (const auto& parameter : model.parameters())
        outcome.gradients[parameter.name] = parameter.tensor.grad().to(at::kDouble).clone();
    return outcome;
}

/// Largest difference, relative to max(1, largest reference value), over scores and every gradient.
double difference(const Outcome& outcome, const Outcome& reference)
{
    const auto relative = [](const at::Tensor& a, const at::Tensor& b) {
        return (a - b).abs().max().item<double>() / std::max(1.0, b.abs().max().item<double>());
    };
    double largest = relative(outcome.scores, reference.scores);
    for (const auto& [name, gradient] : reference.gradients)
        largest = std::max(largest, relative(outcome.gradients.at(name), gradient));
    return largest;
}

struct Case
{
    const char* name;
    CollateOptions options;
};

std::vector<Case> cases(at::ScalarType type)
{
    const auto with = [type](Execution execution, PaddingSide side = PaddingSide::Right,
                             std::int64_t pairs = kBatchedPartPairs, std::int32_t shared = 1) {
        CollateOptions options;
        options.execution = execution;
        options.paddingSide = side;
        options.minimumShared = shared;
        options.batchedPairs = pairs;
        options.scoreType = type;
        return options;
    };
    return {{"single", with(Execution::Single)},
            {"packed, batched", with(Execution::Packed)},
            {"packed, fused", with(Execution::Packed, PaddingSide::Right, 0)},
            {"merged, batched", with(Execution::Merged)},
            {"merged, fused", with(Execution::Merged, PaddingSide::Right, 0)},
            {"merged, mixed", with(Execution::Merged, PaddingSide::Right, 12)},
            {"merged above a minimum", with(Execution::Merged, PaddingSide::Right, kBatchedPartPairs, 4)},
            {"left padded", with(Execution::Padded, PaddingSide::Left)},
            {"padded", with(Execution::Padded)}};
}

constexpr int kForests = 200;
constexpr double kTolerance = 1e-5;

} // namespace

class TestExecutions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// fp32 against a float64 reference on deep tries, every second one with single-token segments.
    void agreeWithFloat64()
    {
        const auto model = tests::tinyModel();
        const auto exact = tests::tinyModel({.type = at::kDouble});
        RandomStream random(11, "executions");
        std::map<std::string, double> largest;
        for (int round = 0; round < kForests; ++round) {
            const auto rows =
                tests::randomTree(random, {.sequences = static_cast<std::int32_t>(random.between(2, 9)),
                                           .longestEdge = round % 2 ? 1 : 8,
                                           .deeper = 0.85});
            auto reference = cases(at::kDouble).front();
            const auto expected = compute(*exact, rows, reference.options);
            for (const auto& entry : cases(at::kFloat)) {
                auto& worst = largest[entry.name];
                worst = std::max(worst, difference(compute(*model, rows, entry.options), expected));
            }
        }
        for (const auto& [name, value] : largest) {
            qInfo("%s: largest difference %.2e of max(1, reference) over %d forests", name.c_str(), value,
                  kForests);
            QVERIFY2(value <= kTolerance, name.c_str());
        }
        for (const auto& name : {"merged, batched", "merged, fused", "merged, mixed"})
            QVERIFY2(largest[name] <= 2.0 * largest["padded"], name);
    }

    void float64AgreesToItsOwnPrecision()
    {
        const auto model = tests::tinyModel({.type = at::kDouble});
        RandomStream random(12, "executions");
        for (int round = 0; round < 20; ++round) {
            const auto rows = tests::randomTree(random, {.sequences = 7, .longestEdge = 5, .deeper = 0.9});
            const auto expected = compute(*model, rows, cases(at::kDouble).front().options);
            for (const auto& entry : cases(at::kDouble))
                QVERIFY2(difference(compute(*model, rows, entry.options), expected) < 1e-11, entry.name);
        }
    }

    /// Every family of the table, with windows shorter than most paths in every second layer.
    void familiesAgree_data()
    {
        QTest::addColumn<QByteArray>("family");
        QTest::addColumn<int>("window");
        for (const auto& family : families()) {
            const auto type = QByteArray::fromStdString(family.modelTypes.front());
            for (const int window : {0, 3})
                if (window == 0 || !family.window.size.empty())
                    QTest::addRow("%s, window %d", type.constData(), window) << type << window;
        }
    }
    void familiesAgree()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, window);
        tests::TinyModelOptions options{.family = family.constData(), .window = window};
        const auto model = tests::tinyModel(options);
        options.type = at::kDouble;
        const auto exact = tests::tinyModel(options);
        RandomStream random(18, family.constData());
        double worst = 0.0;
        for (int round = 0; round < 20; ++round) {
            const auto rows =
                tests::randomTree(random, {.sequences = static_cast<std::int32_t>(random.between(2, 9)),
                                           .longestEdge = round % 2 ? 1 : 8,
                                           .deeper = 0.85});
            auto reference = cases(at::kDouble).front().options;
            reference.attention = exact->backbone().attention();
            const auto expected = compute(*exact, rows, reference);
            for (auto& entry : cases(at::kFloat)) {
                entry.options.attention = model->backbone().attention();
                const double own = difference(compute(*model, rows, entry.options), expected);
                QVERIFY2(own <= kTolerance,
                         qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(entry.name)).arg(own)));
                worst = std::max(worst, own);
            }
        }
        qInfo("largest difference %.2e", worst);
    }

    /// What a window cuts off has no influence, in any execution, and what it keeps has.
    void aWindowCuts_data() { familiesAgree_data(); }
    void aWindowCuts()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, window);
        const auto model = tests::tinyModel({.layers = 1, .family = family.constData(), .window = window});
        std::vector<TokenId> ids(9);
        std::iota(ids.begin(), ids.end(), 1);
        for (auto& entry : cases(at::kFloat)) {
            entry.options.attention = model->backbone().attention();
            const auto scores = [&] {
                const std::vector<LaidOut> rows{tests::pairOf(ids, {1, 2, 3})};
                const auto batch = collate(tests::pointers(rows), entry.options);
                const at::NoGradGuard noGradients;
                ForwardOptions forward;
                return model->scores(batch.units[0].input, batch.units[0].readOuts, forward)
                    .flatten()[0]
                    .item<float>();
            };
            const float before = scores();
            ids[5] = 40; // three before the last, which sees itself and two more
            const bool far = scores() != before;
            ids[5] = 6;
            ids[6] = 40;
            const bool near = scores() != before;
            ids[6] = 7;
            QCOMPARE(far, window == 0);
            QVERIFY2(near, entry.name);
        }
    }

    /// The same for pairs; the prompt that both answers share is computed once.
    void pairsAgreeWithFloat64()
    {
        tests::TinyModelOptions options{.head = "pair-scalar"};
        const auto model = tests::tinyModel(options);
        options.type = at::kDouble;
        const auto exact = tests::tinyModel(options);
        RandomStream random(17, "pairs");
        std::map<std::string, double> largest;
        for (int round = 0; round < 60; ++round) {
            const auto rows = tests::randomPairs(random, static_cast<std::int32_t>(random.between(1, 5)));
            const auto expected = compute(*exact, rows, cases(at::kDouble).front().options);
            for (const auto& entry : cases(at::kFloat)) {
                auto& worst = largest[entry.name];
                worst = std::max(worst, difference(compute(*model, rows, entry.options), expected));
            }
        }
        for (const auto& [name, value] : largest) {
            qInfo("%s: largest difference %.2e of max(1, reference)", name.c_str(), value);
            QVERIFY2(value <= kTolerance, name.c_str());
        }
    }

    void aSharedPromptIsComputedOnce()
    {
        std::vector<TokenId> prompt(40), chosen(5, 3), rejected(7, 4);
        std::iota(prompt.begin(), prompt.end(), 1);
        chosen.insert(chosen.begin(), prompt.begin(), prompt.end());
        rejected.insert(rejected.begin(), prompt.begin(), prompt.end());
        const std::vector<LaidOut> rows{tests::pairOf(chosen, rejected)};
        auto options = cases(at::kFloat)[3].options;
        options.minimumShared = kMinimumSharedTokens;
        const auto merged = collate(tests::pointers(rows), options);
        QCOMPARE(merged.tokens, 92);
        QCOMPARE(merged.computedTokens, 52);
        options.execution = Execution::Packed;
        QCOMPARE(collate(tests::pointers(rows), options).computedTokens, 92);
    }

    /// Offsets, ranks and margins of rows are renumbered, whatever the execution.
    void pairsSurviveCollation()
    {
        const std::vector<LaidOut> rows{tests::pairOf({1, 2, 3}, {1, 2}),
                                        tests::pairOf({1, 4}, {1, 5, 6, 7}, 0.75F)};
        for (const auto& entry : cases(at::kFloat)) {
            const auto batch = collate(tests::pointers(rows), entry.options);
            const auto& last = batch.units.back().targets;
            const std::int64_t before = batch.units.size() == 1 ? 2 : 0;
            const auto pair = last.better.size(0) - 1;
            QCOMPARE(last.better[pair].item<std::int64_t>(), before);
            QCOMPARE(last.worse[pair].item<std::int64_t>(), before + 1);
            QCOMPARE(last.margin[pair].item<float>(), 0.75F);
        }
    }

    void recomputingChangesNothing()
    {
        const auto model = tests::tinyModel();
        RandomStream random(13, "executions");
        const auto rows = tests::randomTree(random, {.sequences = 8});
        const auto options = cases(at::kFloat)[3].options;
        QCOMPARE(difference(compute(*model, rows, options, true), compute(*model, rows, options, false)),
                 0.0);
    }

    void orderOfRowsDoesNotMatter()
    {
        const auto model = tests::tinyModel({.type = at::kDouble});
        RandomStream random(14, "executions");
        auto rows = tests::randomTree(random, {.sequences = 6});
        const auto options = cases(at::kDouble)[3].options;
        const auto before = compute(*model, rows, options);
        std::rotate(rows.begin(), rows.begin() + 2, rows.end());
        const auto after = compute(*model, rows, options);
        for (const auto& [name, gradient] : before.gradients)
            QVERIFY((after.gradients.at(name) - gradient).abs().max().item<double>() < 1e-11);
    }

    /// A wrong mask must be seen: attending to one token more moves the result far beyond the tolerance.
    void theComparisonCanFail()
    {
        const auto model = tests::tinyModel();
        RandomStream random(15, "executions");
        auto rows = tests::randomTree(random, {.sequences = 4, .longestEdge = 6});
        const auto options = cases(at::kFloat)[1].options;
        const auto before = compute(*model, rows, options);
        rows[0].sequences[0].ids[0] = 2;
        QVERIFY(difference(compute(*model, rows, options), before) > 100 * kTolerance);
    }

    /// Central differences in float64 along random directions, through head, backbone and merged attention.
    void gradientsMatchFiniteDifferences_data() { familiesAgree_data(); }
    void gradientsMatchFiniteDifferences()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, window);
        const auto model = tests::tinyModel({.width = 16,
                                             .layers = 1,
                                             .heads = 2,
                                             .keyValueHeads = 1,
                                             .mlpWidth = 24,
                                             .type = at::kDouble,
                                             .scale = 4.0,
                                             .family = family.constData(),
                                             .window = window});
        RandomStream random(16, "gradients");
        const auto rows = tests::randomTree(random, {.sequences = 6, .longestEdge = 3, .deeper = 0.9});
        auto options = cases(at::kDouble)[5].options;
        options.attention = model->backbone().attention();
        const auto analytic = compute(*model, rows, options);
        const auto objective = makeObjective("cross-entropy", {}).value();
        ForwardOptions forward;
        forward.compute = at::kDouble;
        const auto loss = [&] {
            const at::NoGradGuard noGradients;
            const auto batch = collate(tests::pointers(rows), options);
            return objective
                ->loss(model->scores(batch.units[0].input, batch.units[0].readOuts, forward),
                       batch.units[0].targets)
                .sum.item<double>();
        };
        constexpr double kStep = 1e-5;
        for (const auto& parameter : model->parameters()) {
            const at::NoGradGuard noGradients;
            at::Tensor direction =
                at::empty(parameter.tensor.sizes(), at::TensorOptions().dtype(at::kDouble));
            for (std::int64_t i = 0; i < direction.numel(); ++i)
                direction.data_ptr<double>()[i] = random.normal();
            at::Tensor weights = parameter.tensor.detach();
            weights.add_(direction, kStep);
            const double up = loss();
            weights.add_(direction, -2.0 * kStep);
            const double down = loss();
            weights.add_(direction, kStep);
            const double numeric = (up - down) / (2.0 * kStep);
            const double exact = (analytic.gradients.at(parameter.name) * direction).sum().item<double>();
            QVERIFY2(std::abs(numeric - exact) <= 1e-6 * std::max(1.0, std::abs(exact)),
                     parameter.name.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestExecutions)
#include "tst_executions.moc"
