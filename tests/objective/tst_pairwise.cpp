// Bradley-Terry: the golden set's pairs, its gradient against finite differences, and what must not happen.
#include "core/objective/objective.h"
#include "tests/support/golden_json.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <QtTest/QTest>

using namespace assay;
using tests::Json;

namespace {

at::Tensor doubles(const std::vector<double>& values)
{
    return at::tensor(values, at::TensorOptions().dtype(at::kDouble));
}

bool close(double x, double r)
{
    return std::abs(x - r) <= 1e-10 * std::max(1.0, std::abs(r));
}

/// Groups of two, best first: the scores of pair i are 2i and 2i + 1.
Targets pairs(std::size_t count, std::vector<float> margin = {})
{
    Targets targets;
    targets.groupOffsets.push_back(0);
    for (std::size_t i = 0; i < count; ++i) {
        targets.value.insert(targets.value.end(), {1.0F, 0.0F});
        targets.mask.insert(targets.mask.end(), {1, 1});
        targets.rank.insert(targets.rank.end(), {0.0F, 1.0F});
        targets.groupOffsets.push_back(static_cast<std::int32_t>(2 * i + 2));
    }
    targets.margin = std::move(margin);
    return targets;
}

double lossOf(const std::vector<double>& scores, const Targets& targets, double centring = 0.0)
{
    const auto objective = makeObjective("bradley-terry", {.centring = centring}).value();
    const auto sum = objective->loss(doubles(scores).unsqueeze(1), targetTensors(targets, at::kDouble));
    return sum.sum.item<double>() / sum.count;
}

} // namespace

