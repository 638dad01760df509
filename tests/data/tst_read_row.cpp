// Rows that come one by one, as requests do: the same examples as from a file, or what is wrong with them.
#include "core/data/format.h"
#include "core/data/row_reader.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

using namespace assay;

class TstReadRow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsTheFile_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QByteArray>("format");
        QTest::newRow("stepwise")
            << QByteArray(R"({"prompt": "p", "completions": ["a", "b"], "labels": [true, null], "id": 7})")
            << QByteArray();
        QTest::newRow("without labels")
            << QByteArray(R"({"prompt": "p", "completions": ["a"]})") << QByteArray();
        QTest::newRow("named format")
            << QByteArray(R"({"prompt": "p", "completions": ["a"]})") << QByteArray("stepwise");
        QTest::newRow("token ids") << QByteArray(R"({"input_ids": [1, 5, 6], "labels": [-100, -100, 1]})")
                                   << QByteArray();
    }
    void equalsTheFile()
    {
        QFETCH(QByteArray, row);
        QFETCH(QByteArray, format);
        QTemporaryDir folder;
        const auto path = folder.filePath("rows.jsonl").toStdString();
        std::ofstream(path) << row.toStdString() << "\n";
        const auto data = openDataset(path);
        QVERIFY_RESULT(data);
        const auto example = readRow(row.toStdString(), format.toStdString());
        QVERIFY_RESULT(example);
        QCOMPARE(example->id, (*data)->at(0).id);
        QCOMPARE(example->group, (*data)->at(0).group);
        QVERIFY(!example->id.empty());
        QVERIFY(example->metadata == (*data)->at(0).metadata);
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QByteArray>("says");
        const auto add = [](const char* name, const char* row, const char* format, ErrorCode code,
                            const char* says) {
            QTest::newRow(name) << QByteArray(row) << QByteArray(format) << code << QByteArray(says);
        };
        add("no JSON", "{", "", ErrorCode::BadData, "not valid JSON");
        add("nothing", " ", "", ErrorCode::BadData, "no JSON value");
        add("no object", "[1]", "", ErrorCode::BadData, "no JSON object");
        add("no object, format named", "3", "stepwise", ErrorCode::BadData, "no JSON object");
        add("no format", R"({"a": 1})", "", ErrorCode::Unsupported, "the columns a");
        add("unknown format", "{}", "csv", ErrorCode::Usage, "unknown format csv");
        add("count", R"({"prompt": "p", "completions": ["a"], "labels": []})", "", ErrorCode::BadData,
            "1 steps and 0 labels");
        add("not alone", R"({"demo_recipe": "train"})", "", ErrorCode::Unsupported, "do not stand alone");
    }
    void refuses()
    {
        QFETCH(QByteArray, row);
        QFETCH(QByteArray, format);
        QFETCH(ErrorCode, code);
        QFETCH(QByteArray, says);
        const auto example = readRow(row.toStdString(), format.toStdString());
        QVERIFY(!example.ok());
        QCOMPARE(example.error().code, code);
        QVERIFY2(example.error().message.find(says.toStdString()) != std::string::npos,
                 example.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TstReadRow)
#include "tst_read_row.moc"
