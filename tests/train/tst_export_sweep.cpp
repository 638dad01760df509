// What a killed export leaves beside its place goes with the next one to the same place, and nothing else
// does.
#include "core/train/export_folder.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

using namespace assay;
namespace fs = std::filesystem;

namespace {

/// The number of a process that has ended.
pid_t goneProcess()
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

void writeFolder(const fs::path& folder)
{
    fs::create_directories(folder);
    std::ofstream(folder / "model.safetensors") << "half";
}

} // namespace

class TestExportSweep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sweeps_data()
    {
        QTest::addColumn<QString>("name"); // GONE, ALIVE: numbers of processes
        QTest::addColumn<bool>("swept");
        QTest::newRow("its process is gone") << ".tmp-GONE-out" << true;
        QTest::newRow("its process runs") << ".tmp-ALIVE-out" << false;
        QTest::newRow("for another place") << ".tmp-GONE-other" << false;
        QTest::newRow("for a longer name") << ".tmp-GONE-my-out" << false;
        QTest::newRow("no number") << ".tmp-x-out" << false;
        QTest::newRow("half a number") << ".tmp-GONEx-out" << false;
        QTest::newRow("number 0") << ".tmp-0-out" << false;
        QTest::newRow("below 0") << ".tmp--1-out" << false;
        QTest::newRow("too large") << ".tmp-99999999999999999999-out" << false;
        QTest::newRow("nothing between") << ".tmp-out" << false;
        QTest::newRow("not hidden") << "tmp-GONE-out" << false;
    }
    void sweeps()
    {
        QFETCH(QString, name);
        QFETCH(bool, swept);
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        name.replace(QLatin1String("GONE"), QString::number(goneProcess()));
        name.replace(QLatin1String("ALIVE"), QString::number(::getppid()));
        writeFolder(root / name.toStdString());
        const auto model = tests::tinyModel();
        ExportContent content;
        content.model = model.get();
        content.recordJson = "{}\n";
        content.check = [](const fs::path&) { return Status(); };
        QVERIFY_RESULT(saveExport(root / "out", content));
        QVERIFY(fs::exists(root / "out" / "config.json"));
        QCOMPARE(fs::exists(root / name.toStdString()), !swept);
    }

    /// A file or a link of that name is somebody else's.
    void leavesWhatIsNoFolder()
    {
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        const auto gone = std::to_string(goneProcess());
        writeFolder(root / "precious");
        fs::create_directory_symlink(root / "precious", root / (".tmp-" + gone + "-out"));
        std::ofstream(root / (".tmp-" + gone + "-file")) << "mine";
        const auto model = tests::tinyModel();
        ExportContent content;
        content.model = model.get();
        content.recordJson = "{}\n";
        content.check = [](const fs::path&) { return Status(); };
        QVERIFY_RESULT(saveExport(root / "out", content));
        QVERIFY_RESULT(saveExport(root / "file", content));
        QVERIFY(fs::exists(root / "precious" / "model.safetensors"));
        QVERIFY(fs::is_symlink(root / (".tmp-" + gone + "-out")));
        QVERIFY(fs::exists(root / (".tmp-" + gone + "-file")));
    }
};

QTEST_APPLESS_MAIN(TestExportSweep)
#include "tst_export_sweep.moc"
