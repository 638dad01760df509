// Tests T3 and T4: the power may go at any moment, and nothing acknowledged is lost; and a flush that is left
// out is noticed, or is one that nothing depends on.
#include "core/store/migrations.h"
#include "tests/reliability/power_loss_check.h"
#include "tests/reliability/recorded_piece.h"
#include "tests/support/fast_folder.h"
#include "tests/support/old_store.h"
#include "tests/support/test_data.h"

#include <set>

using namespace assay;
using tests::PowerLossCheck;
using tests::RecordedPiece;
namespace fs = std::filesystem;

namespace {

const char* kOldRun = "c586edd94c9e"; ///< of fixtures/schema_001.sql

/// What is wrong with a store that was being migrated when the power went; empty = nothing.
std::string migrationFault(const StorePlace& place, bool migrated)
{
    const auto version =
        guarded([&] { return Database(place.database(), OpenMode::Read).integer("PRAGMA user_version"); });
    if (!version.ok() || (*version == 1 && migrated))
        return version.ok() ? "it is no longer migrated" : version.error().text();
    const auto reader = RunReader::open(place); // migrates it if that had not been done
    if (!reader.ok())
        return reader.error().text();
    if (const auto status = (*reader)->integrityCheck(); !status.ok())
        return status.error().text();
    if (const auto steps = (*reader)->steps(kOldRun, 0, 10); !steps.ok() || steps->size() != 1)
        return "the run has lost its step";
    const auto backups = namesIn(place.folder / "backups");
    if (!backups.ok() || backups->empty())
        return "it was migrated without a backup";
    for (const auto& name : *backups) {
        if (name.starts_with('.'))
            return "left behind: " + name;
        const auto runs = guarded([&] {
            Database backup(place.folder / "backups" / name, OpenMode::Immutable);
            return backup.integer("PRAGMA user_version") == 1 && backup.text("PRAGMA integrity_check") == "ok"
                       ? backup.integer("SELECT count(*) FROM runs")
                       : 0;
        });
        if (!runs.ok() || *runs != 1)
            return "a damaged backup: " + name;
    }
    return {};
}

} // namespace

class TestPowerLoss : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = tests::fastFolder();
        m_root = m_folder->path().toStdString();
        const RecordedPiece piece;
        m_run = record(
            "run",
            [&](const StorePlace& place) {
                return piece.write(place, [](const std::string& note) { disk_shim_note(note.c_str()); });
            },
            [](const fs::path& disk, const auto& notes) {
                return RecordedPiece::faultOf({disk / "store"}, notes);
            });
        m_migration = record(
            "migration",
            [](const StorePlace& place) -> Status {
                TRY_STATUS(tests::writeOldStore(place, 1));
                disk_shim_note("old");
                TRY_STATUS(guarded([&] { openForWriting(place); }));
                disk_shim_note("migrated");
                return {};
            },
            [](const fs::path& disk, const auto& notes) {
                return notes.empty() ? std::string() : migrationFault({disk / "store"}, notes.size() > 1);
            });
        QVERIFY(m_run && m_migration);
    }

    void runLosesNothing() { losesNothing(*m_run); }

    void migrationLosesNothing() { losesNothing(*m_migration); }

    void noticesEveryMissingFlush_data()
    {
        QTest::addColumn<bool>("migration");
        QTest::newRow("run") << false;
        QTest::newRow("migration") << true;
    }

    void noticesEveryMissingFlush()
    {
        QFETCH(bool, migration);
        auto& check = migration ? *m_migration : *m_run;
        std::set<std::string> noticed;
        int redundant = 0;
        for (const auto sync : check.history().syncs()) {
            if (check.history().notes(sync).empty() && migration)
                continue; // of the program that wrote the old store
            const auto fault = check.faultWithout(sync);
            const auto words = check.history().describe(sync);
            // A flush that nobody misses has nothing to bring to the disk (SQLite flushes its log before it
            // moves it, although every commit did), or is followed by another one of the same file or folder
            // before anything more is promised (a temporary folder's names, the header of a log).
            // Nothing rests on SQLite's journal of a copy that is thrown away unless it is finished.
            const bool ofCopy = words.ends_with(".tmp-journal");
            QVERIFY2(!check.mayMatter(sync) || ofCopy || !fault.empty(), ("nobody misses: " + words).c_str());
            if (fault.empty())
                ++redundant;
            else
                noticed.insert(fs::path(words).filename().string());
        }
        qInfo("%zu flushes, %d of them nobody misses", check.history().syncs().size(), redundant);
        // Each kind was left out at least once and missed.
        const std::set<std::string> kinds =
            migration
                ? std::set<std::string>{"backups", "assay.db-wal"}
                : std::set<std::string>{"assay.db",      "assay.db-wal", "assay.db-journal", "artefacts",
                                        "runs",          "checkpoints",  "config.json",      "layout.json",
                                        "training.json", "manifest.json"};
        for (const auto& kind : kinds)
            QVERIFY2(noticed.contains(kind), kind.c_str());
    }

private:
    /// Runs `work` with every change of its disk written down; null when it fails.
    std::unique_ptr<PowerLossCheck> record(const std::string& name,
                                           const std::function<Status(const StorePlace&)>& work,
                                           PowerLossCheck::FaultOf faultOf) const
    {
        const auto disk = m_root / name, journal = m_root / (name + ".journal");
        fs::create_directories(disk);
        disk_shim_watch(disk.c_str(), journal.c_str());
        const auto status = work({disk / "store"});
        disk_shim_watch("", nullptr);
        if (!status.ok()) {
            qWarning("%s", status.error().text().c_str());
            return nullptr;
        }
        return std::make_unique<PowerLossCheck>(tests::DiskHistory(journal, disk), m_root / "after",
                                                std::move(faultOf));
    }

    static void losesNothing(PowerLossCheck& check)
    {
        const auto fault = check.firstFault();
        QVERIFY2(fault.empty(), fault.c_str());
        qInfo("%zu operations, %zu different states of the disk", check.history().size(), check.states());
        QVERIFY(check.states() > 50);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    std::unique_ptr<PowerLossCheck> m_run, m_migration;
};

QTEST_GUILESS_MAIN(TestPowerLoss)
#include "tst_power_loss.moc"
