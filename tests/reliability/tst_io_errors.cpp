// Test T9: every call to the disk fails once, and from some call on all of them do. What comes back is an
// error or success, never a crash; what was acknowledged is there; and what could not be written is written
// later.
#include "tests/reliability/recorded_piece.h"
#include "tests/support/disk_shim/disk_shim.h"
#include "tests/support/fast_folder.h"
#include "tests/support/test_data.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

using namespace assay;
using tests::DiskFault;
using tests::RecordedPiece;
namespace fs = std::filesystem;

Q_DECLARE_METATYPE(assay::tests::DiskFault)

namespace {

constexpr int kNeverFailed = 17, kThrew = 18;
constexpr unsigned kSeconds = 30;
/// Where all calls fail from one on, neighbours tell the same story.
constexpr std::int64_t kStrideForGood = 5;

std::vector<std::string> linesOf(const fs::path& path)
{
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

class TestIoErrors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = tests::fastFolder();
        m_root = m_folder->path().toStdString();
    }

    void everyCall_data()
    {
        QTest::addColumn<DiskFault>("fault");
        QTest::addColumn<bool>("persistent");
        QTest::newRow("EIO once") << DiskFault::InputOutput << false;
        QTest::newRow("ENOSPC once") << DiskFault::NoSpace << false;
        QTest::newRow("EINTR once") << DiskFault::Interrupted << false;
        QTest::newRow("half once") << DiskFault::Short << false;
        QTest::newRow("EIO for good") << DiskFault::InputOutput << true;
        QTest::newRow("ENOSPC for good") << DiskFault::NoSpace << true;
        QTest::newRow("half for good") << DiskFault::Short << true;
    }

    void everyCall()
    {
        QFETCH(DiskFault, fault);
        QFETCH(bool, persistent);
        std::int64_t at = 0, failed = 0;
        for (int status = 0; status != kNeverFailed;) {
            fs::remove_all(m_root / "disk");
            fs::create_directories(m_root / "disk");
            at += persistent ? kStrideForGood : 1;
            status = writeInChild(fault, at, persistent);
            const auto which = "call " + std::to_string(at) + ": ";
            QVERIFY2(status == 0 || status == 1 || status == kNeverFailed,
                     (which + lastWords(status)).c_str());
            failed += status == 1 ? 1 : 0;
            auto notes = linesOf(m_root / "notes");
            // A fault that passes costs no row: it waits in memory until it can be written.
            if (!persistent && std::find(notes.begin(), notes.end(), "stage 2") != notes.end())
                notes.push_back("step " + std::to_string(RecordedPiece::kSteps));
            const auto found = RecordedPiece::faultOf({m_root / "disk" / "store"}, notes);
            QVERIFY2(found.empty(), (which + found + "\n" + lastWords(status)).c_str());
        }
        qInfo("%lld calls, %lld of them ended in an error", static_cast<long long>(at - 1),
              static_cast<long long>(failed));
        QVERIFY(at > 100);
        if (fault == DiskFault::Short)
            QCOMPARE(failed, 0); // the rest is read or written as well
        if (fault == DiskFault::InputOutput || fault == DiskFault::NoSpace)
            QVERIFY(failed > 50);
    }

private:
    /// 0 = no error came back, 1 = one did, kNeverFailed = there is no such call; anything else is a crash or
    /// an exception.
    int writeInChild(DiskFault fault, std::int64_t at, bool persistent)
    {
        const auto words = m_root / "words", notes = m_root / "notes";
        const auto child = ::fork();
        if (child == 0) {
            ::alarm(kSeconds);
            const int said = ::open(words.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            ::dup2(said, STDOUT_FILENO);
            ::dup2(said, STDERR_FILENO);
            std::ofstream noted(notes, std::ios::trunc);
            disk_shim_watch((m_root / "disk").c_str(), nullptr);
            disk_shim_fail(fault, at, persistent);
            int code = kThrew;
            try {
                const auto status =
                    m_piece.write({m_root / "disk" / "store"}, [&noted](const std::string& note) {
                        noted << note << '\n' << std::flush;
                    });
                code = disk_shim_calls() < at ? kNeverFailed : status.ok() ? 0 : 1;
            } catch (const std::exception& exception) {
                std::fprintf(stderr, "%s\n", exception.what());
            }
            ::_exit(code);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

    std::string lastWords(int status) const
    {
        std::string text = "status " + std::to_string(status);
        for (const auto& line : linesOf(m_root / "words"))
            text += "\n" + line;
        return text;
    }

    RecordedPiece m_piece;
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

QTEST_GUILESS_MAIN(TestIoErrors)
#include "tst_io_errors.moc"
