// Nothing listens and nothing is sent: the programs run under a filter that ends any process at its first
// attempt to open an internet socket or to listen on a socket of any kind.
#include "core/config/json.h"
#include "tests/support/long_run.h"
#include "tests/support/program.h"
#include "tests/support/test_data.h"

#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>

using namespace assay;
namespace fs = std::filesystem;

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

/// Ends the process at socket(AF_INET or AF_INET6) and at listen(). Safe between fork and exec. False when
/// the machine does not allow such filters.
bool forbidNetwork()
{
    const auto load = [](std::size_t offset) {
        return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
    };
    const auto jumpIf = [](std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
        return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
    };
    const auto give = [](std::uint32_t value) { return sock_filter{BPF_RET | BPF_K, 0, 0, value}; };
    std::array rules{load(offsetof(seccomp_data, arch)),
                     jumpIf(kMachine, 0, 6),
                     load(offsetof(seccomp_data, nr)),
                     jumpIf(__NR_listen, 5, 0),
                     jumpIf(__NR_socket, 0, 3),
                     load(offsetof(seccomp_data, args)), // the low half of the first, little endian
                     jumpIf(AF_INET, 2, 0),
                     jumpIf(AF_INET6, 1, 0),
                     give(SECCOMP_RET_ALLOW),
                     give(SECCOMP_RET_KILL_PROCESS)};
    sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

bool filtersAllowed()
{
    const pid_t child = fork();
    if (child == 0)
        _exit(forbidNetwork() ? 0 : 1);
    int status = 1;
    return kMachine != 0 && child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

} // namespace

class TestNoNetwork : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!filtersAllowed())
            QSKIP("this machine allows no system-call filters (seccomp)");
        const fs::path root = m_folder.path().toStdString();
        auto config = tests::smallLongRun(root / "rows.jsonl");
        config.schedule.maximumSteps = 10;
        config.run.name = "quiet";
        std::ofstream(root / "experiment.json") << configToJson(config);
    }

    void theFilterWorks_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<bool>("ends");
        QTest::newRow("opens a connection") << "exec 3<>/dev/tcp/127.0.0.1/9; true" << true;
        QTest::newRow("does not") << "true" << false;
    }

    void theFilterWorks()
    {
        QFETCH(QString, script);
        QFETCH(bool, ends);
        if (!QFileInfo::exists(QStringLiteral("/bin/bash")))
            QSKIP("there is no bash to open a socket with");
        QProcess process;
        run(process, QStringLiteral("/bin/bash"), {"-c", script});
        QCOMPARE(process.exitStatus() == QProcess::CrashExit, ends);
    }

    void theProgramsAreQuiet_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("words");
        const QString store = m_folder.filePath("store");
        const auto row = [&](const char* name, const char* program, const QStringList& words) {
            QTest::newRow(name) << program << words + QStringList{"--store", store};
        };
        row("train", "assay", {"train", m_folder.filePath("experiment.json")});
        row("evaluate", "assay", {"eval", "quiet"});
        row("list", "assay", {"runs"});
        row("doctor", "assay", {"doctor"});
        for (const char* page : {"runs", "experiment", "run", "steps"})
            row(page, "assay-gui", {"--screenshot", page, m_folder.filePath("picture.png")});
    }

    void theProgramsAreQuiet()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, words);
        const char* folder = std::getenv("ASSAY_BIN_DIR");
        QProcess process;
        run(process, QString::fromLocal8Bit(folder ? folder : ".") + QLatin1Char('/') + program, words);
        QVERIFY2(process.exitStatus() == QProcess::NormalExit,
                 "it opened an internet socket or listened on one");
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    }

private:
    static void run(QProcess& process, const QString& program, const QStringList& words)
    {
        process.setChildProcessModifier([] { forbidNetwork(); });
        process.start(program, words);
        QVERIFY(process.waitForFinished(120000));
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestNoNetwork)
#include "tst_no_network.moc"
