#include "core/base/durable_file.h"
#include "core/files/input_file.h"
#include "tests/support/gzip.h"
#include "tests/support/test_data.h"
#include "tests/support/zstd.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr std::size_t kPieceBytes = 1000;

/// The whole file in small pieces, twice; the error's text when there is one.
std::string readTwice(const std::filesystem::path& path, std::uintmax_t maximumBytes)
{
    auto file = InputFile::open(path, maximumBytes);
    if (!file)
        return file.error().text();
    std::string first;
    for (int pass = 0; pass < 2; ++pass) {
        std::string text, piece(kPieceBytes, '\0');
        for (std::size_t size = kPieceBytes; size == kPieceBytes;) {
            const auto read = file->read(piece);
            if (!read)
                return read.error().text();
            size = *read;
            text.append(piece, 0, size);
        }
        if (pass == 1 && text != first)
            return "differs after rewind";
        first = text;
        if (!file->rewind().ok())
            return "no rewind";
    }
    return first;
}

} // namespace

/// Plain and packed files are read alike; damaged ones say so.
class TestInputFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void errors_data();
    void errors();
    void restHasALimit();

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

void TestInputFile::reads_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const QByteArray text = QByteArray("row of text\n").repeated(300); // ends inside a piece
    const auto packed = QByteArray::fromStdString(gzipped(text.toStdString()));
    QTest::newRow("plain") << text << text;
    QTest::newRow("packed") << packed << text;
    QTest::newRow("two members") << packed + packed << text + text;
    const auto frame = QByteArray::fromStdString(zstandard(text.toStdString()));
    QTest::newRow("zstd") << frame << text;
    QTest::newRow("two frames of zstd") << frame + frame << text + text;
    QTest::newRow("empty") << QByteArray() << QByteArray();
    QTest::newRow("a multiple of the piece")
        << QByteArray(2 * kPieceBytes, 'x') << QByteArray(2 * kPieceBytes, 'x');
    QTest::newRow("plain, over the limit of packed ones")
        << QByteArray(100000, 'x') << QByteArray(100000, 'x');
}

void TestInputFile::reads()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(readTwice(write(bytes.toStdString()), 50000)), expected);
}

void TestInputFile::errors_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    const auto packed = QByteArray::fromStdString(gzipped(std::string(60000, 'x') + "end"));
    QTest::newRow("bomb") << packed << "expands to more than 50000 bytes";
    QTest::newRow("cut") << packed.left(packed.size() - 12) << "ends too early";
    QTest::newRow("head only") << packed.left(10) << "ends too early";
    const auto frame = QByteArray::fromStdString(zstandard(std::string(60000, 'x') + "end"));
    QTest::newRow("zstd bomb") << frame << "the zstd file expands to more than 50000 bytes";
    const auto small = QByteArray::fromStdString(zstandard("some text that is long enough"));
    QTest::newRow("cut zstd") << small.left(small.size() - 3) << "the zstd file ends too early";
    QTest::newRow("damaged zstd") << small.left(4) + '\xff' + small.mid(5) << "the zstd file is damaged";
    auto damaged = QByteArray::fromStdString(gzipped("some text that is long enough"));
    damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] + 1); // the checksum
    QTest::newRow("damaged") << damaged << "damaged";
}

void TestInputFile::errors()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    const auto path = write(bytes.toStdString());
    const auto text = QString::fromStdString(readTwice(path, 50000));
    QVERIFY2(text.contains(reason), qPrintable(text.left(200)));
    QVERIFY(text.contains("rows.bin"));
    QVERIFY(InputFile::open(path.string() + ".gone").error().code == ErrorCode::NotFound);
}

void TestInputFile::restHasALimit()
{
    const auto path = write(gzipped("abcdef"));
    auto file = *InputFile::open(path);
    QCOMPARE(*file.readRest(6), std::string("abcdef"));
    QVERIFY_RESULT(file.rewind());
    QVERIFY(file.readRest(5).error().message.find("larger than 5 bytes") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestInputFile)
#include "tst_input_file.moc"
