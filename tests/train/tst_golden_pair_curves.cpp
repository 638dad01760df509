// Pairs: rewards at the initial weights and whole training curves against an independent float64 loop.
#include "core/data/format.h"
#include "core/eval/pairs/pair_metrics.h"
#include "core/text/layout.h"
#include "tests/train/golden_curves.h"

#include <QtTest/QTest>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr const char* kPairs = "pref-hh-rlhf/harmless-base.jsonl.gz";

Result<std::unique_ptr<RewardModel>> pairModel(at::ScalarType type)
{
    return storiesModel(type, "pair-scalar", "rm_head_init.safetensors");
}

/// How a run of the golden set reads its pairs.
struct PairRules
{
    bool margins = false;
    bool padIsEos = false; ///< the reward is read at the rightmost token that is not EOS
};

/// The pairs of the file as the reference trainer prepares them.
class PairRows
{
public:
    static Result<PairRows> open(PairRules rules)
    {
        PairRows rows;
        rows.m_rules = rules;
        TRY(rows.m_dataset, openDataset((testData() / kPairs).string(), {}));
        TRY(rows.m_tokenizer, openTokenizer(testData() / "derived-stories260k-hf"));
        LayoutOptions options;
        options.name = "trl-pairwise";
        options.maximumTokens = 256;
        TRY(rows.m_layout, makeLayout(options, rows.m_tokenizer));
        return rows;
    }

    Result<LaidOut> row(std::int64_t index) const
    {
        TRY(auto row, m_layout->layOut(m_dataset->at(index), true));
        if (m_rules.margins && !row.empty())
            row.targets.margin = {0.25F * static_cast<float>(index % 4)};
        for (auto& readOut : row.readOuts) {
            const auto& ids = row.sequences[static_cast<std::size_t>(readOut.sequence)].ids;
            auto end = static_cast<std::int32_t>(ids.size());
            while (m_rules.padIsEos && end > 1 &&
                   ids[static_cast<std::size_t>(end) - 1] == *m_tokenizer->special().eos)
                --end;
            readOut.spans = {{end - 1, end}};
        }
        return row;
    }

private:
    PairRules m_rules;
    DatasetPtr m_dataset;
    TokenizerPtr m_tokenizer;
    LayoutPtr m_layout;
};

} // namespace

