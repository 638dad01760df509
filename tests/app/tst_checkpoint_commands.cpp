// Training on from a checkpoint, and handing one on, by the command line.
#include "tests/support/program.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QFileInfo>
#include <QTemporaryDir>

#include <fstream>

using namespace assay::tests;

class TestCheckpointCommands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        std::ofstream(m_folder.filePath("rows.jsonl").toStdString()) << rowsText(40);
        const auto first =
            train({"--backbone.source", "scratch", "--backbone.width", "16", "--backbone.layers", "1",
                   "--backbone.heads", "2", "--backbone.key_value_heads", "1", "--backbone.mlp_width", "24",
                   "--layout.step_separator", " ;", "--checkpoint.every_steps", "1", "--checkpoint.keep_last",
                   "none"});
        QCOMPARE(first.exitCode, 0);
        m_first = first.json()["run"].get<std::string>();
    }

    /// The layout that a model was trained with is the default of what trains on from it.
    void takesTheLayoutOver_data()
    {
        QTest::addColumn<QStringList>("flags");
        QTest::addColumn<QString>("separator");
        QTest::newRow("nothing said") << QStringList{} << " ;";
        QTest::newRow("said otherwise") << QStringList{"--layout.step_separator", " ."} << " .";
    }
    void takesTheLayoutOver()
    {
        QFETCH(QStringList, flags);
        QFETCH(QString, separator);
        const QString origin = QString::fromStdString(m_first) + ":1";
        const auto next =
            train(QStringList{"--backbone.source", "checkpoint", "--backbone.checkpoint", origin} + flags);
        QCOMPARE(next.exitCode, 0);
        const auto shown = runAssay({"show", QString::fromStdString(next.json()["run"].get<std::string>()),
                                     "--json", "--store", store()})
                               .json();
        QCOMPARE(QString::fromStdString(shown["config"]["layout.step_separator"].get<std::string>()),
                 separator);
        QCOMPARE(QString::fromStdString(shown["config"]["backbone.checkpoint"].get<std::string>()), origin);
        QCOMPARE(shown["parent"].get<std::string>(), m_first);
    }

    void anUnknownCheckpointIsAnError()
    {
        const auto next = train({"--backbone.source", "checkpoint", "--backbone.checkpoint", "nowhere:3"});
        QCOMPARE(next.exitCode, 3);
    }

    /// What `export` wrote scores as the run does, and can be trained on.
    void exportsOpenAgain_data()
    {
        QTest::addColumn<QStringList>("flags");
        QTest::addColumn<QString>("format");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("plain") << QStringList{} << "huggingface" << 0.0;
        QTest::newRow("shards") << QStringList{"--shard-size", "2KB"} << "huggingface" << 0.0;
        QTest::newRow("bfloat16") << QStringList{"--dtype", "bfloat16"} << "huggingface" << 0.02;
        QTest::newRow("torchtune") << QStringList{"--format", "torchtune", "--head-bias", "drop"}
                                   << "torchtune" << 0.02;
    }
    void exportsOpenAgain()
    {
        QFETCH(QStringList, flags);
        QFETCH(QString, format);
        QFETCH(double, tolerance);
        const QString out = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()));
        const QString run = QString::fromStdString(m_first);
        const auto report = runAssay(
            QStringList{"export", run, out, "--checkpoint", "2", "--json", "--store", store()} + flags);
        QVERIFY2(report.exitCode == 0, report.errors.constData());
        QCOMPARE(QString::fromStdString(report.json()["format"].get<std::string>()), format);
        QVERIFY(report.json()["bytes"].get<double>() > 0);
        const auto rows = m_folder.filePath("rows.jsonl");
        const auto original = runAssay({"score", run, rows, "--store", store()}).jsonLines();
        const auto exported = runAssay({"score", out, rows, "--store", store()}).jsonLines();
        QCOMPARE(original.size(), std::size_t(40));
        QCOMPARE(exported.size(), original.size());
        for (std::size_t i = 0; i < original.size(); ++i)
            for (std::size_t s = 0; s < original[i]["rewards"].size(); ++s)
                QVERIFY(std::abs(original[i]["rewards"][s].get<double>() -
                                 exported[i]["rewards"][s].get<double>()) <= tolerance);
        const auto next = train({"--backbone.source", "checkpoint", "--backbone.checkpoint", out});
        QVERIFY2(next.exitCode == 0, next.errors.constData());
    }

    /// What scales the rewards of an export is applied and said wherever it is opened.
    void exportsAreScaled()
    {
        const QString out = m_folder.filePath("scaled"), run = QString::fromStdString(m_first);
        const auto report = runAssay({"export", run, out, "--temperature", "2", "--threshold", "0.4",
                                      "--aggregation", "product", "--json", "--store", store()});
        QVERIFY2(report.exitCode == 0, report.errors.constData());
        QCOMPARE(report.json()["calibration"]["temperature"].get<std::string>(), std::string("given"));
        const auto scored = runAssay({"score", out, m_folder.filePath("rows.jsonl"), "--store", store()});
        const char* const said = "temperature 2, threshold 0.4, reward of the answer: product";
        QVERIFY2(scored.errors.contains(said), scored.errors.constData());
        QVERIFY(runAssay({"model", out, "--store", store()}).output.contains(said));
        const auto lines = scored.jsonLines();
        QCOMPARE(lines.size(), std::size_t(40));
        for (const auto& line : lines) {
            double product = 1.0;
            for (std::size_t s = 0; s < line["scores"].size(); ++s) {
                const double reward = line["rewards"][s].get<double>();
                QVERIFY(std::abs(reward - 1.0 / (1.0 + std::exp(-line["scores"][s].get<double>() / 2.0))) <
                        1e-12);
                QCOMPARE(line["correct"][s].get<bool>(), reward >= 0.4);
                product *= reward;
            }
            QCOMPARE(line["reward"].get<double>(), product);
        }
    }

    void exportRefuses_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("taken") << QStringList{"last", "."} << 2;
        QTest::newRow("unknown run") << QStringList{"nowhere", "out"} << 3;
        QTest::newRow("unknown type") << QStringList{"last", "out", "--dtype", "float8"} << 2;
        QTest::newRow("no size") << QStringList{"last", "out", "--shard-size", "many"} << 2;
        QTest::newRow("no temperature") << QStringList{"last", "out", "--temperature", "hot"} << 2;
        QTest::newRow("centre of steps") << QStringList{"last", "out", "--centre", "rows"} << 2;
        QTest::newRow("bias not said")
            << QStringList{"last", "out", "--architecture", "sequence-classification"} << 2;
        QTest::newRow("torchtune keeps no bias")
            << QStringList{"last", "out", "--format", "torchtune", "--head-bias", "keep"} << 2;
    }
    void exportRefuses()
    {
        QFETCH(QStringList, words);
        QFETCH(int, exitCode);
        words[1] = m_folder.filePath(words[1]);
        const auto report = runAssay(QStringList{"export"} + words + QStringList{"--store", store()});
        QCOMPARE(report.exitCode, exitCode);
        QVERIFY(!QFileInfo::exists(m_folder.filePath("out")));
    }

private:
    QString store() const { return m_folder.filePath("store"); }
    ProgramResult train(const QStringList& flags) const
    {
        return runAssay(QStringList{"train", "--data.train", m_folder.filePath("rows.jsonl"),
                                    "--data.evaluation_share", "0.25", "--schedule.maximum_steps", "2",
                                    "--evaluation.bootstrap_samples", "20", "--compute.dtype", "float32",
                                    "--compute.threads", "1", "--json", "--store", store()} +
                        flags);
    }

    QTemporaryDir m_folder;
    std::string m_first;
};

QTEST_GUILESS_MAIN(TestCheckpointCommands)
#include "tst_checkpoint_commands.moc"
