// The program as a process: help, exit codes, flags, JSON.
#include "core/config/fields.h"
#include "tests/support/program.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <set>

using namespace assay;
using namespace assay::tests;
using Json = nlohmann::json;

namespace {

const QStringList kCommands = {"demo",  "train",  "resume", "eval",      "runs",    "show",
                               "model", "export", "score",  "objective", "metrics", "tokenize",
                               "data",  "doctor", "gui",    "help"};

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

class tst_command_line : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void helpListsEveryCommand();
    void trainHelpNamesEveryField();
    void exitCodesAreDistinct();
    void errors_data();
    void errors();
    void suggestsOnlyWhatIsNear();
    void errorAsJson();
    void dryRun_data();
    void dryRun();
    void runsAsJson();
    void runsFilter();
    void runEdits_data();
    void runEdits();
    void runEditsAreAllOrNone();
    void showAsJson();
    void showText();
    void missingStore();
    void sampleIsReady();
    void version();

private:
    QTemporaryDir m_folder;
    QString m_store;
    RunId m_full;
    std::size_t m_runs = 0;
};

void tst_command_line::initTestCase()
{
    m_store = m_folder.filePath("store");
    const auto write = [this](const char* name, const char* text) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
    };
    QVERIFY(QDir(m_folder.path()).mkdir("model"));
    QVERIFY(write("file", "{'a': 1}") && write("model/config.json", "{\"model_type\":"));
    QVERIFY(write("rows.jsonl", "{\"prompt\":\"a\",\"completions\":[\"b\"],\"labels\":[1]}\n"
                                "{\"prompt\":\"a\",\"completions\":[\"b\"],\"labels\":[NaN]}\n"));
    const auto store = fillSampleStore(m_store.toStdString());
    QVERIFY_RESULT(store);
    m_full = store->full;
    m_runs = store->runs.size();
}

void tst_command_line::helpListsEveryCommand()
{
    const auto result = runAssay({"--help"});
    QCOMPARE(result.exitCode, 0);
    for (const auto& command : kCommands) {
        QVERIFY2(result.output.contains("\n  " + command.toUtf8() + " "), qPrintable(command));
        const auto own = runAssay({command, "--help"});
        QCOMPARE(own.exitCode, 0);
        QVERIFY2(own.output.contains("Usage"), qPrintable(command));
        QCOMPARE(runAssay({"help", command}).output, own.output);
    }
}

void tst_command_line::trainHelpNamesEveryField()
{
    const auto help = QString::fromUtf8(runAssay({"train", "--help"}).output);
    // Lines are folded, so the texts are compared without their breaks.
    const QString flowing = help.simplified();
    for (const auto& field : experimentFields()) {
        QVERIFY2(help.contains("  --" + qt(field.id) + " "), qPrintable(qt(field.id)));
        QVERIFY2(flowing.contains(qt(field.help).simplified()), qPrintable(qt(field.id)));
        QVERIFY2(help.contains("\n" + qt(groupTitle(field.group())) + ":\n"), qPrintable(qt(field.id)));
        for (const auto choice : field.choices)
            QVERIFY2(flowing.contains(qt(choice)), qPrintable(qt(choice)));
        if (field.condition)
            QVERIFY2(flowing.contains("nly with --" + qt(field.condition->field)), qPrintable(qt(field.id)));
    }
}

void tst_command_line::exitCodesAreDistinct()
{
    const auto json = runAssay({"help", "exit-codes", "--json"}).json();
    QVERIFY(json.is_object());
    std::set<int> numbers;
    std::set<std::string> words;
    for (const auto& row : json["exit_codes"]) {
        numbers.insert(row["exit_code"].get<int>());
        words.insert(row["code"].get<std::string>());
    }
    QCOMPARE(numbers.size(), json["exit_codes"].size());
    QVERIFY(numbers.count(0) == 1);
    for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code)
        QVERIFY2(words.count(errorCodeName(static_cast<ErrorCode>(code))) == 1,
                 errorCodeName(static_cast<ErrorCode>(code)));
    const auto text = runAssay({"help", "exit-codes"}).output;
    for (const auto& word : words)
        QVERIFY2(text.contains(word.c_str()), word.c_str());
}

