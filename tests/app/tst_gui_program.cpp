// The window's program as a process: what it says where no window can be opened, and pictures.
#include "tests/support/program.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace assay::tests;

class tst_gui_program : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void errors_data();
    void errors();
    void needsADisplay_data();
    void needsADisplay();
    void picture_data();
    void picture();

private:
    QTemporaryDir m_folder;
    QString m_store;
};

void tst_gui_program::initTestCase()
{
    m_store = m_folder.filePath("store");
    QVERIFY_RESULT(fillSampleStore(m_store.toStdString()));
    QVERIFY(QDir(m_folder.path()).mkdir("folder.png"));
}

void tst_gui_program::errors_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const QStringList& words, int exitCode, const char* says) {
        QTest::newRow(name) << words << exitCode << QString(says);
    };
    row("unknown option", {"--nosuch"}, 2, "nosuch");
    row("size", {"--screenshot", "runs", "--size", "9x9", "x.png"}, 2, "100 to 9999");
    row("onto a folder", {"--screenshot", "runs", m_folder.filePath("folder.png")}, 2, "is a folder");
    row("no such ending", {"--screenshot", "runs", m_folder.filePath("a.xyz")}, 2, "End the name in .png");
    row("no such folder", {"--screenshot", "runs", m_folder.filePath("none/a.png")}, 3, "no folder");
    row("no such page", {"--screenshot", "rusn", m_folder.filePath("a.png")}, 2, "no page");
}

void tst_gui_program::errors()
{
    QFETCH(QStringList, words);
    QFETCH(int, exitCode);
    QFETCH(QString, says);
    const auto result = runProgram("assay-gui", words + QStringList{"--store", m_store});
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    QVERIFY2(result.errors.contains(says.toUtf8()), result.errors.constData());
}

void tst_gui_program::needsADisplay_data()
{
    QTest::addColumn<QString>("display");
    QTest::addColumn<QString>("says");
    QTest::newRow("none") << QString() << "no display here";
    QTest::newRow("one that does not answer") << ":6173"
                                              << "no window can be opened";
}

void tst_gui_program::needsADisplay()
{
    QFETCH(QString, display);
    QFETCH(QString, says);
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char* name :
         {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"})
        environment.remove(name);
    if (!display.isEmpty())
        environment.insert("DISPLAY", display);
    for (const char* program : {"assay", "assay-gui"}) {
        const QStringList words = {"--store", m_store};
        const auto result = runProgram(
            program, qstrcmp(program, "assay") == 0 ? QStringList{"gui"} + words : words, {}, environment);
        QVERIFY2(result.exitCode == 8, result.errors.constData());
        QVERIFY2(result.errors.contains(says.toUtf8()), result.errors.constData());
        QCOMPARE(result.errors.count('\n'), 1);
    }
}

void tst_gui_program::picture_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("flags") << QStringList{"gui", "--screenshot", "runs"};
    QTest::newRow("after two dashes") << QStringList{"gui", "--", "--screenshot", "runs"};
    QTest::newRow("store first") << QStringList{"--store", m_store, "gui", "--screenshot", "runs"};
}

void tst_gui_program::picture()
{
    QFETCH(QStringList, words);
    const auto file = m_folder.filePath(QString(QTest::currentDataTag()) + ".png");
    if (!words.contains(m_store))
        words.insert(1, "--store"), words.insert(2, m_store);
    const auto result = runProgram("assay", words + QStringList{file});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY(QFileInfo(file).size() > 1000);
}

QTEST_GUILESS_MAIN(tst_gui_program)
#include "tst_gui_program.moc"
