// Tests T3 and T4: the power may go at any moment, and nothing acknowledged is lost; and a flush that is left
// out is noticed, or is one that nothing depends on.
#include "tests/reliability/disk_history.h"
#include "tests/reliability/recorded_piece.h"
#include "tests/support/fast_folder.h"
#include "tests/support/test_data.h"

#include <set>
#include <unordered_map>

using namespace assay;
using tests::DiskHistory;
using tests::PowerCut;
using tests::RecordedPiece;
namespace fs = std::filesystem;

namespace {

constexpr int kRandomCuts = 4;

std::vector<PowerCut> powerCuts(int randomOnes)
{
    using Data = PowerCut::Data;
    using Names = PowerCut::Names;
    std::vector<PowerCut> cuts;
    for (const auto names : {Names::Dropped, Names::Kept})
        for (const auto data : {Data::Dropped, Data::Kept, Data::Zeros, Data::Last, Data::Torn})
            cuts.push_back({data, names});
    for (int i = 1; i <= randomOnes; ++i)
        cuts.push_back({Data::Random, Names::Random, static_cast<std::uint64_t>(i)});
    return cuts;
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
        fs::create_directories(m_root / "disk");
        const RecordedPiece piece;
        disk_shim_watch((m_root / "disk").c_str(), (m_root / "journal").c_str());
        const auto status = piece.write({m_root / "disk" / "store"},
                                        [](const std::string& note) { disk_shim_note(note.c_str()); });
        disk_shim_watch("", nullptr);
        QVERIFY_RESULT(status);
        m_history = std::make_unique<DiskHistory>(m_root / "journal", m_root / "disk");
    }

    void losesNothing()
    {
        int states = 0;
        for (std::size_t cut = 0; cut <= m_history->size(); ++cut)
            for (const auto& power : powerCuts(kRandomCuts)) {
                const auto before = m_known.size();
                const auto fault = faultAt(cut, power, {});
                states += m_known.size() != before ? 1 : 0;
                QVERIFY2(fault.empty(), qPrintable(QStringLiteral("%1 before %2 (%3): %4")
                                                       .arg(cut)
                                                       .arg(QString::fromStdString(describe(cut)),
                                                            QString::fromStdString(power.text()),
                                                            QString::fromStdString(fault))));
            }
        qInfo("%zu operations, %d different states of the disk", m_history->size(), states);
        QVERIFY(m_history->size() > 100 && states > 100);
    }

    void noticesEveryMissingFlush()
    {
        std::set<std::string> noticed;
        int redundant = 0;
        for (const auto sync : m_history->syncs()) {
            const auto next = m_history->nextSync(sync);
            std::string fault;
            for (auto cut = sync + 1; cut <= next && fault.empty(); ++cut)
                for (const auto& power : powerCuts(kRandomCuts))
                    if (fault = faultAt(cut, power, sync); !fault.empty())
                        break;
            // A flush that nobody misses has nothing to bring to the disk (SQLite flushes its log before it
            // moves it, although every commit did), or is followed by another one of the same file or folder
            // before anything more is promised (a temporary folder's names, the header of a log).
            const bool mayGo =
                !m_history->bringsSomething(sync) ||
                (next < m_history->size() && m_history->notes(next).size() == m_history->notes(sync).size());
            QVERIFY2(mayGo || !fault.empty(),
                     ("nobody notices that this is left out: " + describe(sync)).c_str());
            if (fault.empty())
                ++redundant;
            else
                noticed.insert(fs::path(describe(sync)).filename().string());
        }
        qInfo("%zu flushes, %d of them nobody misses", m_history->syncs().size(), redundant);
        // Each kind was left out at least once and missed.
        for (const char* name :
             {"assay.db", "assay.db-wal", "assay.db-journal", "artefacts", "runs", "checkpoints",
              "config.json", "layout.json", "training.json", "manifest.json"})
            QVERIFY2(noticed.contains(name), name);
    }

private:
    std::string describe(std::size_t operation) const
    {
        return operation < m_history->size() ? m_history->describe(operation) : "the end";
    }

    /// What is wrong with the disk after this cut; empty = nothing.
    std::string faultAt(std::size_t cut, const PowerCut& power, std::optional<std::size_t> ignoredSync)
    {
        const auto state = m_history->state(cut, power, ignoredSync);
        const auto notes = m_history->notes(cut);
        std::string key;
        for (const auto& note : notes)
            key += note + '\n';
        for (const auto& [path, content] : state)
            key += path + '\n' + std::to_string(content.size()) + '\n' + content;
        const auto [known, isNew] = m_known.try_emplace(std::hash<std::string>{}(key));
        if (!isNew)
            return known->second;
        const fs::path place = m_root / "after";
        fs::remove_all(place);
        fs::create_directories(place);
        tests::writeState(state, place);
        return known->second = RecordedPiece::faultOf({place / "store"}, notes);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    std::unique_ptr<DiskHistory> m_history;
    std::unordered_map<std::size_t, std::string> m_known; ///< faults by hash of state and acknowledgements
};

QTEST_GUILESS_MAIN(TestPowerLoss)
#include "tst_power_loss.moc"
