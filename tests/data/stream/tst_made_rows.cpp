#include "core/data/stream/made_rows.h"
#include "tests/support/test_data.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace assay;

namespace {

/// Numbers as rows, then an end or an error.
class Numbers : public RowSource
{
public:
    Numbers(std::int64_t count, bool fails)
        : m_count(count)
        , m_fails(fails)
    {}
    Result<std::optional<Row>> next() override
    {
        if (m_next == m_count)
            return m_fails ? Result<std::optional<Row>>(Error{ErrorCode::Io, "the disk failed"})
                           : Result<std::optional<Row>>(std::optional<Row>());
        m_text = std::to_string(m_next);
        return std::optional(Row{.json = m_text, .number = m_next++});
    }
    std::string_view container() const override { return "numbers"; }
    double share() const override { return 0.0; }
    std::int64_t read() const { return m_next; }

private:
    std::int64_t m_count;
    bool m_fails;
    std::int64_t m_next = 0;
    std::string m_text;
};

MadeRow made(const Row& row)
{
    MadeRow result;
    result.examples.resize(1);
    result.examples.front().id = std::string(row.json);
    return result;
}

} // namespace

/// All cores make rows, one after the other they come out.
class TestMadeRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void inOrderOnAllCores();
    void endsWhenAsked();
    void errors_data();
    void errors();
};

void TestMadeRows::inOrderOnAllCores()
{
    constexpr std::int64_t kRows = 100000;
    Numbers numbers(kRows, false);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::int64_t seen = 0;
    const auto status = makeRows(
        numbers,
        [&](const Row& row) {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            return made(row);
        },
        [&](MadeRow row) -> Result<bool> {
            const bool right =
                row.number == seen && row.text == std::to_string(seen) && row.examples.front().id == row.text;
            ++seen;
            return right;
        });
    QVERIFY_RESULT(status);
    QCOMPARE(seen, kRows);
    if (std::thread::hardware_concurrency() > 1)
        QVERIFY(threads.size() > 1);
}

void TestMadeRows::endsWhenAsked()
{
    Numbers numbers(10'000'000, false);
    std::int64_t seen = 0;
    QVERIFY_RESULT(makeRows(numbers, made, [&](MadeRow) -> Result<bool> { return ++seen < 1000; }));
    QCOMPARE(seen, std::int64_t{1000});
    QVERIFY(numbers.read() < 100'000); // not much further than it had to
}

void TestMadeRows::errors_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("message");
    QTest::newRow("of the source, behind its rows") << 0 << "the disk failed";
    QTest::newRow("of a row that speaks for the file") << 1 << "no JSON";
    QTest::newRow("of the visitor") << 2 << "the disk is full";
}

void TestMadeRows::errors()
{
    QFETCH(int, kind);
    QFETCH(QString, message);
    constexpr std::int64_t kRows = 5000;
    Numbers numbers(kRows, kind == 0);
    std::int64_t seen = 0;
    const auto status = makeRows(
        numbers,
        [&](const Row& row) {
            auto result = made(row);
            if (kind == 1 && row.number == 2000)
                result.fileError = Error{ErrorCode::BadData, "no JSON"};
            return result;
        },
        [&](MadeRow) -> Result<bool> {
            if (kind == 2 && seen == 3000)
                return Error{ErrorCode::Io, "the disk is full"};
            ++seen;
            return true;
        });
    QVERIFY(!status.ok());
    QCOMPARE(QString::fromStdString(status.error().message), message);
    QCOMPARE(seen, std::int64_t{kind == 0 ? kRows : kind == 1 ? 2000 : 3000});
}

QTEST_GUILESS_MAIN(TestMadeRows)
#include "tst_made_rows.moc"
