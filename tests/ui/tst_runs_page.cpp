#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/run_details_pane.h"
#include "ui/pages/runs_page.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/widgets/filter_line.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

using namespace assay;

namespace {

struct Window
{
    explicit Window(const StorePlace& place)
        : store(place)
        , actions(&frame)
    {
        page = new RunsPage(store, settings, actions, &frame);
        frame.resize(1440, 900);
        page->resize(1440, 900);
        frame.show();
    }
    QWidget frame;
    StoreSource store;
    UiSettings settings{QString()};
    Actions actions;
    RunsPage* page = nullptr;
};

} // namespace

class TestRunsPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        auto sample = tests::fillSampleStore(m_folder.path().toStdString() + "/store");
        QVERIFY_RESULT(sample);
        m_sample = *sample;
    }

    void showsEveryRunAndItsDetails()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready() && window.page->model()->rowCount() > 0);
        QCOMPARE(window.page->model()->rowCount(), runs());
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        auto* details = window.page->findChild<RunDetailsPane*>();
        QTRY_COMPARE(details->run(), m_sample.full);
        QCOMPARE(details->findChildren<MiniPlot*>().size(), 4);
        QVERIFY(!details->findChildren<MiniPlot*>().front()->series().points.empty());
    }

    void filterErrorIsSaidInPlace()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready());
        auto* filter = window.page->findChild<FilterLine*>();
        filter->setText(QStringLiteral("auroc > "));
        QTRY_VERIFY(!filter->errorText().isEmpty());
        QVERIFY2(filter->errorText().contains(QStringLiteral("character")), qPrintable(filter->errorText()));
        QCOMPARE(window.page->model()->rowCount(), runs()); // what was there stays
        filter->setText(QStringLiteral("status = finished"));
        QTRY_VERIFY(filter->errorText().isEmpty());
        QTRY_VERIFY(window.page->model()->rowCount() > 0 && window.page->model()->rowCount() < runs());
    }

    void selectionSurvivesSortingAndRefresh()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready() && window.page->model()->rowCount() > 0);
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        QTRY_COMPARE(window.page->selectedRun(), m_sample.full);
        const auto current = [&] {
            const auto* run = window.page->model()->row(window.page->table()->currentIndex().row());
            return run ? run->id : RunId();
        };
        QTRY_COMPARE(current(), m_sample.full);
        QSignalSpy loaded(window.page->model(), &RunTableModel::loaded);
        window.page->table()->sortByColumn(RunTableModel::NameColumn, Qt::AscendingOrder);
        QTRY_VERIFY(loaded.count() >= 1); // the store's own changes may bring more
        QCOMPARE(current(), m_sample.full);
        QCOMPARE(window.page->selectedRun(), m_sample.full);
        loaded.clear();
        window.page->model()->refresh();
        QTRY_VERIFY(loaded.count() >= 1);
        QCOMPARE(current(), m_sample.full);
    }

    void resumeIsOfferedOnlyWhereItMakesSense()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready() && window.page->model()->rowCount() == runs());
        auto* details = window.page->findChild<RunDetailsPane*>();
        int resumable = 0;
        for (int row = 0; row < runs(); ++row) {
            const RunSummary run = *window.page->model()->row(row);
            window.page->showRun(QString::fromStdString(run.id), 0);
            QTRY_COMPARE(details->run(), run.id);
            const bool expected = run.status == RunStatus::Interrupted || run.status == RunStatus::Stopped ||
                                  run.status == RunStatus::Failed;
            bool offered = false;
            for (const auto* button : details->findChildren<QPushButton*>())
                offered = offered || (button->text() == QLatin1String("Resume") && button->isVisible());
            QCOMPARE(offered, expected);
            resumable += offered ? 1 : 0;
        }
        QVERIFY(resumable > 0 && resumable < runs());
    }

    void keysOpenAndClone()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready() && window.page->model()->rowCount() > 0);
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        QTRY_COMPARE(window.page->selectedRun(), m_sample.full);
        QSignalSpy opened(window.page, &Page::openRun);
        QSignalSpy cloned(window.page, &Page::cloneRun);
        window.page->table()->setFocus();
        QTest::keyClick(window.page->table(), Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().front().toString().toStdString(), m_sample.full);
        window.actions.find(QStringLiteral("runs.clone"))->trigger();
        QCOMPARE(cloned.front().front().toString().toStdString(), m_sample.full);
    }

    void emptyStoreOffersTheDemo()
    {
        QTemporaryDir folder;
        Window window(StorePlace{folder.path().toStdString() + "/none"});
        QTRY_VERIFY(window.page->ready());
        QSignalSpy demo(window.page, &Page::runDemo);
        QPushButton* button = nullptr;
        for (auto* candidate : window.page->findChildren<QPushButton*>())
            if (candidate->text() == QLatin1String("Run the demo"))
                button = candidate;
        QVERIFY(button);
        QTRY_VERIFY(button->isVisible());
        button->click();
        QCOMPARE(demo.count(), 1);
    }

    void narrowWindowDropsColumnsInOrder()
    {
        Window window(m_sample.place);
        QTRY_VERIFY(window.page->ready());
        window.page->table()->setFocus();
        const auto hidden = [&](int column) { return window.page->table()->isColumnHidden(column); };
        QTRY_VERIFY(!hidden(RunTableModel::TagsColumn));
        const std::array order = {RunTableModel::TagsColumn, RunTableModel::DurationColumn,
                                  RunTableModel::DataColumn, RunTableModel::BackboneColumn};
        std::size_t dropped = 0;
        for (int width = 1190; width >= 500; width -= 10) {
            window.frame.resize(width, 700);
            window.page->resize(width, 700);
            QCoreApplication::processEvents();
            while (dropped < order.size() && hidden(order[dropped]))
                ++dropped;
            for (std::size_t later = dropped; later < order.size(); ++later)
                QVERIFY(!hidden(order[later]));
        }
        QCOMPARE(dropped, order.size());
        QVERIFY(!hidden(RunTableModel::NameColumn) && !hidden(RunTableModel::VerdictColumn));
    }

private:
    int runs() const { return static_cast<int>(m_sample.runs.size()); }

    QTemporaryDir m_folder;
    tests::SampleStore m_sample;
};

QTEST_MAIN(TestRunsPage)
#include "tst_runs_page.moc"
