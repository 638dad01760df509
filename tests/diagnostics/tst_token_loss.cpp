#include "core/base/durable_file.h"
#include "core/diagnostics/audit/data_audit.h"
#include "core/diagnostics/audit/token_loss.h"
#include "core/diagnostics/pairs/pair_checks.h"
#include "tests/support/golden_json.h"
#include "tests/support/stepwise_rows.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

/// A small tokenizer.json of whole words in lower case; `settings` stand beside it.
TokenizerPtr wordTokenizer(const Json& settings = Json::object())
{
    const Json json = {{"normalizer", {{"type", "Lowercase"}}},
                       {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                       {"model",
                        {{"type", "WordLevel"},
                         {"unk_token", "?"},
                         {"vocab", {{"?", 0}, {"one", 1}, {"two", 2}, {"three", 3}}}}}};
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString());
    CHECK(writeDurably(path / "tokenizer.json", json.dump()).ok(), "a file in a temporary folder");
    CHECK(writeDurably(path / "tokenizer_config.json", settings.dump()).ok(), "a file in a temporary folder");
    return openTokenizer(path).value();
}

Report auditOf(const std::vector<Example>& examples, const TokenizerPtr& tokenizer)
{
    LayoutOptions options;
    options.stepSeparator = " three";
    const auto layout = makeLayout(options, tokenizer).value();
    std::vector<LaidOut> rows;
    for (const auto& example : examples)
        rows.push_back(layout->layOut(example, true).value());
    const MemoryDataset dataset(examples);
    DataAuditInput input;
    input.train = &dataset;
    input.trainRows = rows;
    input.tokenizer = tokenizer.get();
    Report report;
    auditData(report, input);
    return report;
}

const Finding* find(const Report& report, std::string_view id)
{
    for (const auto& finding : report.findings)
        if (finding.id == id)
            return &finding;
    return nullptr;
}

} // namespace

/// Texts that a tokenizer cannot hold are found before they are trained on, and healthy tokenizers are left
/// alone.
class TestTokenLoss : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lostText_data();
    void lostText();
    void goldenTokenizersLoseNothing();
    void specialTokensThatNothingHas();
    void pairsThatBecomeEqual();
};

void TestTokenLoss::lostText_data()
{
    QTest::addColumn<QString>("step");
    QTest::addColumn<int>("copies");
    QTest::addColumn<int>("severity"); // -1 = no finding
    const int red = static_cast<int>(Severity::Red), warning = static_cast<int>(Severity::Warning);
    QTest::newRow("words that are there") << "one two" << 1 << -1;
    QTest::newRow("another case") << "One TWO" << 1 << -1;
    QTest::newRow("words that are not") << "seven two" << 1 << red;
    QTest::newRow("every word") << "seven eight nine" << 5 << red;
    QTest::newRow("another script") << QString::fromUtf8("\xe6\x97\xa5\xe6\x9c\xac two") << 2 << red;
    QTest::newRow("one word of hundreds") << "seven" << -1 << warning;
}

void TestTokenLoss::lostText()
{
    QFETCH(QString, step);
    QFETCH(int, copies);
    QFETCH(int, severity);
    std::vector<Example> examples;
    const int healthy = copies < 0 ? 100 : 3;
    for (int i = 0; i < healthy; ++i)
        examples.push_back(stepwiseExample("one", {{"two one", Label::of(1.0F)}}, i));
    for (int i = 0; i < std::abs(copies); ++i)
        examples.push_back(stepwiseExample("one", {{step.toStdString(), Label::of(0.0F)}}, healthy + i));
    const auto report = auditOf(examples, wordTokenizer());
    const auto* finding = find(report, "tokenizer-loses-text");
    QCOMPARE(finding ? static_cast<int>(finding->severity) : -1, severity);
    if (!finding)
        return;
    QCOMPARE(finding->rows, std::vector<std::int64_t>{healthy});
    const auto name = "row " + std::to_string(healthy + 1);
    QVERIFY2(finding->evidence.find(name) != std::string::npos, finding->evidence.c_str());
}

