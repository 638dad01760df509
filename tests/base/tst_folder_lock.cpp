// Readers share a folder; who deletes it must have it alone, and who comes too late is told so.
#include "core/base/folder_lock.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;
namespace fs = std::filesystem;

class TestFolderLock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readersShare()
    {
        const auto first = FolderLock::share(m_root);
        QVERIFY_RESULT(first);
        QVERIFY_RESULT(FolderLock::share(m_root));
    }

    void deletersWaitForTheLastReader()
    {
        auto first = std::optional(FolderLock::share(m_root));
        auto second = std::optional(FolderLock::share(m_root));
        QVERIFY(!FolderLock::tryAlone(m_root));
        first.reset();
        QVERIFY(!FolderLock::tryAlone(m_root));
        second.reset();
        QVERIFY(FolderLock::tryAlone(m_root));
    }

    void aMovedLockHoldsOn()
    {
        auto lock = FolderLock::share(m_root).value();
        const auto moved = std::move(lock);
        QVERIFY(!FolderLock::tryAlone(m_root));
    }

    void whatIsGoneIsSaid()
    {
        const auto missing = FolderLock::share(m_root / "none");
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(!FolderLock::tryAlone(m_root / "none"));
    }

private:
    QTemporaryDir m_folder;
    fs::path m_root = m_folder.path().toStdString();
};

QTEST_GUILESS_MAIN(TestFolderLock)
#include "tst_folder_lock.moc"
