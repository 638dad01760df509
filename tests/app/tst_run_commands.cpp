// Commands about a run, as processes: training and stopping, judging a checkpoint, showing, going on.
#include "tests/support/program.h"
#include "tests/support/test_data.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSet>
#include <QTemporaryDir>

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace assay::tests;
namespace fs = std::filesystem;

namespace {

/// Single-digit sums, a third of them wrong.
std::string rowsText(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i) {
        std::string steps, labels;
        for (int s = 0; s < 3; ++s) {
            const int a = (i * 7 + s * 3) % 5, b = (i + s) % 4;
            const bool wrong = (i + s) % 3 == 0;
            steps += (s ? ",\"" : "\"") + std::to_string(a) + " + " + std::to_string(b) + " = " +
                     std::to_string(a + b + (wrong ? 1 + i % 3 : 0)) + "\"";
            labels += std::string(s ? "," : "") + (wrong ? "false" : "true");
        }
        text += R"({"prompt":"Problem )" + std::to_string(i) + R"(","completions":[)" + steps +
                R"(],"labels":[)" + labels + "]}\n";
    }
    return text;
}

bool isUnique(const QList<QByteArray>& beginnings)
{
    return QSet<QByteArray>(beginnings.begin(), beginnings.end()).size() == beginnings.size();
}

} // namespace

class tst_run_commands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void evaluatesNamedCheckpoint_data();
    void evaluatesNamedCheckpoint();
    void mainNumbersComeFirst_data();
    void mainNumbersComeFirst();
    void warningsAreToldOnce();
    void checkpointPathsResolve();
    void finishedRunHasNothingLeft();
    void stopsBeforeThereIsARun();
    void rowsWithoutLabelsBlock_data();
    void rowsWithoutLabelsBlock();
    void stopsAndSaysWhatTheDataDid();
    void refusesPipes_data();
    void refusesPipes();

private:
    QString path(const char* name) const { return m_folder.filePath(name); }
    void write(const char* name, const std::string& text) const
    {
        std::ofstream(path(name).toStdString()) << text;
    }
    QStringList training(const char* data, const QStringList& more) const
    {
        return QStringList{"train",
                           "--store",
                           path("store"),
                           "--data.train",
                           path(data),
                           "--data.evaluation_share",
                           "0.25",
                           "--backbone.source",
                           "scratch",
                           "--backbone.width",
                           "16",
                           "--backbone.layers",
                           "1",
                           "--backbone.heads",
                           "2",
                           "--backbone.key_value_heads",
                           "1",
                           "--backbone.mlp_width",
                           "24",
                           "--evaluation.bootstrap_samples",
                           "50",
                           "--compute.dtype",
                           "float32",
                           "--compute.threads",
                           "1",
                           "--batch.examples",
                           "4"} +
               more;
    }
    /// Starts the program, sends SIGINT once `sign` is on its standard error, and waits.
    ProgramResult interrupted(const QStringList& words, const QByteArray& sign) const;

    QTemporaryDir m_folder;
    ProgramResult m_trained;
};

ProgramResult tst_run_commands::interrupted(const QStringList& words, const QByteArray& sign) const
{
    QProcess process;
    process.start(programPath(), words);
    ProgramResult result;
    QElapsedTimer timer;
    timer.start();
    while (!result.errors.contains(sign) && process.state() != QProcess::NotRunning &&
           timer.elapsed() < 120000) {
        process.waitForReadyRead(100);
        result.errors += process.readAllStandardError();
    }
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    if (!process.waitForFinished(120000)) {
        process.kill();
        process.waitForFinished(5000);
        return result;
    }
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors += process.readAllStandardError();
    return result;
}

void tst_run_commands::initTestCase()
{
    write("rows.jsonl", rowsText(60));
    m_trained = runAssay(training("rows.jsonl", {"--schedule.maximum_steps", "12", "--schedule.epochs", "4",
                                                 "--checkpoint.every_steps", "5", "--run.name", "short"}));
    QVERIFY2(m_trained.exitCode == 0, m_trained.errors.constData());
}