void tst_command_line::errors_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QStringList>("says");
    const auto row = [](const char* name, const QStringList& words, int code, const QStringList& says) {
        QTest::newRow(name) << words << code << says;
    };
    row("unknown command", {"trian"}, 2, {"trian", "\"train\""});
    row("unknown flag", {"runs", "--fliter", "x"}, 2, {"--fliter", "\"--filter\""});
    row("nothing near", {"train", "--nosuch"}, 2, {"--nosuch", "`assay train --help` lists its flags"});
    row("no command near", {"explode"}, 2, {"explode", "`assay --help` lists all"});
    row("three of two numbers", {"train", "--optimiser.betas", "1,2,3"}, 2,
        {"2 numbers are wanted", "0.9,0.999"});
    row("unknown setting", {"train", "--optimizer.learning_rate", "1"}, 2, {"\"--optimiser.learning_rate\""});
    row("too many words", {"show", "a", "b"}, 2, {"\"b\""});
    row("missing word", {"show"}, 2, {"RUN"});
    row("value out of range", {"train", "--optimiser.learning_rate", "11"}, 2,
        {"--optimiser.learning_rate", "0 to 10"});
    row("value is no number", {"train", "--optimiser.learning_rate=fast"}, 2, {"fast", "0 to 10"});
    row("no such choice", {"train", "--schedule.kind", "step"}, 2, {"step", "constant, linear, cosine"});
    row("flag twice", {"train", "--run.seed", "1", "--run.seed", "2"}, 2, {"--run.seed", "twice"});
    row("flag without value", {"train", "--run.seed"}, 2, {"--run.seed", "needs a value"});
    row("settings are wrong", {"train", "--run.seed", "1"}, 2, {"data.train", "backbone.folder"});
    row("no such file", {"train", "no-such-experiment.json"}, 3, {"no-such-experiment.json"});
    row("unknown help", {"help", "exit-code"}, 2, {"exit-codes"});
    row("no tokenizer there", {"tokenize", "no-such-folder"}, 3, {"no-such-folder"});
    row("no model there", {"model", "no-such-folder"}, 3, {"no-such-folder"});
    row("model is a file", {"model", m_folder.filePath("file")}, 2, {"is a file", "config.json"});
    row("broken config.json", {"model", m_folder.filePath("model")}, 5,
        {"config.json", "ends too early", "again"});
    row("experiment is no JSON", {"train", m_folder.filePath("file")}, 2,
        {"file", "texts stand in double quotes"});
    row("missing experiment", {"train", "no-such.json"}, 3, {"it is relative to /"});
    row("rows are refused",
        {"train", "--data.train", m_folder.filePath("rows.jsonl"), "--backbone.source", "scratch"}, 4,
        {"NaN is not JSON; write null", "--data.bad_rows"});
    row("no such execution", {"model", "x", "--execution", "fast"}, 2, {"fast", "left-padded"});
}

void tst_command_line::errors()
{
    QFETCH(QStringList, words);
    QFETCH(int, exitCode);
    QFETCH(QStringList, says);
    const auto result = runAssay(words + QStringList{"--store", m_store});
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    QVERIFY(result.output.isEmpty());
    for (const auto& part : says)
        QVERIFY2(QString::fromUtf8(result.errors).contains(part), result.errors.constData());
}

void tst_command_line::dryRun_data()
{
    QTest::addColumn<bool>("oneClass");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("clean") << false << QStringList{} << 0;
    QTest::newRow("blocked") << true << QStringList{} << 9;
    QTest::newRow("overridden") << true << QStringList{"--run.override_reason", "on purpose"} << 0;
}

