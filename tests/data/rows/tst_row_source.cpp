#include "core/base/durable_file.h"
#include "core/data/rows/row_source.h"
#include "tests/support/gzip.h"
#include "tests/support/test_data.h"
#include "tests/support/zstd.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr std::size_t kSmallLimit = 64;

/// "container|line@offset:json|..."; a fault is "!", an error ends it with its message.
std::string described(const std::filesystem::path& path, const RowOptions& options)
{
    const auto source = openRowSource(path, options);
    if (!source.ok())
        return source.error().message;
    std::string text((*source)->container());
    for (;;) {
        const auto row = (*source)->next();
        if (!row.ok())
            return text + "|" + row.error().message;
        if (!*row)
            return (*source)->share() == 1.0 ? text : text + "|the share is not 1";
        text += "|" + std::to_string((*row)->line) + "@" + std::to_string((*row)->offset) + ":" +
                ((*row)->fault ? "!" : std::string((*row)->json));
    }
}

} // namespace

/// Every container gives the same rows, one at a time, and says where they lie.
class TestRowSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void longRowsNameTheirSize();
    void stops();
    void folder();

private:
    std::filesystem::path write(const std::string& bytes)
    {
        const std::filesystem::path path = m_folder.path().toStdString() + "/rows.bin";
        if (!writeDurably(path, bytes).ok())
            qFatal("cannot write");
        return path;
    }
    QTemporaryDir m_folder;
};

void TestRowSource::reads_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const std::string& bytes, const char* expected) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(expected);
    };
    const std::string lines = "{\"a\":1}\n\n{\"a\":2}";
    row("lines", lines, "JSON lines|1@0:{\"a\":1}|3@9:{\"a\":2}");
    row("lines with a mark", "\xef\xbb\xbf" + lines, "JSON lines|1@3:{\"a\":1}|3@12:{\"a\":2}");
    row("gzip", gzipped(lines), "JSON lines|1@-1:{\"a\":1}|3@-1:{\"a\":2}");
    row("zstd", zstandard(lines), "JSON lines|1@-1:{\"a\":1}|3@-1:{\"a\":2}");
    row("a broken line first", "{\"a\":\n{\"a\":2}\n", "JSON lines|1@0:{\"a\":|2@6:{\"a\":2}");
    row("an object over lines", "{\"a\":\n {}\n}\n", "JSON object|1@-1:{\"a\":\n {}\n}\n");
    row("list", "[{\"a\":\"],\\\"}\"}\n,\n[1,2], 3 ]\n",
        "JSON array|1@1:{\"a\":\"],\\\"}\"}\n|3@17:[1,2]|3@24:3 ");
    row("packed list", gzipped("[1]"), "JSON array|1@-1:1");
    row("empty list", " [ ] ", "JSON array");
    row("no comma", "[{} {}]", "JSON array|1@1:{} {}");
    row("nothing between commas", "[1,,2]",
        "JSON array|1@1:1|not valid JSON: a row is missing (line 1, byte 4)");
    row("a comma first", "[,1]", "JSON array|not valid JSON: a row is missing (line 1, byte 2)");
    row("a comma last", "[1,\n]",
        "JSON array|1@1:1|not valid JSON: a comma stands before the end of the list (line 2, byte 5)");
    row("another bracket", "[1}",
        "JSON array|1@1:1|not valid JSON: a comma or the end of the list is missing "
        "(line 1, byte 3)");
    row("more behind it", "[1]\n[2]",
        "JSON array|1@1:1|not valid JSON: there is more behind the end of the list (line 2, byte 5)");
    row("cut",
        "[1, {\"a\":", "JSON array|1@1:1|not valid JSON: the file ends inside the list (line 1, byte 10)");
}

void TestRowSource::reads()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(described(write(bytes.toStdString()), {})), expected);
}

void TestRowSource::longRowsNameTheirSize()
{
    const std::string row = "\"" + std::string(kSmallLimit, 'x') + "\"";
    for (const auto& text : {"1\n" + row + "\n3\n", "[1,\n" + row + ",\n3]"}) {
        const auto path = write(text);
        const auto source = openRowSource(path, {.maximumRowBytes = kSmallLimit});
        QVERIFY_RESULT(source);
        QVERIFY((*(*source)->next())->json == "1");
        const auto second = (*source)->next();
        QVERIFY_RESULT(second);
        QVERIFY((*second)->fault && (*second)->line == 2);
        const auto& message = (*second)->fault->message;
        QVERIFY2(message.find("has 66 bytes; a row may have 64") != std::string::npos, message.c_str());
        const auto third = (*source)->next();
        QVERIFY((*third)->json == "3" && (*third)->number == 2);
    }
}

void TestRowSource::stops()
{
    std::string text;
    for (int i = 0; i < 100000; ++i)
        text += "{\"row\":" + std::to_string(i) + "}\n";
    const auto path = write(text);
    std::stop_source stop;
    const auto source = openRowSource(path, {.stop = stop.get_token()});
    QVERIFY_RESULT(source);
    QVERIFY_RESULT((*source)->next());
    QVERIFY((*source)->share() < 1.0);
    stop.request_stop();
    for (int i = 1; i < 100000; ++i) {
        const auto row = (*source)->next();
        if (!row.ok()) {
            QVERIFY(row.error().code == ErrorCode::Cancelled);
            return;
        }
        QVERIFY(*row);
    }
    QFAIL("did not stop");
}

void TestRowSource::folder()
{
    QVERIFY(openRowSource(m_folder.path().toStdString()).error().code == ErrorCode::Usage);
    QVERIFY(openRowSource(m_folder.path().toStdString() + "/gone").error().code == ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(TestRowSource)
#include "tst_row_source.moc"