void tst_run_commands::evaluatesNamedCheckpoint_data()
{
    QTest::addColumn<QString>("step");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QStringList>("says");
    const auto row = [](const char* step, int exitCode, const QStringList& says) {
        QTest::newRow(step) << QString(step) << exitCode << says;
    };
    row("0", 3, {"no checkpoint of step 0", "5, 10, 12"});
    row("7", 3, {"no checkpoint of step 7", "5, 10, 12"});
    row("-5", 2, {"--checkpoint"});
    row("5", 0, {"at step 5:"});
}

void tst_run_commands::evaluatesNamedCheckpoint()
{
    QFETCH(QString, step);
    QFETCH(int, exitCode);
    QFETCH(QStringList, says);
    const auto result = runAssay({"eval", "short", "--checkpoint=" + step, "--store", path("store")});
    const auto text = exitCode == 0 ? result.output : result.errors;
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    for (const auto& part : says)
        QVERIFY2(text.contains(part.toUtf8()), text.constData());
}

void tst_run_commands::mainNumbersComeFirst_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("train") << QStringList();
    QTest::newRow("eval") << QStringList{"eval", "short"};
    QTest::newRow("show") << QStringList{"show", "short"};
}

void tst_run_commands::mainNumbersComeFirst()
{
    QFETCH(QStringList, words);
    const QStringList store = {"--store", path("store")};
    const auto text = words.isEmpty() ? m_trained.output : runAssay(words + store).output;
    QVERIFY(text.contains("Verdict:"));
    QVERIFY(text.indexOf("Verdict:") < text.indexOf("\nmetric "));
    for (const char* title : {"\nAUROC ", "\nBase rate ", "null: ", "more with --all"})
        QVERIFY2(text.contains(title), title);
    for (const char* title : {"\nBrier score", "\nTrivial loss"})
        QVERIFY2(!text.contains(title), title);
    if (words.isEmpty())
        return;
    const auto all = runAssay(words + store + QStringList{"--all"}).output;
    for (const char* title : {"\nAUROC ", "\nBrier score", "\nTrivial loss"})
        QVERIFY2(all.contains(title), title);
    QVERIFY(!all.contains("more with --all"));
}

void tst_run_commands::warningsAreToldOnce()
{
    QList<QByteArray> warnings;
    for (const auto& line : m_trained.errors.split('\n'))
        if (line.startsWith("Warning: "))
            warnings << line.left(40);
    QVERIFY2(!warnings.isEmpty(), m_trained.errors.constData());
    QVERIFY2(isUnique(warnings), m_trained.errors.constData());
}

void tst_run_commands::checkpointPathsResolve()
{
    // A relative store: what is printed must be found from anywhere.
    const QString store = QDir::current().relativeFilePath(path("store"));
    const auto json = runAssay({"show", "short", "--json", "--store", store}).json();
    QCOMPARE(json["checkpoints"].size(), std::size_t{3});
    const auto text = runAssay({"show", "short", "--store", store}).output;
    for (const auto& checkpoint : json["checkpoints"]) {
        const fs::path folder = checkpoint["path"].get<std::string>();
        QVERIFY2(folder.is_absolute() && fs::exists(folder / "model.safetensors"), folder.c_str());
        QVERIFY(text.contains(folder.c_str()));
    }
}

void tst_run_commands::finishedRunHasNothingLeft()
{
    const QStringList show = {"show", "short", "--json", "--store", path("store")};
    const auto before = runAssay(show).output;
    const auto result = runAssay({"resume", "short", "--store", path("store")});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY2(result.output.contains("nothing to do"), result.output.constData());
    QCOMPARE(runAssay(show).output, before);
}

void tst_run_commands::stopsBeforeThereIsARun()
{
    write("many.jsonl", rowsText(40000));
    const auto result = interrupted(training("many.jsonl", {}), "Reading rows");
    QVERIFY2(result.exitCode == 11, result.errors.constData());
    QVERIFY2(result.errors.contains("nothing is saved yet"), result.errors.constData());
    QVERIFY2(!result.errors.contains("the run is saved"), result.errors.constData());
}