void tst_command_line::dryRun()
{
    QFETCH(bool, oneClass);
    QFETCH(QStringList, words);
    QFETCH(int, exitCode);
    QTemporaryDir folder;
    QFile file(folder.filePath("rows.jsonl"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 0; i < 16; ++i)
        file.write(
            QStringLiteral(
                "{\"prompt\": \"Row %1\", \"completions\": [\"a %1\", \"b\"], \"labels\": [true, %2]}\n")
                .arg(i)
                .arg(oneClass || i % 3 ? "true" : "false")
                .toUtf8());
    file.close();
    const QStringList experiment{"train",
                                 "--dry-run",
                                 "--store",
                                 folder.filePath("store"),
                                 "--data.train",
                                 file.fileName(),
                                 "--json",
                                 "--backbone.source",
                                 "scratch",
                                 "--backbone.width",
                                 "16",
                                 "--backbone.heads",
                                 "2",
                                 "--backbone.key_value_heads",
                                 "2",
                                 "--backbone.layers",
                                 "1"};
    const auto result = runAssay(experiment + words);
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    const auto json = result.json();
    QCOMPARE(json["blocked"].get<bool>(), exitCode == 9);
    QVERIFY(json["train_examples"].get<int>() > 0);
    const auto& memory = json["probe"]["memory"];
    QVERIFY(memory["peak_bytes"].get<double>() > memory["weights_bytes"].get<double>());
    QVERIFY(json["probe"]["time"]["planned_steps"] == json["planned_steps"]);
    QVERIFY(json["probe"]["time"]["total_seconds"].get<double>() > 0.0);
    QVERIFY2(!QFileInfo::exists(folder.filePath("store")), "nothing is stored");
}

void tst_command_line::suggestsOnlyWhatIsNear()
{
    for (const auto& words : {QStringList{"train", "--nosuch"}, QStringList{"explode"}})
        QVERIFY(!runAssay(words).errors.contains("Did you mean"));
}

void tst_command_line::errorAsJson()
{
    const auto result = runAssay({"show", "zzzz", "--json", "--store", m_store});
    QCOMPARE(result.exitCode, 3);
    const auto error = result.json()["error"];
    QCOMPARE(error["code"].get<std::string>(), std::string("not-found"));
    QCOMPARE(error["exit_code"].get<int>(), 3);
    QVERIFY(!error["message"].get<std::string>().empty());
}

void tst_command_line::runsAsJson()
{
    const auto json = runAssay({"runs", "--json", "--store", m_store}).json();
    QVERIFY(json.is_object());
    // Archived and deleted ones are not listed.
    QVERIFY(json["total"].get<std::size_t>() <= m_runs && json["total"].get<std::size_t>() >= 10);
    QCOMPARE(json["matching"].get<std::size_t>(), json["runs"].size());
    bool found = false;
    for (const auto& run : json["runs"]) {
        for (const char* key :
             {"id", "name", "status", "task", "backbone", "data", "device", "headline", "verdict", "seconds",
              "step", "planned_steps", "tags", "note", "parent", "error", "created_at_ms"})
            QVERIFY2(run.contains(key), key);
        found = found || run["id"] == m_full;
    }
    QVERIFY(found);
    const auto text = runAssay({"runs", "--store", m_store});
    QCOMPARE(text.exitCode, 0);
    QVERIFY(text.output.contains(m_full.c_str()));
}

void tst_command_line::runsFilter()
{
    const auto failed =
        runAssay({"runs", "--json", "--filter", "status = failed", "--store", m_store}).json();
    QVERIFY(failed["matching"].get<int>() > 0);
    QVERIFY(failed["matching"].get<int>() < failed["total"].get<int>());
    for (const auto& run : failed["runs"])
        QCOMPARE(run["status"].get<std::string>(), std::string("failed"));
    const auto bad = runAssay({"runs", "--filter", "auroc >", "--store", m_store});
    QCOMPARE(bad.exitCode, 2);
    const auto one = runAssay({"runs", "--json", "--limit", "1", "--store", m_store}).json();
    QCOMPARE(one["runs"].size(), std::size_t{1});
}

void tst_command_line::runEdits_data()
{
    QTest::addColumn<QStringList>("words"); // RUN stands for the run
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    const auto row = [](const QStringList& words, const char* key, const char* value) {
        QTest::newRow(qPrintable(words.join(' '))) << words << key << value;
    };
    row({"tag", "best one", "RUN"}, "tags", "best one");
    row({"untag", "best one", "RUN"}, "tags", "best one");
    row({"note", "RUN", "went well"}, "note", "\"went well\"");
    row({"note", "RUN", ""}, "note", "\"\"");
    row({"rename", "RUN", "another"}, "name", "\"another\"");
    row({"archive", "RUN"}, "archived", "true");
    row({"unarchive", "RUN"}, "archived", "false");
    row({"delete", "RUN"}, "deleted", "true");
    row({"restore", "RUN"}, "deleted", "false");
}

void tst_command_line::runEdits()
{
    QFETCH(QStringList, words);
    QFETCH(QString, key);
    QFETCH(QString, value);
    const auto finished =
        runAssay({"runs", "--json", "--filter", "status = finished", "--archived", "--store", m_store})
            .json();
    static QString run; // one run goes through all rows
    if (run.isEmpty())
        run = QString::fromStdString(finished["runs"][0]["id"].get<std::string>());
    words.replaceInStrings("RUN", run);
    const auto result = runAssay(QStringList{"runs"} + words + QStringList{"--json", "--store", m_store});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto told = result.json()["edited"][0],
               shown = runAssay({"show", run, "--json", "--store", m_store}).json();
    for (const auto& json : {told, shown}) {
        const auto text = QString::fromStdString(json[key.toStdString()].dump());
        QCOMPARE(text.contains(value), words.front() != "untag");
    }
    const bool listed = runAssay({"runs", "--store", m_store}).output.contains(run.toUtf8());
    QCOMPARE(listed, words.front() != "archive" && words.front() != "delete");
    if (words.front() == "delete")
        QVERIFY(runAssay({"runs", "--deleted", "--store", m_store}).output.contains(run.toUtf8()));
}

void tst_command_line::runEditsAreAllOrNone()
{
    const auto run = QString::fromStdString(m_full);
    const auto result = runAssay({"runs", "tag", "half", run, "no-such-run", "--store", m_store});
    QCOMPARE(result.exitCode, 3);
    QVERIFY(!runAssay({"show", run, "--json", "--store", m_store}).output.contains("half"));
    const auto running =
        runAssay({"runs", "--json", "--filter", "status = running", "--store", m_store}).json()["runs"];
    QVERIFY(!running.empty());
    const auto refused =
        runAssay({"runs", "delete", run, QString::fromStdString(running[0]["id"].get<std::string>()),
                  "--store", m_store});
    QCOMPARE(refused.exitCode, 2);
    QVERIFY2(refused.errors.contains("Stop it first"), refused.errors.constData());
    QVERIFY(runAssay({"runs", "--store", m_store}).output.contains(m_full.c_str()));
}

void tst_command_line::showAsJson()
{
    // The beginning of an id is enough.
    const auto json =
        runAssay({"show", QString::fromStdString(m_full.substr(0, 9)), "--json", "--store", m_store}).json();
    QCOMPARE(json["id"].get<std::string>(), m_full);
    QVERIFY(json["config"].is_object());
    QCOMPARE(json["evaluations"].size(), std::size_t{8});
    const auto& report = json["evaluations"].back()["report"];
    bool auroc = false;
    for (const auto& metric : report["metrics"])
        auroc = auroc || (metric["id"] == "auroc" && metric["value"].is_number());
    QVERIFY(auroc);
    int best = 0, newest = 0;
    for (const auto& checkpoint : json["checkpoints"]) {
        best += checkpoint["best"].get<bool>() ? 1 : 0;
        newest += checkpoint["newest"].get<bool>() ? 1 : 0;
        QVERIFY(checkpoint["value"].is_number());
        QCOMPARE(checkpoint["metric"].get<std::string>(), std::string("auroc"));
    }
    QCOMPARE(best, 1);
    QCOMPARE(newest, 1);
    QVERIFY(json["stopped_early"].is_null());
    QVERIFY(!json["events"].empty());
}

void tst_command_line::showText()
{
    const auto result = runAssay({"show", QString::fromStdString(m_full), "--store", m_store});
    QCOMPARE(result.exitCode, 0);
    for (const char* part : {"Verdict:", "AUROC", "Last evaluation", "checkpoint of step", "newest, final"})
        QVERIFY2(result.output.contains(part), part);
}

void tst_command_line::missingStore()
{
    const QString place = m_folder.filePath("nothing-here");
    const auto result = runAssay({"runs", "--store", place});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(!QFileInfo::exists(place), "looking must not create a store");
    const auto relative = runAssay({"runs", "--store", "not-there"});
    QVERIFY2(relative.errors.contains(QDir::current().filePath("not-there").toUtf8()),
             relative.errors.constData());
    const auto file = runAssay({"runs", "--store", m_folder.filePath("file")});
    QVERIFY2(file.exitCode == 2 && file.errors.contains("this is a file"), file.errors.constData());
}

/// The rows that the README's first line of training takes.
void tst_command_line::sampleIsReady()
{
    const auto rows = runAssay({"data", "rows", "experiments/sample.jsonl", "--layout", "stepwise"});
    QVERIFY2(rows.exitCode == 0, rows.errors.constData());
    QCOMPARE(rows.jsonLines().size(), std::size_t{30});
}

void tst_command_line::version()
{
    const auto result = runAssay({"--version"});
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.output.trimmed(), QByteArray("assay " ASSAY_VERSION));
}

QTEST_GUILESS_MAIN(tst_command_line)
#include "tst_command_line.moc"
