#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"
#include "ui/pages/page.h"
#include "ui/pages/run_details.h"

#include <QTimer>

#include <optional>

class QMenu;
class QSplitter;
class QTableView;

namespace assay {

class Actions;
class FilterLine;
class PageStack;
class RunDetailsPane;
class RunsEmpty;
class RunTableModel;
class StoreSource;
class TextLabel;
class UiSettings;

/// The table of runs with one filter line, and the details of the selected run. Selection is by run id.
class RunsPage : public Page
{
    Q_OBJECT
public:
    RunsPage(StoreSource& store, UiSettings& settings, Actions& actions, QWidget* parent = nullptr);
    ~RunsPage() override;

    QString title() const override { return QStringLiteral("Runs"); }
    void activate() override;
    /// Selects the run in the table.
    void showRun(const QString& run, qint64 evaluation) override;
    bool ready() const override;
    std::vector<RunSummary> selectedRuns() const override;
    void setRunActions(const QList<QAction*>& actions) override;

    /// The one whose details are shown.
    RunId selectedRun() const { return m_selected; }
    RunTableModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeToolbar();
    QWidget* makeTable();
    QWidget* makeFooter();
    void makeActions(Actions& actions);
    void fillColumnMenu();
    QWidget* makeFilterMenu();

    /// Reads again if the store changed.
    void refresh();
    void onLoaded();
    /// Selects what was selected before, or what stands now where it stood.
    void keepSelection();
    void select(const RunId& run);
    void loadDetails();
    void arrange();
    void arrangeColumns();
    void updateVisibleRows();
    void setDetailsVisible(bool visible);

    StoreSource& m_store;
    UiSettings& m_settings;
    RunTableModel* m_model = nullptr;
    FilterLine* m_filter = nullptr;
    TextLabel* m_count = nullptr;
    TextLabel* m_selectionText = nullptr;
    TextLabel* m_orderText = nullptr;
    TextLabel* m_barText = nullptr; ///< how the bars of the table are to be read
    QTableView* m_table = nullptr;
    PageStack* m_tableStack = nullptr; ///< table | nothing matches | store cannot be read
    TextLabel* m_problem = nullptr;
    PageStack* m_stack = nullptr; ///< table with details | empty state
    QSplitter* m_splitter = nullptr;
    RunDetailsPane* m_details = nullptr;
    QMenu* m_columns = nullptr;
    QMenu* m_runMenu = nullptr; ///< of the table and of "more" in the details
    QTimer m_detailsTimer;
    RunId m_selected;
    int m_selectedRow = -1, m_rows = 0; ///< where it stood, and among how many, when the rows came last
    QString m_shownFilter;              ///< filter of the rows that came last
    RunId m_detailsOf;                  ///< run of the last answer for the details
    bool m_detailsWanted = true;        ///< F4
    bool m_detailsPending = false;
    bool m_detailsAlive = false; ///< the run shown is running or paused
    bool m_dirty = true;         ///< the store changed while the page was hidden
};

} // namespace assay
