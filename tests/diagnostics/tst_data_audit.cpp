// What the pre-flight adds to the label checks: duplicates, row lengths and what a limit costs, joins of
// steps and separator, and the list of what passed.
#include "core/diagnostics/audit/data_audit.h"
#include "core/diagnostics/audit/duplicates.h"
#include "core/diagnostics/audit/row_lengths.h"
#include "tests/support/stepwise_rows.h"

#include <QtTest/QTest>

#include <algorithm>
#include <numeric>

using namespace assay;
using namespace assay::tests;

namespace {

struct Row
{
    std::string prompt;
    std::vector<std::pair<std::string, float>> steps; ///< a label below 0 = not supervised
};

std::vector<Example> examplesOf(const std::vector<Row>& rows)
{
    std::vector<Example> examples;
    for (const auto& row : rows) {
        std::vector<Step> steps;
        for (const auto& [text, label] : row.steps)
            steps.push_back({text, label < 0.0F ? Label::none() : Label::of(label)});
        examples.push_back(
            stepwiseExample(row.prompt, std::move(steps), static_cast<std::int64_t>(examples.size())));
    }
    return examples;
}

/// Every character is a token; a text that begins with a blank gets a token of its own in front, so that
/// joining can change ids.
class LetterTokenizer : public Tokenizer
{
public:
    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        if (text.starts_with(' '))
            ids.push_back(1);
        for (const char c : text)
            ids.push_back(static_cast<unsigned char>(c) + 2);
        return ids;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view) const override { return {}; }
    std::string decode(std::span<const TokenId> ids) const override
    {
        std::string text;
        for (const auto id : ids)
            if (id > 1)
                text += static_cast<char>(id - 2);
        return text;
    }
    std::string piece(TokenId id) const override { return std::to_string(id); }
    std::int32_t vocabularySize() const override { return 258; }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_name; }
    std::pair<std::string, std::string> file() const override { return {}; }

private:
    SpecialTokens m_special;
    std::string m_name = "letters";
};

std::vector<LaidOut> layOut(const std::vector<Example>& examples, const LayoutOptions& options)
{
    const auto layout = makeLayout(options, std::make_shared<LetterTokenizer>());
    std::vector<LaidOut> rows;
    for (const auto& example : examples)
        rows.push_back(*(*layout)->layOut(example, true));
    return rows;
}

const std::vector<std::string>* passedRow(const Report& report, const std::string& id)
{
    for (const auto& table : report.tables)
        if (table.id == "checks_passed")
            for (const auto& row : table.rows)
                if (row.front() == id)
                    return &row;
    return nullptr;
}

bool found(const Report& report, const std::string& id)
{
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [&id](const Finding& finding) { return finding.id == id; });
}

std::string cell(const Report& report, const std::string& table, const std::string& row, std::size_t column)
{
    for (const auto& one : report.tables)
        if (one.id == table)
            for (const auto& cells : one.rows)
                if (cells.front() == row)
                    return cells.at(column);
    return "absent";
}

} // namespace

class tst_data_audit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void duplicates_data();
    void duplicates();
    void lengthsAndLimits_data();
    void lengthsAndLimits();
    void histogramHoldsEveryRow_data();
    void histogramHoldsEveryRow();
    void joins_data();
    void joins();
    void conflictsAreAWarning();
    void sayWhatPassed();
    void longerThanTheBackbone_data();
    void longerThanTheBackbone();
};

void tst_data_audit::duplicates_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<int>("labelled");
    QTest::addColumn<int>("repeated");
    QTest::addColumn<int>("conflicting");
    QTest::newRow("none") << 0 << 4 << 0 << 0;
    QTest::newRow("a whole row twice") << 1 << 4 << 2 << 0;
    QTest::newRow("same step after another beginning") << 2 << 4 << 0 << 0;
    QTest::newRow("same step of another prompt") << 3 << 2 << 0 << 0;
    QTest::newRow("contradiction") << 4 << 4 << 2 << 2;
    QTest::newRow("without a label it does not count") << 5 << 3 << 1 << 0;
    QTest::newRow("borders count") << 6 << 2 << 0 << 0;
    QTest::newRow("soft labels by side") << 7 << 2 << 1 << 0;
}

