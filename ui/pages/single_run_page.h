#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/pages/page.h"

#include <QTimer>

#include <vector>

class QPushButton;
class QScrollArea;
class QSplitter;

namespace assay {

class Actions;
class Banner;
class EmptyState;
class EventPane;
class FoldBar;
class PageStack;
class ReadOutPane;
class RunController;
class RunHeader;
class RunPlots;
class StoreSource;

/// One run while it happens and afterwards: progress, verdict, curves, read-out and log, all read from the
/// store, so that runs of this and of other processes look the same.
class SingleRunPage : public Page
{
    Q_OBJECT
public:
    SingleRunPage(StoreSource& source, RunController& controller, Actions& actions,
                  QWidget* parent = nullptr);

    QString title() const override;
    /// An empty id follows the newest run.
    void showRun(const QString& run, qint64 evaluation) override;
    bool ready() const override;
    std::vector<RunSummary> selectedRuns() const override;
    void setRunActions(const QList<QAction*>& actions) override;

    RunPlots& plots() { return *m_plots; }
    ReadOutPane& readOut() { return *m_readOut; }
    EventPane& events() { return *m_events; }
    const RunId& run() const { return m_shown; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildLayout(Actions& actions);
    void connectParts();
    void refresh();
    void apply(Result<RunSnapshot> result);
    void showFailure(const Error& error);
    void showVerdict();
    void notice(const QString& sentence, const QString& text);
    void redraw();
    void moveCursor(double step);
    void arrange();
    void updateBars();

    StoreSource& m_source;
    RunController& m_controller;
    RunId m_wanted; ///< empty = newest
    RunId m_shown;
    RunSnapshot m_snapshot;
    std::vector<EvaluationRecord> m_evaluations;
    bool m_asked = false, m_again = false, m_stale = true, m_loaded = false, m_cursorChosen = false,
         m_narrow = false;
    int m_sinceEvaluations = 0; ///< refreshes since the evaluations were read
    QTimer m_zoomTimer;
    QString m_noticeSentence, m_noticeText; ///< what a command did not do; until another run is shown

    PageStack* m_stack = nullptr;
    EmptyState* m_empty = nullptr;
    RunHeader* m_header = nullptr;
    Banner* m_verdict = nullptr;
    Banner* m_trouble = nullptr;
    QScrollArea* m_scroll = nullptr;
    RunPlots* m_plots = nullptr;
    QSplitter *m_columns = nullptr, *m_rows = nullptr;
    ReadOutPane* m_readOut = nullptr;
    EventPane* m_events = nullptr;
    FoldBar *m_eventBar = nullptr, *m_readOutBar = nullptr;
    QPushButton *m_showSteps = nullptr, *m_copyTrouble = nullptr;
};

} // namespace assay