/// A start that a red check forbids is blocked, with and without --dry-run; where nothing is left to train
/// on, no reason helps.
void tst_run_commands::rowsWithoutLabelsBlock_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("said");
    const QStringList reason{"--run.override_reason", "to see"};
    const QStringList short_{"--layout.maximum_tokens", "5", "--layout.truncation", "drop-row"};
    QTest::newRow("no label") << QStringList{"none"} << "labelled";
    QTest::newRow("no label, dry run") << QStringList{"none", "--dry-run"} << "labelled";
    QTest::newRow("no label, with a reason") << QStringList{"none"} + reason << "No reason overrides this";
    QTest::newRow("no label, dry run, with a reason")
        << QStringList{"none", "--dry-run"} + reason << "No reason overrides this";
    QTest::newRow("every label cut") << QStringList{"all"} + short_ << "Truncation loses every label";
    QTest::newRow("every label cut, dry run")
        << QStringList{"all", "--dry-run"} + short_ << "Truncation loses every label";
}

void tst_run_commands::rowsWithoutLabelsBlock()
{
    QFETCH(QStringList, words);
    QFETCH(QString, said);
    std::string none;
    for (int i = 0; i < 8; ++i)
        none += R"({"prompt":"a)" + std::to_string(i) + R"(","completions":["x"],"labels":[null]})" + "\n";
    write("none.jsonl", none);
    write("all.jsonl", rowsText(20));
    const auto file = words.takeFirst() + ".jsonl";
    const auto result = runAssay(training(file.toUtf8().constData(), words));
    QVERIFY2(result.exitCode == 9, result.errors.constData());
    QVERIFY2((result.output + result.errors).contains(said.toUtf8()), result.errors.constData());
}

void tst_run_commands::stopsAndSaysWhatTheDataDid()
{
    write("moving.jsonl", rowsText(60));
    const auto stopped =
        interrupted(training("moving.jsonl", {"--schedule.epochs", "1000", "--run.name", "long"}),
                    "Evaluation at step 0");
    QVERIFY2(stopped.exitCode == 11, stopped.errors.constData());
    QVERIFY2(stopped.errors.contains("the run is saved"), stopped.errors.constData());

    const QStringList store = {"--store", path("store")};
    write("moving.jsonl", rowsText(59));
    for (const auto& words : {QStringList{"resume", "long"}, QStringList{"eval", "long"}}) {
        const auto changed = runAssay(words + store);
        QVERIFY2(changed.exitCode == 4, changed.errors.constData());
        QVERIFY2(changed.errors.contains("has changed since this run began"), changed.errors.constData());
        QVERIFY2(changed.errors.contains("moving.jsonl"), changed.errors.constData());
    }
    QVERIFY(QFile::remove(path("moving.jsonl")));
    for (const auto& words : {QStringList{"resume", "long"}, QStringList{"eval", "long"}}) {
        const auto gone = runAssay(words + store);
        QVERIFY2(gone.exitCode == 3, gone.errors.constData());
        QVERIFY2(gone.errors.contains("the run recorded this data file"), gone.errors.constData());
        QVERIFY2(gone.errors.contains("moving.jsonl"), gone.errors.constData());
    }
}

void tst_run_commands::refusesPipes_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("data rows") << QStringList{"data", "rows", path("pipe")};
    QTest::newRow("train") << training("pipe", {});
    QTest::newRow("eval") << QStringList{"eval", "short", "--data", path("pipe"), "--store", path("store")};
}

void tst_run_commands::refusesPipes()
{
    QFETCH(QStringList, words);
    if (!QFile::exists(path("pipe")))
        QCOMPARE(::mkfifo(path("pipe").toLocal8Bit().constData(), 0600), 0);
    const auto result = runAssay(words);
    QVERIFY2(result.exitCode == 2, result.errors.constData());
    QVERIFY2(result.errors.contains("is a pipe"), result.errors.constData());
}

QTEST_GUILESS_MAIN(tst_run_commands)
#include "tst_run_commands.moc"