void tst_data_audit::duplicates()
{
    QFETCH(int, which);
    QFETCH(int, labelled);
    QFETCH(int, repeated);
    QFETCH(int, conflicting);
    const std::vector<std::vector<Row>> cases = {
        {{"p", {{"a", 1}, {"b", 0}}}, {"p", {{"c", 1}, {"d", 0}}}},
        {{"p", {{"a", 1}, {"b", 0}}}, {"p", {{"a", 1}, {"b", 0}}}},
        {{"p", {{"a", 1}, {"b", 0}}}, {"p", {{"c", 1}, {"b", 1}}}},
        {{"p", {{"a", 1}}}, {"q", {{"a", 0}}}},
        {{"p", {{"a", 1}, {"b", 0}}}, {"p", {{"a", 1}, {"b", 1}}}},
        {{"p", {{"a", 1}, {"b", -1}}}, {"p", {{"a", 1}, {"b", 0}}}},
        {{"p", {{"ab", 1}}}, {"pa", {{"b", 0}}}},
        {{"p", {{"a", 0.6F}}}, {"p", {{"a", 0.9F}}}},
    };
    const MemoryDataset dataset(examplesOf(cases.at(static_cast<std::size_t>(which))));
    const auto count = countDuplicates(dataset);
    QCOMPARE(count.labelled, std::int64_t{labelled});
    QCOMPARE(count.repeated, std::int64_t{repeated});
    QCOMPARE(count.conflicting, std::int64_t{conflicting});
    QCOMPARE(count.rows.size(), std::size_t(conflicting > 0 ? 2 : 0));
}

void tst_data_audit::lengthsAndLimits_data()
{
    QTest::addColumn<int>("limit");
    QTest::addColumn<QString>("truncation");
    QTest::addColumn<QString>("cut");
    QTest::addColumn<QString>("dropped");
    QTest::addColumn<QString>("correctLost");
    QTest::addColumn<QString>("wrongLost");
    // Rows of 8 and 11 tokens: prompt, separator, steps with a separator each.
    QTest::newRow("room") << 11 << "cut-right"
                          << "0"
                          << "0"
                          << "0"
                          << "0";
    QTest::newRow("cut right") << 8 << "cut-right"
                               << "1"
                               << "0"
                               << "0"
                               << "1";
    QTest::newRow("cut both") << 6 << "cut-right"
                              << "2"
                              << "0"
                              << "1"
                              << "2";
    QTest::newRow("drop one") << 8 << "drop-row"
                              << "1"
                              << "1"
                              << "2"
                              << "1";
    QTest::newRow("drop both") << 3 << "drop-row"
                               << "2"
                               << "2"
                               << "3"
                               << "2";
}

void tst_data_audit::lengthsAndLimits()
{
    QFETCH(int, limit);
    QFETCH(QString, truncation);
    QFETCH(QString, cut);
    QFETCH(QString, dropped);
    QFETCH(QString, correctLost);
    QFETCH(QString, wrongLost);
    const auto examples =
        examplesOf({{"p", {{"aa", 1}, {"bb", 0}}}, {"p", {{"aa", 1}, {"bb", 1}, {"cc", 0}}}});
    LayoutOptions options;
    options.maximumTokens = limit;
    options.truncation = *truncationFromId(truncation.toStdString());
    const auto rows = layOut(examples, options);
    const MemoryDataset dataset(examples);
    Report report;
    DataAuditInput input;
    input.train = &dataset;
    input.trainRows = rows;
    input.maximumTokens = limit;
    auditData(report, input);
    QCOMPARE(cell(report, "truncation", "rows cut", 1), cut.toStdString());
    QCOMPARE(cell(report, "truncation", "rows dropped", 1), dropped.toStdString());
    QCOMPARE(cell(report, "truncation", "correct labels lost", 1), correctLost.toStdString());
    QCOMPARE(cell(report, "truncation", "wrong labels lost", 1), wrongLost.toStdString());
    QCOMPARE(cell(report, "truncation", "longest row, tokens", 1), std::string("11"));
    QCOMPARE(report.metric("longest_row_tokens")->value.value(), 11.0);
    QCOMPARE(passedRow(report, "truncation-loss") != nullptr, cut == "0");
}

void tst_data_audit::histogramHoldsEveryRow_data()
{
    QTest::addColumn<int>("longest");
    for (const int longest : {1, 2, 31, 32, 33, 1000})
        QTest::addRow("%d tokens", longest) << longest;
}

void tst_data_audit::histogramHoldsEveryRow()
{
    QFETCH(int, longest);
    std::vector<LaidOut> rows(static_cast<std::size_t>(longest));
    for (int i = 0; i < longest; ++i) {
        Sequence sequence;
        sequence.ids.assign(static_cast<std::size_t>(i + 1), 7);
        rows[static_cast<std::size_t>(i)].sequences.push_back(std::move(sequence));
    }
    const auto curve = tokensPerRow(rows);
    QVERIFY(curve.x.size() <= 33 && curve.x.size() == curve.y.size() && !curve.x.empty());
    QCOMPARE(curve.x.front(), 0.0);
    QCOMPARE(std::accumulate(curve.y.begin(), curve.y.end(), 0.0), static_cast<double>(longest));
    QVERIFY(curve.x.back() <= longest);
    QVERIFY(curve.y.back() > 0.0);
}

