#include "core/diagnostics/label_checks.h"
#include "core/text/layout.h"
#include "tests/support/character_tokenizer.h"
#include "tests/support/test_data.h"

#include <algorithm>

using namespace assay;
using namespace assay::tests;

namespace {

struct Row
{
    const char* prompt;
    const char* chosen;
    const char* rejected;
    std::optional<float> margin = {};
};

DatasetPtr rows(const std::vector<Row>& values)
{
    std::vector<Example> examples;
    for (const auto& value : values) {
        Example example;
        example.row = static_cast<std::int64_t>(examples.size());
        example.content =
            PreferenceExample{{value.prompt, {}}, {{value.chosen, {}}, {value.rejected, {}}}, value.margin};
        identify(example);
        examples.push_back(std::move(example));
    }
    return std::make_shared<MemoryDataset>(std::move(examples));
}

/// Pairs without any fault: lengths favour neither side.
std::vector<Row> healthy()
{
    return {{"What is one?", "a b", "c"},  {"What is two?", "d", "e f"},    {"What is three?", "g h", "i"},
            {"What is four?", "j", "k l"}, {"What is five?", "m n o", "p"}, {"What is six?", "q", "r s"}};
}

LabelChecks checked(const std::vector<Row>& train, const std::vector<Row>& evaluation = {})
{
    const auto trainRows = rows(train), evaluationRows = rows(evaluation);
    LabelCheckInput input;
    input.train = trainRows.get();
    input.evaluation = evaluation.empty() ? nullptr : evaluationRows.get();
    return checkLabels(input);
}

const Finding* find(const LabelChecks& checks, const char* id)
{
    for (const auto& finding : checks.report.findings)
        if (finding.id == id)
            return &finding;
    return nullptr;
}

std::vector<Row> with(std::vector<Row> more)
{
    auto all = healthy();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace

Q_DECLARE_METATYPE(std::vector<Row>)

/// Faults planted one at a time among healthy pairs.
class TestPairChecks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void healthyPairsHaveNoFinding();
    void faults_data();
    void faults();
    void lengthRulers();
    void promptsOnBothSides();
    void evaluationIsCheckedToo();
    void rowsOverTheLimit();
    void idsAreComparedAsIds();
};

void TestPairChecks::healthyPairsHaveNoFinding()
{
    const auto checks = checked(healthy());
    QCOMPARE(checks.report.findings.size(), std::size_t{1});
    QCOMPARE(checks.report.findings[0].id, std::string("length-ruler"));
    QVERIFY(checks.report.findings[0].severity == Severity::Note);
    QCOMPARE(checks.supervisedPerStep, 1.0);
}

void TestPairChecks::faults_data()
{
    QTest::addColumn<std::vector<Row>>("train");
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("severity");
    QTest::addColumn<QList<int>>("faulty");
    const int warning = static_cast<int>(Severity::Warning), red = static_cast<int>(Severity::Red);
    QTest::newRow("identical") << with({{"What else?", "same", "same"}}) << "identical-sides" << red
                               << QList<int>{6};
    QTest::newRow("empty chosen") << with({{"What else?", " \n", "text"}}) << "empty-answer" << warning
                                  << QList<int>{6};
    QTest::newRow("empty rejected") << with({{"What else?", "text", ""}}) << "empty-answer" << warning
                                    << QList<int>{6};
    QTest::newRow("contradiction") << with({{"What is two?", "e f", "d"}}) << "contradictory-pairs" << warning
                                   << QList<int>{1, 6};
    QTest::newRow("copy") << with({{"What is two?", "d", "e f"}}) << "duplicate-pairs" << warning
                          << QList<int>{6};
    QTest::newRow("margin") << with({{"What else?", "yes", "no", 1.0F}}) << "margin-on-some-rows" << warning
                            << QList<int>{};
}

void TestPairChecks::faults()
{
    QFETCH(std::vector<Row>, train);
    QFETCH(QString, id);
    QFETCH(int, severity);
    QFETCH(QList<int>, faulty);
    const auto checks = checked(train);
    const auto* finding = find(checks, qPrintable(id));
    QVERIFY(finding);
    QCOMPARE(static_cast<int>(finding->severity), severity);
    QCOMPARE(QList<int>(finding->rows.begin(), finding->rows.end()), faulty);
    for (const auto& other : checks.report.findings)
        QVERIFY2(other.id == finding->id || other.severity == Severity::Note, other.id.c_str());
}

void TestPairChecks::lengthRulers()
{
    std::vector<Row> longer, shorter, equal;
    for (const auto& row : healthy()) {
        longer.push_back({row.prompt, "much longer", "short"});
        shorter.push_back({row.prompt, "short", "much longer"});
        equal.push_back({row.prompt, "one", "two"});
    }
    const auto always = checked(longer);
    QCOMPARE(find(always, "length-bias")->number, 1.0);
    QCOMPARE(find(always, "length-bias")->title, std::string("Chosen is always longer"));
    QCOMPARE(find(checked(shorter), "length-bias")->title, std::string("Chosen is always shorter"));
    // Answers of one length favour no ruler: one half for either.
    const auto tied = checked(equal);
    QVERIFY(!find(tied, "length-bias"));
    QVERIFY(find(tied, "length-ruler")->evidence.find("accuracy 0.500") != std::string::npos);
    const auto& table = tied.report.tables.at(0);
    QCOMPARE(table.id, std::string("pair_census"));
    QCOMPARE(table.rows.at(3), (std::vector<std::string>{"equally long", "6"}));
}

void TestPairChecks::promptsOnBothSides()
{
    const auto checks = checked(healthy(), {{"What is two?", "new", "words"}, {"Another one?", "t", "u"}});
    const auto* leak = find(checks, "prompt-leak");
    QVERIFY(leak);
    QCOMPARE(leak->rows, std::vector<std::int64_t>{0});
    QCOMPARE(checks.leakedShare, 0.5);
    // Without prompts the pair itself decides, and first words in common are no prompt.
    const auto without = checked({{"", "a b", "a c"}, {"", "d", "e"}}, {{"", "a b", "a d"}, {"", "e", "d"}});
    QCOMPARE(find(without, "prompt-leak")->rows, std::vector<std::int64_t>{1});
}

void TestPairChecks::evaluationIsCheckedToo()
{
    const auto checks = checked(healthy(), {{"Another one?", "same", "same"}});
    QVERIFY(find(checks, "identical-sides")->evidence.find("evaluation") != std::string::npos);
    QVERIFY(find(checks, "too-few-pairs"));
}

void TestPairChecks::rowsOverTheLimit()
{
    const auto train = rows({{"q", "a", "b"}, {"q", "a long answer", "b"}});
    LayoutOptions options;
    options.name = "trl-pairwise";
    options.maximumTokens = 8;
    const auto layout = *makeLayout(options, std::make_shared<CharacterTokenizer>());
    std::vector<LaidOut> laidOut;
    for (std::int64_t i = 0; i < train->size(); ++i)
        laidOut.push_back(*layout->layOut(train->at(i), true));
    LabelCheckInput input;
    input.train = train.get();
    input.trainRows = laidOut;
    const auto checks = checkLabels(input);
    const auto* finding = find(checks, "truncation-loss");
    QVERIFY(finding && finding->severity == Severity::Warning);
    QCOMPARE(finding->rows, std::vector<std::int64_t>{1});
    QVERIFY2(finding->evidence.find("longest 16 tokens") != std::string::npos, finding->evidence.c_str());
}

void TestPairChecks::idsAreComparedAsIds()
{
    std::vector<Example> examples(2);
    examples[0].content = TokenisedPreference{{{5, 6}, {5, 6}}, {}};
    examples[1].content = TokenisedPreference{{{5, 32}, {5}}, {}}; // 32 is the byte of a blank
    examples[1].row = 1;
    const MemoryDataset train(std::move(examples));
    LabelCheckInput input;
    input.train = &train;
    const auto checks = checkLabels(input);
    QCOMPARE(find(checks, "identical-sides")->rows, std::vector<std::int64_t>{0});
    QVERIFY(!find(checks, "empty-answer"));
}

QTEST_GUILESS_MAIN(TestPairChecks)
#include "tst_pair_checks.moc"