void TestTokenLoss::goldenTokenizersLoseNothing()
{
    const auto folder = testData() / "golden-hf" / "tokenizers";
    if (!std::filesystem::exists(folder))
        QSKIP("the golden files are not there");
    std::vector<Example> examples;
    for (const auto* text :
         {"What is 3 and 4? Show every step.", "Natalia sold clips to 48 of her friends in April.",
          "First, we add the numbers: 12 and 30 make 42.", "Therefore the answer is 7.5, isn't it?"})
        examples.push_back(stepwiseExample(text, {{text, Label::of(1.0F)}}, 0));
    const MemoryDataset dataset(examples);
    int tokenizers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_directory())
            continue;
        const auto tokenizer = openTokenizer(entry.path());
        QVERIFY_RESULT(tokenizer);
        const auto layout = makeLayout({}, *tokenizer);
        QVERIFY_RESULT(layout);
        std::vector<LaidOut> rows;
        for (const auto& example : examples)
            rows.push_back((*layout)->layOut(example, true).value());
        const auto loss = countTokenLoss(dataset, rows, **tokenizer, 1000);
        QVERIFY2(!tokenLossRule(loss),
                 (entry.path().string() + ": " + tokenLossRule(loss).value_or(Finding{}).evidence).c_str());
        QVERIFY((*tokenizer)->missingSpecialTokens().empty());
        QCOMPARE(loss.rows, 4);
        ++tokenizers;
    }
    QCOMPARE(tokenizers, 8);
}

void TestTokenLoss::specialTokensThatNothingHas()
{
    const std::vector<Example> examples{stepwiseExample("one", {{"two", Label::of(1.0F)}}, 0)};
    const Json settings = {{"bos_token", "<s>"}, {"eos_token", {{"content", "one"}}}, {"pad_token", nullptr}};
    const auto* missing = "special-token-missing";
    QVERIFY(!find(auditOf(examples, wordTokenizer()), missing));
    const auto report = auditOf(examples, wordTokenizer(settings));
    const auto* finding = find(report, missing);
    QVERIFY(finding);
    QCOMPARE(finding->severity, Severity::Warning);
    QVERIFY2(finding->evidence.find("name bos_token \"<s>\", and") != std::string::npos,
             finding->evidence.c_str());
}

void TestTokenLoss::pairsThatBecomeEqual()
{
    std::vector<Example> examples;
    const std::vector<std::pair<std::string, std::string>> sides{
        {"two", "three"}, {"seven", "eight"}, {"one", "One"}, {"two", "two"}, {"one two", "one"}};
    for (const auto& [chosen, rejected] : sides) {
        Example example;
        example.row = static_cast<std::int64_t>(10 * examples.size());
        example.content = PreferenceExample{{"one ", {}}, {{chosen, {}}, {rejected, {}}}, std::nullopt};
        examples.push_back(std::move(example));
    }
    LayoutOptions options;
    options.name = "pairwise";
    const auto layout = makeLayout(options, wordTokenizer()).value();
    std::vector<LaidOut> rows;
    for (const auto& example : examples)
        rows.push_back(layout->layOut(example, true).value());
    const MemoryDataset dataset(examples);
    LabelCheckInput input;
    input.train = &dataset;
    input.trainRows = rows;
    const auto report = checkPairs(input);
    const auto* finding = find(report, "equal-in-layout");
    QVERIFY(finding);
    QCOMPARE(finding->severity, Severity::Red);
    QCOMPARE(finding->rows, (std::vector<std::int64_t>{10, 20}));
    QVERIFY2(finding->evidence.find("2 of 5 rows") != std::string::npos, finding->evidence.c_str());
    QCOMPARE(find(report, "identical-sides")->rows, std::vector<std::int64_t>{30});
}

QTEST_GUILESS_MAIN(TestTokenLoss)
#include "tst_token_loss.moc"