void tst_data_audit::joins_data()
{
    QTest::addColumn<QString>("separator");
    QTest::addColumn<int>("different");
    QTest::newRow("plain") << "\n" << 0;
    QTest::newRow("begins with a blank") << " #" << 2;
}

void tst_data_audit::joins()
{
    QFETCH(QString, separator);
    QFETCH(int, different);
    const MemoryDataset dataset(examplesOf({{"p", {{"aa", 1}, {"bb", 0}}}, {"q", {{"cc", 1}}}}));
    const auto count = countJoins(dataset, LetterTokenizer(), separator.toStdString(), 1);
    QCOMPARE(count.rows, std::int64_t{1});
    QCOMPARE(count.steps, std::int64_t{2});
    QCOMPARE(count.different, std::int64_t{different});
}

void tst_data_audit::conflictsAreAWarning()
{
    const auto examples = examplesOf({{"p", {{"a", 1}}}, {"p", {{"a", 0}}}});
    const MemoryDataset dataset(examples);
    const auto rows = layOut(examples, {});
    Report report;
    DataAuditInput input;
    input.train = &dataset;
    input.trainRows = rows;
    auditData(report, input);
    QVERIFY(found(report, "duplicate-labels"));
    QVERIFY(!passedRow(report, "duplicate-labels"));
}

void tst_data_audit::longerThanTheBackbone_data()
{
    QTest::addColumn<int>("positions");
    QTest::addColumn<int>("rows"); // of training and evaluation
    QTest::newRow("not known") << 0 << 0;
    QTest::newRow("long enough") << 100 << 0;
    QTest::newRow("for all but one") << 40 << 1;
    QTest::newRow("for none") << 5 << 3;
}

void tst_data_audit::longerThanTheBackbone()
{
    QFETCH(int, positions);
    QFETCH(int, rows);
    const auto examples = examplesOf({{"short", {{"a", 1.F}}}, {std::string(50, 'p'), {{"b", 0.F}}}});
    const auto others = examplesOf({{"other", {{"c", 1.F}}}});
    LayoutOptions options;
    options.maximumTokens = std::nullopt;
    const auto laidOut = layOut(examples, options), otherRows = layOut(others, options);
    const MemoryDataset train(examples), evaluation(others);
    DataAuditInput input;
    input.train = &train;
    input.evaluation = &evaluation;
    input.trainRows = laidOut;
    input.evaluationRows = otherRows;
    input.maximumPositions = positions;
    Report report;
    auditData(report, input);
    QCOMPARE(found(report, "longer-than-positions"), rows > 0);
    for (const auto& finding : report.findings)
        if (finding.id == "longer-than-positions") {
            QCOMPARE(finding.severity, Severity::Warning);
            QCOMPARE(static_cast<int>(finding.number), rows);
            QVERIFY(finding.remedy.find("layout.maximum_tokens to " + std::to_string(positions)) !=
                    std::string::npos);
        }
}

void tst_data_audit::sayWhatPassed()
{
    const auto examples = examplesOf({{"p", {{"a", 1}, {"b", 0}}}}), other = examplesOf({{"q", {{"a", 1}}}});
    const MemoryDataset dataset(examples), evaluation(other);
    const auto rows = layOut(examples, {}), evaluationRows = layOut(other, {});
    const LetterTokenizer tokenizer;
    DataAuditInput input;
    input.train = &dataset;
    input.trainRows = rows;
    input.evaluation = &evaluation;
    input.evaluationRows = evaluationRows;
    input.tokenizer = &tokenizer;
    Report report;
    auditData(report, input);
    for (const char* id : {"label-values", "prompt-leak", "truncation-loss", "duplicate-labels",
                           "separator-joins-differently", "tokenizer-loses-text"})
        QVERIFY2(passedRow(report, id), id);
    QVERIFY(passedRow(report, "label-values")->at(2).starts_with("All 2 labels are 0 or 1"));
    // What was found is not said to have passed.
    Report bad;
    for (const char* id : {"prompt-leak", "label-out-of-range"}) {
        Finding finding;
        finding.id = id;
        bad.findings.push_back(finding);
    }
    auditData(bad, input);
    QVERIFY(!passedRow(bad, "prompt-leak"));
    QVERIFY(!passedRow(bad, "label-values"));
}

QTEST_GUILESS_MAIN(tst_data_audit)
#include "tst_data_audit.moc"
