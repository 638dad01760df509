// Layout, head and loss fit together, by themselves or with a sentence.
#include "core/config/fields.h"
#include "core/config/task.h"

#include <QtTest/QTest>

#include <algorithm>

using namespace assay;

namespace {

ExperimentConfig experiment(const QString& layout, const QString& head, const QString& objective)
{
    ExperimentConfig config;
    config.data.train = "rows.jsonl";
    config.backbone.folder = "model";
    config.layout.name = layout.toStdString();
    config.head.kind = head.toStdString();
    config.objective.name = objective.toStdString();
    return config;
}

} // namespace

class TestTask : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void combinations_data()
    {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("objective");
        QTest::addColumn<QString>("headTaken"); // empty = refused
        QTest::addColumn<QString>("objectiveTaken");
        QTest::addColumn<QString>("refusedField");
        const auto row = [](const char* layout, const char* head, const char* objective, const char* taken,
                            const char* loss, const char* field) {
            QTest::newRow(qPrintable(QStringLiteral("%1, %2, %3").arg(layout, head, objective)))
                << layout << head << objective << taken << loss << field;
        };
        row("stepwise", "auto", "auto", "step-classifier", "cross-entropy", "");
        row("trl-stepwise", "auto", "binary", "step-scalar", "binary", "");
        row("stepwise", "step-scalar", "auto", "step-scalar", "binary", "");
        row("stepwise", "step-classifier", "binary", "", "", "objective.name");
        row("stepwise", "pair-scalar", "auto", "", "", "head.kind");
        row("stepwise", "auto", "bradley-terry", "", "", "objective.name");
        row("pairwise", "auto", "auto", "pair-scalar", "bradley-terry", "");
        row("trl-pairwise", "auto", "bradley-terry", "pair-scalar", "bradley-terry", "");
        row("pairwise", "step-classifier", "auto", "", "", "head.kind");
        row("pairwise", "auto", "cross-entropy", "", "", "objective.name");
        row("pairwise", "pair-scalar", "binary", "", "", "objective.name");
    }
    void combinations()
    {
        QFETCH(QString, layout);
        QFETCH(QString, head);
        QFETCH(QString, objective);
        QFETCH(QString, headTaken);
        QFETCH(QString, objectiveTaken);
        QFETCH(QString, refusedField);
        const auto config = experiment(layout, head, objective);
        auto problems = validate(config);
        // Which layouts there are is another question than what fits to them.
        std::erase_if(problems, [](const FieldProblem& problem) { return problem.id == "layout.name"; });
        if (headTaken.isEmpty()) {
            QCOMPARE(problems.size(), std::size_t{1});
            QCOMPARE(QString::fromStdString(problems.front().id), refusedField);
            return;
        }
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().message.c_str());
        QCOMPARE(QString::fromStdString(std::string(headKindOf(config))), headTaken);
        QCOMPARE(QString::fromStdString(std::string(objectiveOf(config))), objectiveTaken);
    }

    void theLayoutDecidesTheTask()
    {
        QCOMPARE(taskWord(taskOf(experiment("pairwise", "auto", "auto"))), std::string_view("Pairs"));
        QCOMPARE(taskWord(taskOf(experiment("stepwise", "auto", "auto"))), std::string_view("Steps"));
    }

    /// A field that means nothing for the task is neither shown nor checked.
    void fieldsOfTheOtherTaskAreInactive()
    {
        const auto pairs = experiment("pairwise", "auto", "auto");
        const auto steps = experiment("stepwise", "auto", "auto");
        for (const char* id : {"objective.wrong_weight", "evaluation.threshold"}) {
            QVERIFY(!isActive(pairs, *findField(id)));
            QVERIFY(isActive(steps, *findField(id)));
        }
        QVERIFY(isActive(pairs, *findField("objective.centring")));
        QVERIFY(!isActive(steps, *findField("objective.centring")));
    }
};

QTEST_APPLESS_MAIN(TestTask)
#include "tst_task.moc"
