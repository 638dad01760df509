#include "core/config/fields.h"
#include "core/config/json.h"

#include <QTest>

using namespace assay;

/// Texts that a terminal or a file system may give, and JSON cannot hold.
class TestFieldValues : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bytesThatAreNoText_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("message"); // empty = taken
        const QString path = "name of this file or folder is not UTF-8", text = "text is not UTF-8";
        QTest::newRow("path") << QByteArray("data.train") << QByteArray("rows\xff.jsonl") << path;
        QTest::newRow("half a character") << QByteArray("backbone.folder") << QByteArray("m\xc3") << path;
        QTest::newRow("surrogate") << QByteArray("backbone.folder") << QByteArray("\xed\xa0\x80") << path;
        QTest::newRow("name") << QByteArray("run.name") << QByteArray("\xfe") << text;
        QTest::newRow("tags") << QByteArray("run.tags") << QByteArray("a,\xff") << text;
        QTest::newRow("accents") << QByteArray("data.train") << QByteArray("r\xc3\xa9sum\xc3\xa9.jsonl")
                                 << QString();
    }

    void bytesThatAreNoText()
    {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, value);
        QFETCH(QString, message);
        ExperimentConfig config;
        const auto status = setField(config, field.toStdString(), value.toStdString());
        QCOMPARE(status.ok(), message.isEmpty());
        if (status.ok()) {
            QVERIFY(!configToJson(config).empty());
            return;
        }
        QVERIFY2(QString::fromStdString(status.error().message).contains(message),
                 status.error().text().c_str());
        QCOMPARE(status.error().where, field.toStdString());
        QVERIFY(!status.error().remedy.empty());
    }
};

QTEST_GUILESS_MAIN(TestFieldValues)
#include "tst_field_values.moc"
