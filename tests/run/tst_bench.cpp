// What `assay bench` counts, and what it refuses. How fast anything is, is no matter of a test.
#include "core/run/probes/bench_model.h"
#include "tests/support/published_folder.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

using namespace assay;
namespace fs = std::filesystem;

class TestBench : public QObject
{
    Q_OBJECT

    QTemporaryDir m_place;
    fs::path m_folder;

    static BenchSettings quick()
    {
        BenchSettings settings;
        settings.texts = 2;
        settings.tokens = 24;
        settings.dtype = "float32";
        settings.seconds = 0.0;
        return settings;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = m_place.filePath("model").toStdString();
        tests::PublishedFolder published;
        published.window = 8;
        published.write(m_folder);
        std::ofstream(m_folder / "text.txt") << "one two three\n\nfour\n";
        std::ofstream(m_folder / "empty.txt") << "\n\n";
    }

    void counts()
    {
        auto settings = quick();
        settings.tokenized = (m_folder / "text.txt").string();
        settings.threads = 2;
        const auto bench = benchModel(m_folder, settings, {});
        QVERIFY_RESULT(bench);
        // Width 32, 4 heads of 8, 2 of them for keys and values, a gated MLP of 48, 2 layers; of 24
        // tokens the first 8 see 1 to 8, the others 8.
        const auto products = 2 * 2 * (32 * (32 + 32) + 32 * 32 + 3 * 32 * 48);
        const double attention = 2 * 4.0 * 32 * (8.0 * 9 / 2 + 16 * 8) / 24;
        QCOMPARE(bench->operationsPerToken, std::int64_t(products + attention));
        QVERIFY(bench->roofPerSecond > 0.0);
        QVERIFY(bench->peakBytes > 0);
        QCOMPARE(bench->rounds, 1);
        QCOMPARE(bench->dtype, std::string("float32"));
        std::vector<std::string> executions;
        for (const auto& rate : bench->forward) {
            executions.push_back(rate.execution);
            QCOMPARE(rate.roofShare,
                     rate.tokensPerSecond * double(bench->operationsPerToken) / bench->roofPerSecond);
        }
        QCOMPARE(executions, (std::vector<std::string>{"single", "packed", "padded"}));
        QCOMPARE(bench->tokenizedBytes, 17);
        QVERIFY(bench->tokenizedTokens > 0);
        QCOMPARE(bench->tokenizer.size(), 2U);
        QCOMPARE(bench->tokenizer[1].threads, 2);
        QVERIFY(bench->tokenizer[0].bytesPerSecond > 0.0);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such model") << "folder" << ErrorCode::NotFound << "nowhere";
        QTest::newRow("too many tokens") << "tokens" << ErrorCode::Usage << "1048576";
        QTest::newRow("no such text") << "missing" << ErrorCode::NotFound << "missing.txt";
        QTest::newRow("a text without a token") << "empty" << ErrorCode::Usage << "empty.txt";
        QTest::newRow("stopped") << "stop" << ErrorCode::Cancelled << "Stopped";
    }
    void refused()
    {
        QFETCH(QString, change);
        QFETCH(ErrorCode, code);
        QFETCH(QString, says);
        auto settings = quick();
        std::stop_source stop;
        if (change == "tokens")
            settings.tokens = 1 << 20;
        else if (change == "missing" || change == "empty")
            settings.tokenized = (m_folder / (change.toStdString() + ".txt")).string();
        else if (change == "stop")
            stop.request_stop();
        const auto bench =
            benchModel(change == "folder" ? fs::path("nowhere") : m_folder, settings, stop.get_token());
        QVERIFY(!bench);
        QCOMPARE(bench.error().code, code);
        QVERIFY2(bench.error().text().find(says.toStdString()) != std::string::npos,
                 bench.error().text().c_str());
    }

    void aTokenizerIsOnlyNeededForATable()
    {
        for (const auto* name : {"tokenizer.model", "tokenizer_config.json"})
            fs::remove(m_folder / name);
        auto settings = quick();
        QVERIFY_RESULT(benchModel(m_folder, settings, {}));
        settings.tokenized = (m_folder / "text.txt").string();
        QVERIFY(!benchModel(m_folder, settings, {}));
    }
};

QTEST_GUILESS_MAIN(TestBench)
#include "tst_bench.moc"
