#include "core/base/durable_file.h"
#include "core/base/embedded_file.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/data/demo_rows.h"
#include "core/data/format.h"
#include "core/diagnostics/label_checks.h"
#include "core/text/demo_files.h"
#include "core/text/layout.h"
#include "tests/support/test_data.h"

#include <set>

using namespace assay;

namespace {

std::filesystem::path experiments()
{
    const char* source = std::getenv("ASSAY_SOURCE_DIR");
    return std::filesystem::path(source ? source : ".") / "experiments";
}

TokenizerPtr demoTokenizer()
{
    for (const EmbeddedFile& file : embeddedDemo())
        if (file.name == "tokenizer.model")
            if (auto tokenizer = openSentencePiece(std::string(file.name), std::string(file.content)))
                return *tokenizer;
    return nullptr;
}

} // namespace

/// The demo's tokenizer, data and experiment files, as they stand in the repository.
class TestDemoFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tokenizerKnowsTheWords();
    void tokenizerTakesAnyText_data();
    void tokenizerTakesAnyText();
    void stepsEndAtOneSeparator();
    void dataFilesAreWhatSeedZeroMakes();
    void experimentsOpen_data();
    void experimentsOpen();
    void historicLabelsAreBroken();
    void oneSidedLabelsAreClean();
};

void TestDemoFiles::tokenizerKnowsTheWords()
{
    const auto tokenizer = demoTokenizer();
    QVERIFY(tokenizer != nullptr);
    QVERIFY(tokenizer->vocabularySize() <= 600);
    QVERIFY(tokenizer->special().bos && tokenizer->special().eos && tokenizer->special().pad);
    DemoOptions options;
    options.rows = 200;
    for (const DemoRow& row : demoRows(4, "train", options)) {
        for (const DemoStep& step : row.steps) {
            const auto words = std::count(step.text.begin(), step.text.end(), ' ') + 1;
            // One token a word, and one each for colon and full stop.
            QCOMPARE(std::int64_t(tokenizer->encode(step.text).size()), std::int64_t(words + 2));
        }
    }
}

void TestDemoFiles::tokenizerTakesAnyText_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("numbers out of range") << QByteArray("Now add 12: 30 + 12 = 42.");
    QTest::newRow("other letters") << QByteArray("Zo\xc3\xab gives \xe8\x8c\xb6 to \xf0\x9f\x90\xb1");
    QTest::newRow("white space") << QByteArray("  a\tb\n\n c  ");
}

void TestDemoFiles::tokenizerTakesAnyText()
{
    QFETCH(QByteArray, text);
    const auto tokenizer = demoTokenizer();
    const auto ids = tokenizer->encode(text.toStdString());
    QCOMPARE(QByteArray::fromStdString(tokenizer->decode(ids)), text);
    QVERIFY(std::find(ids.begin(), ids.end(), *tokenizer->special().unk) == ids.end());
}

void TestDemoFiles::stepsEndAtOneSeparator()
{
    QCOMPARE(demoTokenizer()->encode("\n").size(), std::size_t{1});
}

void TestDemoFiles::dataFilesAreWhatSeedZeroMakes()
{
    const auto files = demoFiles(0, demoTokenizer());
    QVERIFY_RESULT(files);
    std::set<std::string> names;
    for (const DemoFile& file : *files) {
        const auto committed = readFile(experiments() / "demo" / file.name);
        QVERIFY_RESULT(committed);
        QVERIFY2(*committed == file.content, file.name.c_str());
        names.insert(file.name);
    }
    for (const auto& entry : std::filesystem::directory_iterator(experiments() / "demo"))
        QVERIFY2(names.contains(entry.path().filename().string()), entry.path().c_str());
}

void TestDemoFiles::experimentsOpen_data()
{
    QTest::addColumn<QString>("path");
    for (const auto& entry : std::filesystem::directory_iterator(experiments()))
        if (entry.path().extension() == ".json")
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
}

void TestDemoFiles::experimentsOpen()
{
    QFETCH(QString, path);
    const auto config = readExperiment(path.toStdString());
    QVERIFY_RESULT(config);
    for (const FieldProblem& problem : validate(*config))
        QFAIL((problem.id + ": " + problem.message).c_str());
    QVERIFY(std::filesystem::exists(config->data.train));
    QVERIFY(config->data.evaluation.empty() || std::filesystem::exists(config->data.evaluation));
}

void TestDemoFiles::historicLabelsAreBroken()
{
    const auto data = openDataset(experiments() / "demo" / "historic.jsonl");
    QVERIFY_RESULT(data);
    LabelCheckInput input;
    input.train = data->get();
    input.separatorIds = {demoTokenizer()->encode("\n").back()};
    const LabelChecks checks = checkLabels(input);
    QVERIFY(checks.supervisedPerStep > 5.0);
    // The trap: whoever looks at accuracy alone is content.
    QVERIFY(checks.train.shareTrue() > 0.98);
    QVERIFY(checks.train.wrong > 100);
    bool red = false;
    for (const Finding& finding : checks.report.findings)
        red = red || (finding.id == "ignore-values-as-labels" && finding.severity == Severity::Red);
    QVERIFY(red);
}

void TestDemoFiles::oneSidedLabelsAreClean()
{
    const auto train = openDataset(experiments() / "demo" / "no-signal-train.jsonl");
    const auto evaluation = openDataset(experiments() / "demo" / "no-signal-evaluation.jsonl");
    QVERIFY_RESULT(train);
    QVERIFY_RESULT(evaluation);
    LabelCheckInput input;
    input.train = train->get();
    input.evaluation = evaluation->get();
    const LabelChecks checks = checkLabels(input);
    QVERIFY(checks.evaluation.shareTrue() > 0.97 && checks.evaluation.shareTrue() < 0.99);
    QVERIFY(checks.evaluation.wrong >= 20); // fewer would be `too-few-negatives`
    for (const Finding& finding : checks.report.findings)
        QVERIFY2(finding.severity != Severity::Red, finding.id.c_str());
}

QTEST_APPLESS_MAIN(TestDemoFiles)
#include "tst_demo_files.moc"
