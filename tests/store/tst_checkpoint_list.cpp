// Which checkpoint is the newest, the best, the final one, and which the policy may delete.
#include "core/config/fields.h"
#include "core/eval/metric_direction.h"
#include "core/store/checkpoint_list.h"

#include <QtTest/QTest>

using namespace assay;
using Steps = QList<int>;
using Values = QMap<int, double>;

namespace {

std::vector<CheckpointRecord> recordsOf(const Steps& steps, bool final)
{
    std::vector<CheckpointRecord> records;
    for (const int step : steps) {
        CheckpointRecord record;
        record.id = static_cast<std::int64_t>(records.size()) + 1;
        record.step = step;
        records.push_back(record);
    }
    if (!records.empty())
        records.back().final = final;
    return records;
}

EvaluationRecord evaluationOf(std::int64_t id, std::int64_t step, double auroc, const std::string& data = {})
{
    EvaluationRecord record;
    record.id = id;
    record.step = step;
    record.data = data;
    record.report.metrics.push_back({"auroc", "AUROC", auroc, {}, {}, {}, {}});
    record.report.metrics.push_back({"loss", "Loss", 1.0 - auroc, {}, {}, {}, {}});
    return record;
}

int bestStep(const CheckpointList& list)
{
    for (const auto& row : list.rows)
        if (row.best)
            return static_cast<int>(row.record.step);
    return -1;
}

} // namespace

class TestCheckpointList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void deletesWhatThePolicyDoesNotKeep_data()
    {
        QTest::addColumn<Steps>("saved");
        QTest::addColumn<Values>("auroc");
        QTest::addColumn<int>("keepLast"); // 0 = none: all
        QTest::addColumn<bool>("keepBest");
        QTest::addColumn<bool>("final");
        QTest::addColumn<Steps>("deleted");
        const Steps saved{10, 20, 30, 40, 50};
        const Values rising{{10, 0.5}, {20, 0.6}, {30, 0.7}, {40, 0.8}, {50, 0.9}};
        const Values early{{10, 0.5}, {20, 0.9}, {30, 0.7}, {40, 0.8}, {50, 0.8}};
        QTest::newRow("keeps all") << saved << rising << 0 << true << false << Steps{};
        QTest::newRow("newest two") << saved << rising << 2 << true << false << Steps{10, 20, 30};
        QTest::newRow("and the best") << saved << early << 2 << true << false << Steps{10, 30};
        QTest::newRow("not the best") << saved << early << 2 << false << false << Steps{10, 20, 30};
        QTest::newRow("final counts as the newest")
            << saved << early << 1 << true << true << Steps{10, 30, 40};
        QTest::newRow("nothing evaluated") << saved << Values{} << 3 << true << false << Steps{10, 20};
        QTest::newRow("best of those that were saved")
            << saved << Values{{15, 0.99}, {30, 0.7}, {40, 0.6}} << 1 << true << false << Steps{10, 20, 40};
        QTest::newRow("fewer than are kept") << Steps{10} << rising << 3 << true << false << Steps{};
        QTest::newRow("none") << Steps{} << rising << 3 << true << false << Steps{};
        QTest::newRow("saved twice") << Steps{10, 20, 20} << rising << 5 << true << false << Steps{20};
    }
    void deletesWhatThePolicyDoesNotKeep()
    {
        QFETCH(Steps, saved);
        QFETCH(Values, auroc);
        QFETCH(int, keepLast);
        QFETCH(bool, keepBest);
        QFETCH(bool, final);
        QFETCH(Steps, deleted);
        CheckpointConfig policy;
        policy.keepLast = keepLast > 0 ? std::optional<std::int64_t>(keepLast) : std::nullopt;
        policy.keepBest = keepBest;
        std::map<std::int64_t, double> values;
        for (auto value = auroc.begin(); value != auroc.end(); ++value)
            values[value.key()] = value.value();
        const auto records = recordsOf(saved, final);
        Steps found;
        for (const auto& record : expendable(listCheckpoints(records, "auroc", values), policy)) {
            found.append(static_cast<int>(record.step));
            QVERIFY(record.id != static_cast<std::int64_t>(records.size())); // a resume needs the newest
        }
        QCOMPARE(found, deleted);
    }

    void knowsWhichSideIsBetter()
    {
        const auto records = recordsOf({10, 20, 30}, false);
        const std::map<std::int64_t, double> values{{10, 0.2}, {20, 0.9}, {30, 0.5}};
        QCOMPARE(bestStep(listCheckpoints(records, "auroc", values)), 20);
        QCOMPARE(bestStep(listCheckpoints(records, "loss", values)), 10);
        QCOMPARE(bestStep(listCheckpoints(records, "base_rate", values)), -1);
    }

    void ofEqualOnesTheEarliestIsBest()
    {
        const std::map<std::int64_t, double> values{{10, 0.9}, {20, 0.9}, {30, 0.5}};
        QCOMPARE(bestStep(listCheckpoints(recordsOf({10, 20, 30}, false), "auroc", values)), 10);
    }

    /// `assay eval --data` scores other rows with a run's checkpoints; that says nothing about which is best.
    void otherPeoplesRowsDoNotDecide()
    {
        const auto records = recordsOf({10, 20}, false);
        const std::vector evaluations{evaluationOf(1, 10, 0.8), evaluationOf(2, 20, 0.7),
                                      evaluationOf(3, 20, 0.99, "others.jsonl")};
        CheckpointConfig policy;
        auto list = listCheckpoints(records, policy, evaluations);
        QCOMPARE(bestStep(list), 10);
        QCOMPARE(list.metricTitle, std::string("AUROC"));
        QCOMPARE(*list.rows[1].value, 0.7);
        QVERIFY(list.rows[1].newest && !list.rows[0].newest);
        policy.bestMetric = "loss";
        QCOMPARE(bestStep(listCheckpoints(records, policy, evaluations)), 10);
    }

    /// Every metric that the form offers has a side that is better.
    void everyChoiceCanBeBest()
    {
        for (const char* id : {"checkpoint.best_metric", "schedule.stop_metric"}) {
            const auto* field = findField(id);
            QVERIFY(field && field->choices.size() > 5);
            for (const auto& choice : field->choices)
                QVERIFY2(choice == "auto" || betterValue(choice), std::string(choice).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestCheckpointList)
#include "tst_checkpoint_list.moc"
