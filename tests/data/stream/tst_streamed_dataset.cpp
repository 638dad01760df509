#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "core/data/stream/streamed_dataset.h"
#include "core/data/views.h"
#include "tests/support/gzip.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <fstream>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr int kRows = 3000; // several chunks and several pieces of the table

std::string rowText(int number)
{
    const auto text = std::to_string(number);
    if (number % 97 == 5)
        return "{\"prompt\":\"p" + text + "\",\"completions\":[\"a\"],\"labels\":[true,false]}"; // refused
    return "{\"prompt\":\"p" + std::to_string(number % 50) + "\",\"completions\":[\"step " + text +
           "\",\"b\"],\"labels\":[true," + (number % 3 == 0 ? "false" : "true") + "],\"source\":\"s" +
           std::to_string(number % 2) + "\"}";
}

std::string rowsText(const char* before, const char* between, const char* after)
{
    std::string text = before;
    for (int i = 0; i < kRows; ++i)
        text += (i > 0 ? between : "") + rowText(i);
    return text + after;
}

} // namespace

/// Rows on disk are the rows in memory.
class TestStreamedDataset : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsMemory_data();
    void equalsMemory();
    void severalExamplesOfARow();
    void mostRows();
    void aChangedFileIsAnError();
    void aBrokenEndIsAnError();
    void stops();
    void leavesNothingBehind();

private:
    std::filesystem::path write(const std::string& bytes, const char* name = "rows.jsonl")
    {
        const std::filesystem::path path = m_folder.path().toStdString() + "/" + name;
        if (!writeDurably(path, bytes).ok())
            qFatal("cannot write");
        return path;
    }
    OpenOptions streamed() const
    {
        OpenOptions options;
        options.memoryBytes = 0;
        options.scratchFolder = m_folder.path().toStdString() + "/scratch";
        return options;
    }
    QTemporaryDir m_folder;
};

void TestStreamedDataset::equalsMemory_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto lines = rowsText("", "\n", "\n");
    QTest::newRow("lines") << QByteArray::fromStdString(lines);
    QTest::newRow("list") << QByteArray::fromStdString(rowsText("[", ",\n", "]"));
    QTest::newRow("packed lines") << QByteArray::fromStdString(gzipped(lines));
}

void TestStreamedDataset::equalsMemory()
{
    QFETCH(QByteArray, bytes);
    const auto path = write(bytes.toStdString());
    const auto memory = openDataset(path);
    const auto disk = openDataset(path, streamed());
    QVERIFY_RESULT(memory);
    QVERIFY_RESULT(disk);
    QVERIFY(dynamic_cast<const StreamedDataset*>(disk->get()) != nullptr);
    QVERIFY(dynamic_cast<const StreamedDataset*>(memory->get()) == nullptr);
    QCOMPARE((*disk)->size(), (*memory)->size());
    QVERIFY((*disk)->size() > 2048);
    for (std::int64_t i = (*disk)->size() - 1; i >= 0; --i) {
        const Example expected = (*memory)->at(i), found = (*disk)->at(i);
        QCOMPARE(found.id, expected.id);
        QCOMPARE(found.group, expected.group);
        QCOMPARE(found.row, expected.row);
        QCOMPARE(found.source, expected.source);
        QVERIFY(found.metadata == expected.metadata);
        QCOMPARE(found.stepwise()->prompt, expected.stepwise()->prompt);
        const auto key = (*disk)->key(i);
        QVERIFY(key.id == expected.id && key.group == expected.group && key.row == expected.row);
    }
    QCOMPARE((*disk)->fingerprint(), (*memory)->fingerprint());
    QCOMPARE((*disk)->problems().size(), (*memory)->problems().size());
    QVERIFY(!(*disk)->problems().empty());
    for (std::size_t i = 0; i < (*disk)->problems().size(); ++i) {
        QCOMPARE((*disk)->problems()[i].row, (*memory)->problems()[i].row);
        QCOMPARE((*disk)->problems()[i].line, (*memory)->problems()[i].line);
        QCOMPARE((*disk)->problems()[i].message, (*memory)->problems()[i].message);
        QCOMPARE((*disk)->problems()[i].kind, (*memory)->problems()[i].kind);
    }
    const auto split = splitByGroup(**disk, 0.2, 7), same = splitByGroup(**memory, 0.2, 7);
    QCOMPARE(split->hash, same->hash);
}

