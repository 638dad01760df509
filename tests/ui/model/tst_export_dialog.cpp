// The export dialog: what it asks for, what it says, stopping; and the ledger of a run.
#include "tests/support/idle_session.h"
#include "tests/support/test_data.h"
#include "ui/model/export_dialog.h"
#include "ui/model/ledger_dialog.h"
#include "ui/model/ledger_table.h"
#include "ui/model/model_requests.h"
#include "ui/theme.h"
#include "ui/threads/engine.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QtTest/QTest>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace assay;

namespace {

struct Exports
{
    std::atomic<bool> slow = false;
    std::mutex mutex;
    std::string source, target;
    std::optional<std::int64_t> step;
    ExportOptions options;
};

class ExportSession : public tests::IdleSession
{
public:
    explicit ExportSession(std::shared_ptr<Exports> exports)
        : m_exports(std::move(exports))
    {}
    Result<ExportReport> exportModel(const std::string& source, std::optional<std::int64_t> step,
                                     const std::string& target, const ExportOptions& options,
                                     const ExportWatch& watch) override
    {
        {
            const std::lock_guard lock(m_exports->mutex);
            m_exports->source = source;
            m_exports->target = target;
            m_exports->step = step;
            m_exports->options = options;
        }
        watch.phase("Writing");
        for (int i = 0; i < 400 && m_exports->slow && !watch.stop.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (watch.stop.stop_requested())
            return Error{ErrorCode::Cancelled, "The export was stopped; nothing was written"};
        if (target == "/taken")
            return Error{ErrorCode::Usage, "the folder is not empty", target, "Name a new one"};
        ExportReport report;
        report.folder = target;
        report.bytes = 1 << 20;
        report.record.architecture = "LlamaForTokenClassification";
        report.record.dtype = options.dtype;
        report.record.probeScores = 320;
        return report;
    }
    Result<Ledger> ledger(const RunId& run) override
    {
        if (run == "old")
            return Error{ErrorCode::NotFound, "the run has no ledger"};
        return Ledger{{"score.weight", "initialised", "new head"}, {"norm.weight", "loaded", "F32 [8]"}};
    }

private:
    std::shared_ptr<Exports> m_exports;
};

} // namespace

class TestExportDialog : public QObject
{
    Q_OBJECT

    std::shared_ptr<Exports> m_exports;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<ModelRequests> m_requests;
    std::unique_ptr<ExportDialog> m_dialog;

    template <typename T>
    T* find(const char* name) const
    {
        return m_dialog->findChild<T*>(QString::fromLatin1(name));
    }
    QString message() const { return find<QLabel>("exportMessage")->text(); }

private Q_SLOTS:
    void init()
    {
        m_exports = std::make_shared<Exports>();
        m_theme = std::make_unique<Theme>(*qApp, ThemeChoice::Light);
        m_engine = std::make_unique<Engine>(
            [exports = m_exports] { return std::make_unique<ExportSession>(exports); });
        m_requests = std::make_unique<ModelRequests>(*m_engine);
        m_dialog = std::make_unique<ExportDialog>(*m_requests, QStringLiteral("0123456789ab"), 800,
                                                  QStringLiteral("prm-demo"));
        m_dialog->open();
    }
    void cleanup()
    {
        m_dialog.reset();
        m_requests.reset();
        m_engine.reset();
        m_theme.reset();
    }

    void exports()
    {
        auto* start = find<QPushButton>("exportStart");
        QVERIFY(!start->isEnabled()); // nothing says where to
        find<QLineEdit>("exportTarget")->setText(QStringLiteral("/out"));
        find<QComboBox>("exportType")->setCurrentIndex(1);
        find<QComboBox>("exportBias")->setCurrentIndex(2);
        find<QLineEdit>("exportThreshold")->setText(QStringLiteral("fit"));
        QVERIFY(start->isEnabled());
        start->click();
        QTRY_VERIFY(!m_dialog->running());
        QVERIFY2(message().contains(QStringLiteral("/out")), qPrintable(message()));
        QVERIFY(message().contains(QStringLiteral("320 scores equal")));
        const std::lock_guard lock(m_exports->mutex);
        QCOMPARE(m_exports->source, std::string("0123456789ab"));
        QCOMPARE(m_exports->step, std::optional<std::int64_t>(800));
        QCOMPARE(m_exports->options.dtype, std::string("bfloat16"));
        QVERIFY(m_exports->options.headBias == HeadBias::Drop);
        QVERIFY(!m_exports->options.perToken);
        QCOMPARE(m_exports->options.calibration.threshold, std::string("fit"));
    }

    void refusedInPlace_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("shards");
        QTest::addColumn<QString>("says");
        QTest::newRow("taken") << "/taken"
                               << "5GB"
                               << "not empty";
        QTest::newRow("a size that is none") << "/out"
                                             << "big"
                                             << "no size of a file";
    }
    void refusedInPlace()
    {
        QFETCH(QString, target);
        QFETCH(QString, shards);
        QFETCH(QString, says);
        find<QLineEdit>("exportTarget")->setText(target);
        find<QLineEdit>("exportShards")->setText(shards);
        find<QPushButton>("exportStart")->click();
        QTRY_VERIFY(!m_dialog->running());
        QTRY_VERIFY2(message().contains(says), qPrintable(message()));
        QVERIFY(m_dialog->isVisible());
        QVERIFY(find<QPushButton>("exportStart")->isEnabled());
    }

    void stops()
    {
        m_exports->slow = true;
        find<QLineEdit>("exportTarget")->setText(QStringLiteral("/out"));
        find<QPushButton>("exportStart")->click();
        QTRY_VERIFY(message().contains(QStringLiteral("Writing")));
        auto* close = find<QPushButton>("exportClose");
        QCOMPARE(close->text(), QStringLiteral("Cancel"));
        QVERIFY(!find<QLineEdit>("exportTarget")->isEnabled());
        close->click();
        QTRY_VERIFY(!m_dialog->running());
        QVERIFY(message().contains(QStringLiteral("nothing was written")));
        QVERIFY(m_dialog->isVisible());
        close->click();
        QVERIFY(!m_dialog->isVisible());
    }

    void command()
    {
        find<QLineEdit>("exportTarget")->setText(QStringLiteral("/my models/it's"));
        find<QComboBox>("exportFormat")->setCurrentIndex(1);
        find<QComboBox>("exportAggregation")->setCurrentIndex(2);
        find<QPushButton>("exportCopy")->click();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("assay export 0123456789ab '/my models/it'\\''s' --checkpoint 800 "
                                "--format 'torchtune' --aggregation 'min'"));
    }

    void ledger_data()
    {
        QTest::addColumn<QString>("run");
        QTest::addColumn<int>("rows");
        QTest::newRow("kept") << "0123456789ab" << 2;
        QTest::newRow("of an older version") << "old" << 0;
    }
    void ledger()
    {
        QFETCH(QString, run);
        QFETCH(int, rows);
        LedgerDialog dialog(*m_requests, run.toStdString(), QStringLiteral("prm-demo"));
        dialog.open();
        auto* note = dialog.findChild<QLabel*>(QStringLiteral("ledgerNote"));
        QTRY_VERIFY(!note->text().startsWith(QStringLiteral("Reading")));
        QCOMPARE(dialog.findChild<QTableView*>()->model()->rowCount(), rows);
        QCOMPARE(dialog.findChild<LedgerTable*>()->isVisible(), rows > 0);
        QCOMPARE(note->text().contains(QStringLiteral("no ledger")), rows == 0);
    }
};

QTEST_MAIN(TestExportDialog)
#include "tst_export_dialog.moc"
