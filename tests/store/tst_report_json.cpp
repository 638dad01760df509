#include "core/store/run_store.h"
#include "tests/support/test_data.h"

#include <cmath>
#include <limits>

using namespace assay;

/// Reports come back from the store as they went in, NaN and infinities included.
class TestReportJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsNumbers_data();
    void keepsNumbers();
    void keepsEverythingElse();
    void refuses_data();
    void refuses();
};

void TestReportJson::keepsNumbers_data()
{
    QTest::addColumn<double>("number");
    const double none = std::numeric_limits<double>::quiet_NaN(),
                 endless = std::numeric_limits<double>::infinity();
    QTest::newRow("zero") << 0.0;
    QTest::newRow("minus zero") << -0.0;
    QTest::newRow("a third") << 1.0 / 3.0;
    QTest::newRow("smallest") << std::numeric_limits<double>::denorm_min();
    QTest::newRow("largest") << std::numeric_limits<double>::max();
    QTest::newRow("NaN") << none;
    QTest::newRow("infinity") << endless;
    QTest::newRow("minus infinity") << -endless;
}

void TestReportJson::keepsNumbers()
{
    QFETCH(double, number);
    const auto same = [&](double other) {
        return std::isnan(number) ? std::isnan(other)
                                  : other == number && std::signbit(other) == std::signbit(number);
    };
    Report report;
    report.metrics.push_back({"m", "M", number, number, number, number, ""});
    report.curves.push_back({"c", "C", {number}, {1.0, number}});
    report.findings.push_back({"f", Severity::Red, "t", "e", "c", "r", {}, number});
    const auto back = reportFromJson(reportToJson(report));
    QVERIFY_RESULT(back);
    QVERIFY(same(*back->metrics[0].value));
    QVERIFY(same(*back->metrics[0].low));
    QVERIFY(same(*back->metrics[0].chance));
    QVERIFY(same(back->curves[0].x[0]));
    QVERIFY(same(back->curves[0].y[1]));
    QVERIFY(same(back->findings[0].number));
}

void TestReportJson::keepsEverythingElse()
{
    Report report;
    report.metrics.push_back({"mcc", "MCC", {}, {}, {}, {}, "one class only"});
    report.tables.push_back({"t", "Tökens \"x\"\n", {"a", "b"}, {{"1", "2"}, {}}});
    report.findings.push_back(
        {"one-class-only", Severity::Warning, "T", "E", "C", "R", {3, 1'000'000'007}, 2.0});
    report.findings.push_back({"n", Severity::Note, "", "", "", "", {}, 0.0});
    const auto back = reportFromJson(reportToJson(report));
    QVERIFY_RESULT(back);
    QVERIFY(!back->metrics[0].value.has_value());
    QCOMPARE(back->metrics[0].undefinedReason, report.metrics[0].undefinedReason);
    QCOMPARE(back->tables[0].title, report.tables[0].title);
    QVERIFY(back->tables[0].columns == report.tables[0].columns);
    QVERIFY(back->tables[0].rows == report.tables[0].rows);
    QVERIFY(back->findings[0].rows == report.findings[0].rows);
    QVERIFY(back->findings[0].severity == Severity::Warning);
    QVERIFY(back->findings[1].severity == Severity::Note);
}

void TestReportJson::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("cut") << QByteArray(R"({"metrics":[)");
    QTest::newRow("not an object") << QByteArray("[]");
    QTest::newRow("wrong type") << QByteArray(
        R"({"metrics":[{"id":1}],"tables":[],"curves":[],"findings":[]})");
}

void TestReportJson::refuses()
{
    QFETCH(QByteArray, text);
    const auto report = reportFromJson(text.toStdString());
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, ErrorCode::BadData);
}

QTEST_GUILESS_MAIN(TestReportJson)
#include "tst_report_json.moc"
