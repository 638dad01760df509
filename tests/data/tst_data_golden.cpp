#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "core/data/formats/json_rows.h"
#include "tests/support/test_data.h"

#include <nlohmann/json.hpp>

using namespace assay;

namespace {

struct Read
{
    int rows = 0;
    std::vector<std::int64_t> badLines;
    std::string error;
};

Read readAll(const std::filesystem::path& path)
{
    Read read;
    const auto status = readJsonRows(path, {}, [&read](std::int64_t, std::int64_t line, const auto& value) {
        if (value.ok())
            ++read.rows;
        else
            read.badLines.push_back(line);
        return true;
    });
    if (!status.ok())
        read.error = status.error().text();
    return read;
}

} // namespace

/// The JSON conformance suite, files with the defects of real data sets, and real step data.
class TestDataGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void jsonTestSuite();
    void badFiles();
    void badPairs();
    void badStepRows();
    void bigbenchMistake();
};

void TestDataGolden::jsonTestSuite()
{
    NEED_TEST_DATA("bad-json-testsuite/test_parsing");
    std::map<char, int> counts;
    JsonParser parser;
    for (const auto& entry :
         std::filesystem::directory_iterator(tests::testData() / "bad-json-testsuite" / "test_parsing")) {
        const auto name = entry.path().filename().string();
        const auto value = parser.parse(*readFile(entry.path()));
        ++counts[name[0]];
        if (name[0] == 'n')
            QVERIFY2(!value.ok(), name.c_str());
        // Two of the files that must pass have a key twice; refusing those is our rule.
        else if (name[0] == 'y' && !value.ok())
            QVERIFY2(value.error().message.find("stands twice") != std::string::npos,
                     (name + value.error().text()).c_str());
        // As a file of rows nothing may crash either.
        readAll(entry.path());
    }
    QVERIFY(counts['y'] > 0 && counts['n'] > 0 && counts['i'] > 0);
    qInfo("accepted y %d, refused n %d, free i %d", counts['y'], counts['n'], counts['i']);
}

void TestDataGolden::badFiles()
{
    NEED_TEST_DATA("bad-jsonl/cases.json");
    const auto folder = tests::testData() / "bad-jsonl";
    const auto cases = nlohmann::json::parse(*readFile(folder / "cases.json"));
    QVERIFY(!cases.empty());
    for (const auto& entry : cases) {
        const auto name = entry["file"].get<std::string>();
        const auto expect = entry["expect"].get<std::string>();
        const auto read = readAll(folder / name);
        const auto says = [&expect](const char* text) { return expect.find(text) != std::string::npos; };
        if (says("binary")) // gzip under another name, and cut: the content decides how it is read
            QVERIFY2(read.error.find("gzip file ends too early") != std::string::npos, read.error.c_str());
        else if (says("no rows"))
            QVERIFY2(!read.error.empty() && read.rows == 0, name.c_str());
        else
            QVERIFY2(read.error.empty(), (name + ": " + read.error).c_str());
        if (says("2 rows") || says("3 rows"))
            QVERIFY2(read.rows == (says("2 rows") ? 2 : 3) && read.badLines.empty(), name.c_str());
        if (says("bad row is line 2"))
            QCOMPARE(read.badLines, std::vector<std::int64_t>{2});
        if (says("error on line 1") || says("report or take the last"))
            QCOMPARE(read.badLines, std::vector<std::int64_t>{1});
    }
}

void TestDataGolden::badPairs()
{
    NEED_TEST_DATA("bad-jsonl/missing_rejected.jsonl");
    const auto open = [](const char* name) { return *openDataset(tests::testData() / "bad-jsonl" / name); };
    const auto missing = open("missing_rejected.jsonl");
    QCOMPARE(missing->size(), std::int64_t{1});
    QCOMPARE(missing->problems().at(0).line, std::int64_t{2});
    QVERIFY(missing->problems().at(0).message.find("`rejected`") != std::string::npos);
    const auto mixed = open("mixed_schemas.jsonl");
    QCOMPARE(mixed->size(), std::int64_t{2}); // texts and messages; the third row has other columns
    QCOMPARE(mixed->problems().at(0).line, std::int64_t{3});
    const Example nulRow = open("nul_in_text.jsonl")->at(0);
    const auto* nul = nulRow.preference();
    QVERIFY(nul != nullptr);
    const auto equal = open("chosen_equals_rejected.jsonl");
    QVERIFY(equal->problems().empty() && equal->size() > 0); // the label checks name them
}

void TestDataGolden::badStepRows()
{
    NEED_TEST_DATA("bad-jsonl/steps_label_types.jsonl");
    const auto open = [](const char* name) { return *openDataset(tests::testData() / "bad-jsonl" / name); };
    const auto types = open("steps_label_types.jsonl");
    QCOMPARE(types->size(), std::int64_t{2}); // soft labels, and null for "no label"
    std::vector<std::int64_t> lines;
    for (const auto& problem : types->problems())
        lines.push_back(problem.line);
    QCOMPARE(lines, (std::vector<std::int64_t>{1, 2, 4}));
    QCOMPARE(open("steps_out_of_range.jsonl")->size(), std::int64_t{0});
    QCOMPARE(open("steps_out_of_range.jsonl")->problems().size(), std::size_t{1});
    QVERIFY(open("all_one_class.jsonl")->problems().empty());
    const Example separators = open("steps_contain_separator.jsonl")->at(0);
    QCOMPARE(separators.stepwise()->steps.size(), std::size_t{3});
}

void TestDataGolden::bigbenchMistake()
{
    NEED_TEST_DATA("stepwise-bigbench-mistake");
    // The counts that the test data's own page gives for these files.
    const std::map<std::string, std::array<int, 3>> expected{
        {"logical_deduction.jsonl", {300, 2497, 294}},
        {"multistep_arithmetic.jsonl", {300, 1506, 238}},
        {"tracking_shuffled_objects.jsonl", {300, 1617, 260}}};
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(tests::testData() / "stepwise-bigbench-mistake")) {
        if (entry.path().extension() != ".jsonl")
            continue;
        const auto dataset = openDataset(entry.path());
        QVERIFY_RESULT(dataset);
        QVERIFY((*dataset)->problems().empty());
        std::array<int, 3> counts{static_cast<int>((*dataset)->size()), 0, 0};
        for (std::int64_t i = 0; i < (*dataset)->size(); ++i) {
            const Example example = (*dataset)->at(i);
            const auto* row = example.stepwise();
            counts[1] += static_cast<int>(row->steps.size());
            counts[2] += *row->declaredFirstError >= 0 ? 1 : 0;
        }
        if (const auto found = expected.find(entry.path().filename().string()); found != expected.end())
            QCOMPARE(counts, found->second);
        qInfo("%s: %d rows, %d steps, %d with a mistake", entry.path().filename().c_str(), counts[0],
              counts[1], counts[2]);
        ++files;
    }
    QVERIFY(files > 0);
}

QTEST_GUILESS_MAIN(TestDataGolden)
#include "tst_data_golden.moc"