class TestPairwise : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_losses = tests::readJson("golden-trl/losses.json"); }

    void golden_data()
    {
        QTest::addColumn<int>("index");
        if (!m_losses.is_object())
            return;
        const auto& cases = m_losses["cases"];
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::string kind = cases[i]["kind"];
            const bool softmaxOfTwo = kind == "pair_softmax" && cases[i]["inputs"].size() == 2;
            if (kind.starts_with("bradley_terry") || softmaxOfTwo)
                QTest::newRow(cases[i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
        }
    }
    void golden()
    {
        NEED_TEST_DATA("golden-trl");
        QFETCH(int, index);
        const Json& entry = m_losses["cases"][static_cast<std::size_t>(index)];
        const bool named = entry["inputs"].contains("chosen");
        const char *better = named ? "chosen" : "pos", *worse = named ? "rejected" : "neg";
        const auto chosen = tests::numbersOf(entry["inputs"][better]);
        const auto rejected = tests::numbersOf(entry["inputs"][worse]);
        const auto count = static_cast<std::int64_t>(chosen.size());
        at::Tensor scores = at::cat({doubles(chosen), doubles(rejected)}).unsqueeze(1);
        scores.set_requires_grad(true);
        TargetTensors targets;
        targets.better = at::arange(count);
        targets.worse = at::arange(count, 2 * count);
        const auto& params = entry["params"];
        if (params.contains("margin"))
            targets.margin = doubles(tests::numbersOf(params["margin"]));
        if (params.contains("eps"))
            targets.margin = doubles(std::vector<double>(chosen.size(), -params["eps"].get<double>()));
        const auto objective =
            makeObjective("bradley-terry", {.centring = params.value("center_rewards_coefficient", 0.0)})
                .value();
        const auto sum = objective->loss(scores, targets);
        QCOMPARE(sum.count, static_cast<double>(count));
        const at::Tensor mean = sum.sum / sum.count;
        QVERIFY2(close(mean.item<double>(), entry["loss"]), "loss");
        mean.backward();
        auto expected = tests::numbersOf(entry["grad"][better]);
        for (const double value : tests::numbersOf(entry["grad"][worse]))
            expected.push_back(value);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(close(scores.grad()[static_cast<std::int64_t>(i)].item<double>(), expected[i]),
                     "gradient");
    }

    void gradientMatchesFiniteDifferences()
    {
        const Targets targets = pairs(3, {0.5F, 0.0F, 1.25F});
        const std::vector<double> at{1.5, 0.5, 0.2, 0.2, -0.3, 0.4};
        at::Tensor scores = doubles(at).unsqueeze(1);
        scores.set_requires_grad(true);
        const auto objective = makeObjective("bradley-terry", {.centring = 0.1}).value();
        const auto sum = objective->loss(scores, targetTensors(targets, at::kDouble));
        (sum.sum / sum.count).backward();
        constexpr double kStep = 1e-6;
        for (std::size_t i = 0; i < at.size(); ++i) {
            auto up = at, down = at;
            up[i] += kStep;
            down[i] -= kStep;
            const double numeric = (lossOf(up, targets, 0.1) - lossOf(down, targets, 0.1)) / (2.0 * kStep);
            QVERIFY(std::abs(numeric - scores.grad()[static_cast<std::int64_t>(i)].item<double>()) < 1e-8);
        }
    }

    void anOffsetChangesNothingUntilCentred()
    {
        const std::vector<double> scores{1.5, 0.5, -0.25, 0.75};
        std::vector<double> shifted = scores;
        for (auto& score : shifted)
            score += 4.0;
        QVERIFY(close(lossOf(scores, pairs(2)), lossOf(shifted, pairs(2))));
        QVERIFY(std::abs(lossOf(scores, pairs(2), 0.01) - lossOf(shifted, pairs(2), 0.01)) > 0.1);
    }

    void extremeGapsStayFiniteInFloat32()
    {
        const auto objective = makeObjective("bradley-terry", {}).value();
        at::Tensor scores = at::tensor({1e4F, -1e4F, -1e4F, 1e4F}).unsqueeze(1);
        scores.set_requires_grad(true);
        const auto sum = objective->loss(scores, targetTensors(pairs(2), at::kFloat));
        QCOMPARE(sum.sum.item<double>(), 2e4);
        sum.sum.backward();
        const std::vector<float> expected{0.0F, 0.0F, -1.0F, 1.0F};
        for (std::int64_t i = 0; i < 4; ++i)
            QCOMPARE(scores.grad()[i].item<float>(), expected[static_cast<std::size_t>(i)]);
    }

    /// Margins [pairs] against scores [pairs, 1] would silently become a square of losses.
    void marginsDoNotBroadcast()
    {
        const double loss = lossOf({1.0, 0.0, 0.0, 0.0}, pairs(2, {0.5F, 2.0F}));
        const auto one = [](double gap) { return std::log1p(std::exp(-gap)); };
        QVERIFY(close(loss, (one(0.5) + one(-2.0)) / 2.0));
    }

    /// Ranks decide, not the order; of K candidates every two are a pair; a group of one has none.
    void pairsComeFromRanks()
    {
        Targets targets;
        targets.value = {0.0F, 0.0F, 0.0F, 0.0F};
        targets.mask = {1, 1, 1, 1};
        targets.groupOffsets = {0, 1, 4};
        targets.rank = {0.0F, 2.0F, 0.0F, 1.0F};
        const auto tensors = targetTensors(targets, at::kDouble);
        const auto objective = makeObjective("bradley-terry", {}).value();
        QCOMPARE(objective->count(tensors), 3.0);
        const auto one = [](double gap) { return std::log1p(std::exp(-gap)); };
        const double expected = one(2.0 - 1.0) + one(2.0 - 1.5) + one(1.5 - 1.0);
        const auto sum = objective->loss(doubles({9.0, 1.0, 2.0, 1.5}).unsqueeze(1), tensors);
        QVERIFY(close(sum.sum.item<double>(), expected));
        targets.mask[2] = 0; // the best one is not supervised: one pair is left
        QCOMPARE(objective->count(targetTensors(targets, at::kDouble)), 1.0);
    }

    /// Without pairs there is a count of zero for the trainer to refuse, never a loss of NaN.
    void nothingToCompareIsCounted()
    {
        Targets targets = pairs(1);
        targets.mask = {1, 0};
        const auto objective = makeObjective("bradley-terry", {}).value();
        const auto sum =
            objective->loss(doubles({1.0, 2.0}).unsqueeze(1), targetTensors(targets, at::kDouble));
        QCOMPARE(sum.count, 0.0);
        QCOMPARE(sum.sum.item<double>(), 0.0);
    }

private:
    Json m_losses;
};

QTEST_APPLESS_MAIN(TestPairwise)
#include "tst_pairwise.moc"
