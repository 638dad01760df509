// Sizes of files as people write them.
#include "core/base/byte_size.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

using namespace assay;

class TestByteSize : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qulonglong>("bytes"); // 0 = refused
        QTest::newRow("GB") << "5GB" << 5'000'000'000ULL;
        QTest::newRow("MiB") << "2MiB" << 2097152ULL;
        QTest::newRow("bare") << "4096" << 4096ULL;
        for (const char* text : {"", "GB", "0GB", "-1GB", "5 GB", "5gb", "1.5GB", "99999999999GB",
                                 "99999999999999999999", "5GBx"})
            QTest::newRow(text[0] ? text : "empty") << QString::fromLatin1(text) << 0ULL;
    }
    void sizes()
    {
        QFETCH(QString, text);
        QFETCH(qulonglong, bytes);
        const auto size = parseByteSize(text.toStdString(), "--shard-size");
        QCOMPARE(size.ok(), bytes > 0);
        QVERIFY(!size.ok() || *size == bytes);
    }
};

QTEST_APPLESS_MAIN(TestByteSize)
#include "tst_byte_size.moc"
