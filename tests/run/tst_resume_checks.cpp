// A run goes on with what it began with, says what was damaged, and never stays `running` after an error.
#include "core/run/session.h"
#include "core/store/sqlite/database.h"
#include "core/train/checkpoint.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <fstream>
#include <memory>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

namespace {

bool heard(const Listener& listener, const std::string& kind, const std::string& text)
{
    return std::any_of(listener.events.begin(), listener.events.end(), [&](const auto& event) {
        return event.kind == kind && event.text.find(text) != std::string::npos;
    });
}

/// Changes one byte in the middle, or cuts the file short.
void damage(const fs::path& file, bool cut)
{
    const auto size = fs::file_size(file);
    if (cut) {
        fs::resize_file(file, size - 1);
        return;
    }
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(size / 2));
    const char byte = static_cast<char>(stream.get());
    stream.seekp(static_cast<std::streamoff>(size / 2));
    stream.put(static_cast<char>(byte ^ 1));
}

} // namespace

class TestResumeChecks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_place = StorePlace{m_root / "store"};
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
        std::ofstream(m_root / "others.jsonl") << otherRows();
    }

    /// What the run began with must be what it goes on with; the error names what is not.
    void changedInputsAreRefused_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("fromStart"); // no checkpoint to go on from
        QTest::addColumn<QString>("said");   // empty = it goes on
        QTest::newRow("nothing") << "" << false << "";
        QTest::newRow("nothing, from the start") << "" << true << "";
        QTest::newRow("evaluation file") << "others.jsonl" << false << "the evaluation file has changed";
        QTest::newRow("evaluation file, from the start")
            << "others.jsonl" << true << "the evaluation file has changed";
        QTest::newRow("training file") << "rows.jsonl" << false << "the training file has changed";
        QTest::newRow("backbone, from the start")
            << "weights" << true << "the weights of the backbone have changed";
        QTest::newRow("backbone, with a checkpoint") << "weights" << false << "";
        QTest::newRow("tokenizer, from the start") << "tokenizer" << true << "the tokenizer has changed";
        QTest::newRow("tokenizer, with a checkpoint") << "tokenizer" << false << "";
        QTest::newRow("head, from the start") << "head" << true << "the weights of the head have changed";
        QTest::newRow("head, with a checkpoint") << "head" << false << "";
    }
    void changedInputsAreRefused()
    {
        QFETCH(QString, what);
        QFETCH(bool, fromStart);
        QFETCH(QString, said);
        const auto session = Session::create(m_place);
        makeModel(m_root / "model", 0);
        makeModel(m_root / "head", 5);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.data.evaluation = (m_root / "others.jsonl").string();
        config.backbone.source = "folder";
        config.backbone.folder = (m_root / "model").string();
        config.head.initialWeights = (m_root / "head").string();
        Listener first, second;
        first.stopAfter = 6;
        const auto stopped = session->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        if (fromStart)
            for (const auto& checkpoint : first.checkpoints)
                fs::remove_all(m_place.artefacts() / checkpoint.path);
        if (what.endsWith(".jsonl")) {
            std::ofstream(m_root / what.toStdString()) << rowsText(23);
        } else if (what == "tokenizer") {
            changeTokenizer();
        } else if (what == "weights") {
            fs::remove_all(m_root / "model");
            makeModel(m_root / "model", 9);
        } else if (what == "head") {
            fs::remove_all(m_root / "head");
            makeModel(m_root / "head", 9);
        }
        const auto resumed = session->resume(stopped->run, second, {});
        if (said.isEmpty()) {
            QVERIFY_RESULT(resumed);
            QCOMPARE(resumed->status, RunStatus::Finished);
            return;
        }
        QVERIFY(!resumed.ok());
        QVERIFY2(resumed.error().message.find(said.toStdString()) != std::string::npos,
                 resumed.error().text().c_str());
        QVERIFY(!resumed.error().where.empty() && !resumed.error().remedy.empty());
        // A refused resume is no attempt: the run is as it was.
        QCOMPARE(RunReader::open(m_place).value()->run(stopped->run)->summary.status, RunStatus::Stopped);
    }

    void otherThreadsAreSaid_data()
    {
        QTest::addColumn<int>("recorded");
        QTest::addColumn<bool>("said");
        QTest::newRow("as before") << 1 << false;
        QTest::newRow("one less") << 2 << true;
    }
    void otherThreadsAreSaid()
    {
        QFETCH(int, recorded);
        QFETCH(bool, said);
        const auto session = Session::create(m_place);
        Listener first, second;
        first.stopAfter = 6;
        const auto stopped =
            session->train(smallConfig(m_root / "rows.jsonl"), first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        Database(m_place.database(), OpenMode::Write)
            .run("UPDATE run_inputs SET threads = ? WHERE run = (SELECT number FROM runs WHERE id = ?)",
                 recorded, stopped->run);
        QVERIFY_RESULT(session->resume(stopped->run, second, {}));
        QCOMPARE(heard(second, "resumed", "threads 1 instead of 2"), said);
        QCOMPARE(heard(second, "resumed", "may differ in the last bits"), said);
    }

    /// The checkpoint that a resume does not go on from is named with its damage.
    void passedOverCheckpointsAreNamed_data()
    {
        QTest::addColumn<bool>("cut");
        QTest::addColumn<QString>("how");
        QTest::newRow("a byte") << false << "does not match its SHA-256 in the manifest";
        QTest::newRow("cut short") << true << "the manifest says";
    }
    void passedOverCheckpointsAreNamed()
    {
        QFETCH(bool, cut);
        QFETCH(QString, how);
        const auto session = Session::create(m_place);
        Listener first, second;
        first.stopAfter = 7;
        const auto stopped =
            session->train(smallConfig(m_root / "rows.jsonl"), first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(first.checkpoints.back().step, std::int64_t(7));
        const auto folder = m_place.artefacts() / first.checkpoints.back().path;
        damage(folder / "model.safetensors", cut);
        const auto verified = verifyCheckpoint(folder);
        QVERIFY(!verified.ok());
        QVERIFY2(verified.error().message.find(how.toStdString()) != std::string::npos,
                 verified.error().text().c_str());
        QVERIFY_RESULT(session->resume(stopped->run, second, {}));
        QCOMPARE(second.steps.front().step, std::int64_t(6)); // from the checkpoint of step 5
        QVERIFY(heard(second, "checkpoint", "The checkpoint of step 7 is damaged and was passed over"));
        QVERIFY(heard(second, "checkpoint", "model.safetensors"));
        QVERIFY(heard(second, "checkpoint", how.toStdString()));
    }

    /// A manifest that lists nonsense is damage, not a crash.
    void brokenManifest_data()
    {
        QTest::addColumn<QByteArray>("manifest");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("no files") << QByteArray("{}");
        QTest::newRow("no size") << QByteArray(R"({"files":{"config.json":{"sha256":"0"}}})");
        QTest::newRow("a text as size")
            << QByteArray(R"({"files":{"config.json":{"sha256":"0","bytes":"1"}}})");
        QTest::newRow("a number as hash")
            << QByteArray(R"({"files":{"config.json":{"sha256":0,"bytes":1}}})");
        QTest::newRow("a text as entry") << QByteArray(R"({"files":{"config.json":"0"}})");
    }
    void brokenManifest()
    {
        QFETCH(QByteArray, manifest);
        const fs::path folder = m_root / "checkpoint";
        fs::create_directories(folder);
        std::ofstream(folder / "config.json") << "{}";
        std::ofstream(folder / "manifest.json") << manifest.toStdString();
        const auto verified = verifyCheckpoint(folder);
        QVERIFY(!verified.ok());
        QVERIFY(!verified.error().where.empty());
    }

    /// Whatever fails once the run's row is there ends the run.
    void aFailureBeforeTheFirstStepEndsTheRun()
    {
        QVERIFY_RESULT(RunWriter::open(m_place));
        Database(m_place.database(), OpenMode::Write)
            .run("CREATE TRIGGER full BEFORE INSERT ON examples BEGIN SELECT RAISE(ABORT, 'no room'); END");
        Listener listener;
        const auto session = Session::create(m_place);
        const auto outcome = session->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY(!outcome.ok());
        const auto reader = RunReader::open(m_place).value();
        const auto run = reader->findRun("last");
        QVERIFY_RESULT(run);
        const auto details = reader->run(*run).value();
        QCOMPARE(details.summary.status, RunStatus::Failed);
        QVERIFY(details.summary.errorText.find("no room") != std::string::npos);
        QVERIFY(heard(listener, "error", "no room"));
        // With the cause gone, the run can be taken up again.
        Database(m_place.database(), OpenMode::Write).run("DROP TRIGGER full");
        Listener second;
        const auto resumed = session->resume(*run, second, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->status, RunStatus::Finished);
    }

private:
    /// A model folder with weights of its own: the checkpoint of a tiny run.
    void makeModel(const fs::path& folder, std::int64_t seed) const
    {
        QTemporaryDir scratch;
        const StorePlace place{fs::path(scratch.path().toStdString()) / "store"};
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 1;
        config.evaluation.beforeStart = false;
        config.evaluation.bootstrapSamples = 0;
        config.run.headSeed = seed;
        Listener listener;
        const auto outcome = Session::create(place)->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        fs::copy(place.artefacts() / listener.checkpoints.back().path, folder);
    }

    /// The same pieces in a file of other bytes.
    void changeTokenizer() const
    {
        for (const auto& entry : fs::directory_iterator(m_root / "model"))
            if (entry.path().filename() == "tokenizer.model") {
                // An unknown field of the protocol buffer: no reader minds it.
                std::ofstream(entry.path(), std::ios::binary | std::ios::app)
                    << std::string("\xA0\x06\x01", 3);
                return;
            }
        QFAIL("the model folder has no tokenizer.model");
    }

    static std::string otherRows()
    {
        auto text = rowsText(20);
        for (std::size_t at = 0; (at = text.find("Problem", at)) != std::string::npos; at += 7)
            text.replace(at, 7, "Another");
        return text;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    StorePlace m_place;
};

QTEST_GUILESS_MAIN(TestResumeChecks)
#include "tst_resume_checks.moc"
