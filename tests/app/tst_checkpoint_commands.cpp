// Training on from a checkpoint by the command line.
#include "tests/support/program.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

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