class TestGoldenPairCurves : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_curves = readJson("golden-trl/training_curves.json"); }

    void initialScores_data()
    {
        QTest::addColumn<int>("execution");
        for (const auto execution :
             {Execution::Single, Execution::Packed, Execution::Merged, Execution::Padded})
            QTest::newRow(std::string(executionName(execution)).c_str()) << static_cast<int>(execution);
    }
    void initialScores()
    {
        NEED_TEST_DATA("golden-trl");
        QFETCH(int, execution);
        const auto reference = readJson("golden-trl/initial_scores.json");
        const auto model = pairModel(at::kFloat);
        QVERIFY_RESULT(model);
        const auto objective = makeObjective("bradley-terry", {}).value();
        double worst = 0.0;
        for (const bool padIsEos : {false, true}) {
            const auto rows = PairRows::open({.padIsEos = padIsEos});
            QVERIFY_RESULT(rows);
            const char* key = padIsEos ? "score_at_last_content_token" : "score_at_eos";
            for (const auto& entry : reference["pairs"]) {
                const auto row = rows->row(entry["row"]);
                QVERIFY_RESULT(row);
                QCOMPARE(row->sequences.size(), std::size_t{2});
                const LaidOut* pointer = &*row;
                const auto scored = scoreBatch(
                    **model, objective.get(),
                    collate({&pointer, 1}, goldenCollation(static_cast<Execution>(execution), at::kFloat)),
                    {});
                for (std::size_t side = 0; side < 2; ++side) {
                    QCOMPARE(row->sequences[side].ids.size(), entry["tokens"][side].get<std::size_t>());
                    worst = std::max(
                        worst, std::abs(scored.scores[static_cast<std::int64_t>(side)][0].item<double>() -
                                        entry[key][side].get<double>()));
                }
                if (!padIsEos)
                    QVERIFY(std::abs(scored.lossSum - entry["loss_at_eos"].get<double>()) < 1e-5);
            }
        }
        qInfo("largest difference of a reward: %.2e", worst);
        QVERIFY(worst <= 1e-5);
    }

    void runs_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("exact");
        const auto runs = m_curves.is_object() ? m_curves["runs"] : Json::object();
        for (const auto& [name, run] : runs.items()) {
            if (run["options"].value("kind", "") != "rm")
                continue;
            // Float64 where a margin, the centring and the read-out are at their most unusual.
            const bool alsoExact = name == "rm_margin_center";
            for (const bool exact : alsoExact ? std::vector<bool>{false, true} : std::vector<bool>{false})
                QTest::newRow((name + (exact ? ", float64" : ", float32")).c_str())
                    << QString::fromStdString(name) << exact;
        }
    }
    void runs()
    {
        NEED_TEST_DATA("golden-trl");
        QFETCH(QString, name);
        QFETCH(bool, exact);
        const auto& run = m_curves["runs"][name.toStdString()];
        const auto& options = run["options"];
        const auto rows =
            PairRows::open({.margins = options.value("margin", false), .padIsEos = options.contains("pad")});
        QVERIFY_RESULT(rows);
        const auto type = exact ? at::kDouble : at::kFloat;
        auto model = pairModel(type);
        QVERIFY_RESULT(model);
        const auto objective =
            makeObjective("bradley-terry", {.centring = options.value("center", 0.0)}).value();
        compareEvaluation(**model, *rows, *objective, run["right"]["eval_before"], type, exact ? 1e-9 : 1e-5);
        const auto curve = trainGolden(
            run, std::move(*model), [&](std::int64_t row) { return rows->row(row).value(); }, *objective,
            type, exact ? Execution::Single : Execution::Merged);
        compareCurve(curve, run["right"],
                     exact ? std::vector<Tolerance>{{1e-8, 1e-8, 20}}
                           : std::vector<Tolerance>{{1e-6, 1e-6, 1}, {1e-5, 2e-4, 5}, {1e-4, 1e-4, 20}});
        compareWeights(*curve.model, run["probe_final_float64"]["values"], exact ? 1e-7 : 2e-4);
        compareEvaluation(*curve.model, *rows, *objective, run["right"]["eval_after"], type,
                          exact ? 1e-7 : 1e-3);
    }

    /// An over-long pair is dropped, never cut; the golden set names the rows that stay.
    void longPairsAreDropped()
    {
        NEED_TEST_DATA("golden-trl");
        const auto rows = PairRows::open({});
        QVERIFY_RESULT(rows);
        const auto& pairs = m_curves["rows"]["pairs"];
        std::vector<std::int64_t> kept;
        for (std::int64_t index = pairs["offered_rows"][0]; index <= pairs["offered_rows"][1]; ++index) {
            const auto row = rows->row(index);
            QVERIFY_RESULT(row);
            if (!row->empty())
                kept.push_back(index);
        }
        QCOMPARE(kept, pairs["kept_rows"].get<std::vector<std::int64_t>>());
    }

private:
    void compareEvaluation(const RewardModel& model, const PairRows& rows, const Objective& objective,
                           const Json& expected, at::ScalarType type, double tolerance)
    {
        const auto& evaluationRows = m_curves["rows"]["pairs"]["eval_rows"];
        double sum = 0.0, count = 0.0;
        std::vector<double> chosen, rejected;
        for (const auto& index : evaluationRows) {
            const auto row = rows.row(index).value();
            const LaidOut* pointer = &row;
            ForwardOptions forward;
            forward.compute = type;
            const auto scored = scoreBatch(
                model, &objective, collate({&pointer, 1}, goldenCollation(Execution::Merged, type)), forward);
            sum += scored.lossSum;
            count += scored.lossCount;
            chosen.push_back(scored.scores[0][0].item<double>());
            rejected.push_back(scored.scores[1][0].item<double>());
        }
        const auto metrics = pairMetrics(chosen, rejected);
        QCOMPARE(static_cast<int>(count), expected["n"].get<int>());
        QCOMPARE(*metrics.accuracy.value, expected["accuracy"].get<double>());
        QVERIFY2(std::abs(sum / count - expected["loss"].get<double>()) <= tolerance, "evaluation loss");
        QVERIFY2(std::abs(*metrics.meanMargin.value - expected["margin"].get<double>()) <= tolerance,
                 "margin");
        QVERIFY2(std::abs(*metrics.rewardMean.value - expected["mean_reward"].get<double>()) <= tolerance,
                 "mean reward");
    }

    Json m_curves;
};

QTEST_APPLESS_MAIN(TestGoldenPairCurves)
#include "tst_golden_pair_curves.moc"
