// Folders that must be refused with an error that names the file and the cause.
#include "core/run/probes/probe_model.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace assay;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TestBadModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refused_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QStringList>("names");
        const auto root = tests::testData() / "golden-hf" / "bad";
        std::ifstream file(root / "cases.json");
        if (!file)
            return;
        const auto cases = Json::parse(file);
        for (const auto& [name, entry] : cases.items()) {
            QStringList names;
            for (const auto& word : entry["must_name"])
                names << QString::fromStdString(word.get<std::string>());
            QTest::newRow(name.c_str()) << QString::fromStdString((root / name).string()) << names;
        }
    }
    void refused()
    {
        NEED_TEST_DATA("golden-hf/bad");
        QFETCH(QString, folder);
        QFETCH(QStringList, names);
        const auto result =
            probeModel(folder.toStdString(), R"({"cases": [{"input_ids": [1, 2, 3]}]})", "single");
        QVERIFY2(!result.ok(), "was loaded");
        const auto text = QString::fromStdString(result.error().text());
        for (const auto& name : names)
            QVERIFY2(text.contains(name), qPrintable(name + QStringLiteral(" is not in: ") + text));
        QVERIFY(!fs::exists("/tmp/golden_pwned"));
    }

    void unusableCases_data()
    {
        QTest::addColumn<QByteArray>("cases");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("empty") << QByteArray("[]");
        QTest::newRow("id outside the vocabulary") << QByteArray(R"([{"input_ids": [999999]}])");
        QTest::newRow("negative id") << QByteArray(R"([{"input_ids": [-1]}])");
        QTest::newRow("fraction") << QByteArray(R"([{"input_ids": [1.5]}])");
        QTest::newRow("all masked") << QByteArray(R"([{"input_ids": [1], "attention_mask": [0]}])");
        QTest::newRow("mask of another length")
            << QByteArray(R"([{"input_ids": [1, 2], "attention_mask": [1]}])");
    }
    void unusableCases()
    {
        NEED_TEST_DATA("derived-stories260k-hf");
        QFETCH(QByteArray, cases);
        const auto result =
            probeModel(tests::testData() / "derived-stories260k-hf", cases.toStdString(), "single");
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::Usage);
    }
};

QTEST_APPLESS_MAIN(TestBadModels)
#include "tst_bad_models.moc"