void TestStreamedDataset::severalExamplesOfARow()
{
    // A question with three judged solutions.
    std::string text = "{";
    for (int i = 0; i < 40; ++i) {
        text += std::string(i > 0 ? "," : "") + "\"q" + std::to_string(i) + "\":[";
        for (int k = 0; k < 3; ++k)
            text += std::string(k > 0 ? "," : "") + "{\"Question\":\"what is " + std::to_string(i) +
                    "?\",\"Model_Solution_Steps\":[\"one\",\"two " + std::to_string(k) +
                    "\"],\"Model_Solution_First_Error_Step\":\"2\"}";
        text += "]";
    }
    const auto path = write(text + "}", "answers.json");
    const auto memory = openDataset(path);
    QVERIFY_RESULT(memory);
    QCOMPARE((*memory)->size(), std::int64_t{120});
    const auto disk = openDataset(path, streamed());
    QVERIFY_RESULT(disk);
    QCOMPARE((*disk)->size(), (*memory)->size());
    for (std::int64_t i = 0; i < (*disk)->size(); ++i)
        QCOMPARE((*disk)->at(i).id, (*memory)->at(i).id);
}

void TestStreamedDataset::mostRows()
{
    const auto path = write(rowsText("", "\n", "\n"));
    auto options = streamed();
    options.maximumRows = 600; // the refused ones count
    const auto disk = openDataset(path, options);
    QVERIFY_RESULT(disk);
    QCOMPARE((*disk)->size() + std::ssize((*disk)->problems()), std::int64_t{600});
}

void TestStreamedDataset::aChangedFileIsAnError()
{
    const auto path = write(rowsText("", "\n", "\n"));
    const auto disk = openDataset(path, streamed());
    QVERIFY_RESULT(disk);
    QVERIFY_RESULT(readExample(**disk, 700));
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        for (int i = 0; i < 2000; ++i)
            file << "{\"prompt\":\"other\",\"completions\":[\"x\"],\"labels\":[true]}\n";
    }
    const auto row = readExample(**disk, 700);
    QVERIFY(!row.ok());
    QVERIFY2(row.error().message.find("no longer what it was") != std::string::npos,
             row.error().text().c_str());
    QVERIFY(row.error().where.find("rows.jsonl") != std::string::npos);
    QVERIFY_THROWS_EXCEPTION(RowUnreadable, (*disk)->at(700));
    std::filesystem::resize_file(path, 100);
    QVERIFY(readExample(**disk, 700).error().code == ErrorCode::Io);
}

void TestStreamedDataset::aBrokenEndIsAnError()
{
    const auto text = rowsText("[", ",\n", "");
    const auto disk = openDataset(write(text, "cut.json"), streamed());
    QVERIFY(!disk.ok());
    QVERIFY2(disk.error().message.find("ends inside the list") != std::string::npos,
             disk.error().text().c_str());
    const auto packed = gzipped(rowsText("", "\n", "\n"));
    const auto damaged = openDataset(write(packed.substr(0, packed.size() - 20)), streamed());
    QVERIFY(!damaged.ok() && damaged.error().message.find("ends too early") != std::string::npos);
}

void TestStreamedDataset::stops()
{
    const auto path = write(rowsText("", "\n", "\n"));
    std::stop_source stop;
    stop.request_stop();
    auto options = streamed();
    options.stop = stop.get_token();
    QVERIFY(openDataset(path, options).error().code == ErrorCode::Cancelled);
}

void TestStreamedDataset::leavesNothingBehind()
{
    const auto path = write(gzipped(rowsText("", "\n", "\n")));
    const auto disk = openDataset(path, streamed());
    QVERIFY_RESULT(disk);
    QVERIFY(std::filesystem::exists(streamed().scratchFolder));
    QVERIFY(std::filesystem::is_empty(streamed().scratchFolder)); // while it is in use
    auto options = streamed();
    options.scratchFolder = path; // a file
    QVERIFY(openDataset(path, options).error().code == ErrorCode::Io);
}

QTEST_GUILESS_MAIN(TestStreamedDataset)
#include "tst_streamed_dataset.moc"
