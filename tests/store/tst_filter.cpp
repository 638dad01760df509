#include "core/store/filter/filter.h"
#include "tests/support/test_data.h"

using namespace assay;

/// The language of the filter lines: what it understands, what it refuses and where.
class TestFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesConditions_data();
    void writesConditions();
    void refuses_data();
    void refuses();
    void neverPutsValuesIntoSql_data();
    void neverPutsValuesIntoSql();
};

void TestFilter::writesConditions_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sql");
    QTest::addColumn<int>("values");
    QTest::newRow("nothing") << "  "
                             << "1" << 0;
    QTest::newRow("number") << "step >= 10"
                            << "(r.step >= ?)" << 1;
    QTest::newRow("no spaces") << "step>=10"
                               << "(r.step >= ?)" << 1;
    QTest::newRow("double equals") << "step == 10"
                                   << "(r.step = ?)" << 1;
    QTest::newRow("other unequal") << "step <> 10"
                                   << "(r.step != ?)" << 1;
    QTest::newRow("words in any case") << "STEP > 1 AND NOT Archived"
                                       << "((r.step > ?) AND (NOT (r.archived_ms IS NOT NULL)))" << 1;
    QTest::newRow("side by side") << "step > 1 archived"
                                  << "((r.step > ?) AND (r.archived_ms IS NOT NULL))" << 1;
    QTest::newRow("and binds tighter") << "step > 1 or step > 2 and step > 3"
                                       << "((r.step > ?) OR ((r.step > ?) AND (r.step > ?)))" << 3;
    QTest::newRow("not binds tightest") << "not step > 1 and step > 2"
                                        << "((NOT (r.step > ?)) AND (r.step > ?))" << 2;
    QTest::newRow("parentheses") << "(step > 1 or step > 2) and step > 3"
                                 << "(((r.step > ?) OR (r.step > ?)) AND (r.step > ?))" << 3;
    QTest::newRow("many side by side") << "step > 1 step > 2 and step > 3"
                                       << "((r.step > ?) AND (r.step > ?) AND (r.step > ?))" << 3;
    QTest::newRow("contains") << "name ~ q05"
                              << "(r.name LIKE ? ESCAPE '\\')" << 1;
    QTest::newRow("day") << "started = 2026-07-16"
                         << "(r.started_ms BETWEEN ? AND ?)" << 2;
    QTest::newRow("single quotes") << "name = 'a b'"
                                   << "(r.name = ? COLLATE NOCASE)" << 1;
}

void TestFilter::writesConditions()
{
    QFETCH(QString, text);
    QFETCH(QString, sql);
    QFETCH(int, values);
    const auto filter = parseFilter(text.toStdString(), runFilterLanguage());
    QVERIFY_RESULT(filter);
    QCOMPARE(QString::fromStdString(filter->sql), sql);
    QCOMPARE(filter->values.size(), static_cast<std::size_t>(values));
}

void TestFilter::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    QTest::addColumn<int>("character"); // counted from 1
    QTest::newRow("unknown field") << "statsu = failed"
                                   << "statsu" << 1;
    QTest::newRow("unknown status") << "status = faild"
                                    << "faild" << 10;
    QTest::newRow("no value") << "step >"
                              << "end of the filter" << 7;
    QTest::newRow("no number") << "step > many"
                               << "many" << 8;
    QTest::newRow("number with tail") << "step > 1x"
                                      << "1x" << 8;
    QTest::newRow("not finite") << "step > inf"
                                << "inf" << 8;
    QTest::newRow("order of text") << "name < a"
                                   << "<" << 6;
    QTest::newRow("no such comparison") << "step >>= 1"
                                        << ">>=" << 6;
    QTest::newRow("flag with value") << "archived = 1"
                                     << "=" << 10;
    QTest::newRow("open quote") << "name = \"q05"
                                << "\"q05" << 8;
    QTest::newRow("open parenthesis") << "(step > 1"
                                      << "end of the filter" << 10;
    QTest::newRow("closed too often") << "step > 1)"
                                      << ")" << 9;
    QTest::newRow("and without left") << "and step > 1"
                                      << "and" << 1;
    QTest::newRow("or without right") << "step > 1 or"
                                      << "end of the filter" << 12;
    QTest::newRow("not alone") << "not"
                               << "end of the filter" << 4;
    QTest::newRow("no date") << "started > 16.7.2026"
                             << "16.7.2026" << 11;
    QTest::newRow("no unit") << "duration > 5weeks"
                             << "5weeks" << 12;
    QTest::newRow("too deep") << QString(100, '(') + "step > 1" + QString(100, ')') << "(" << 11;
    QTest::newRow("too many words") << QString("a ").repeated(300) << "a" << 401;
    QTest::newRow("too many nots") << QString("not ").repeated(100) + "archived"
                                   << "not" << 41;
}

void TestFilter::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    QFETCH(int, character);
    const auto filter = parseFilter(text.toStdString(), runFilterLanguage());
    QVERIFY(!filter.ok());
    QCOMPARE(filter.error().code, ErrorCode::Usage);
    QCOMPARE(QString::fromStdString(filter.error().where), where);
    const QString message = QString::fromStdString(filter.error().message);
    QVERIFY2(message.endsWith(QStringLiteral(" at character %1").arg(character)), qPrintable(message));
}

void TestFilter::neverPutsValuesIntoSql_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("value") << "name = \"'; DROP TABLE runs; --\"";
    QTest::newRow("tag") << "tag = \"DROP TABLE\"";
    QTest::newRow("verdict") << "verdict ~ \"DROP TABLE\"";
    QTest::newRow("word") << "\"DROP TABLE\"";
}

void TestFilter::neverPutsValuesIntoSql()
{
    QFETCH(QString, text);
    const auto filter = parseFilter(text.toStdString(), runFilterLanguage());
    QVERIFY_RESULT(filter);
    QVERIFY(filter->sql.find("DROP") == std::string::npos);
    QVERIFY(!filter->values.empty());
}

QTEST_GUILESS_MAIN(TestFilter)
#include "tst_filter.moc"
