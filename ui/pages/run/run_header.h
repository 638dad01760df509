#pragma once

#include "ui/icons.h"
#include "ui/models/run_snapshot.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QMenu;

namespace assay {

class Actions;
class ProgressStrip;

/// The line at the top of the Run page: which run, how far, how fast, and what can be done to it.
class RunHeader : public QWidget
{
    Q_OBJECT
public:
    /// Registers the commands `run.pause` and so on; buttons and menu show the same ones.
    explicit RunHeader(Actions& actions, QWidget* parent = nullptr);

    void setRun(const RunSnapshot& run);
    void clear();
    void setCompact(bool compact);
    /// More for the menu at the right.
    void addMenuActions(const QList<QAction*>& actions);
    /// "step 2,460 of 6,000 · 38 min, ETA 55 min · 21.4 k tokens/s · data wait 1 %"
    static QStringList facts(const RunSnapshot& run);

Q_SIGNALS:
    void controlAsked(assay::Control control);
    void resumeAsked();
    void cloneAsked();
    void stepsAsked();
    void openNewestAsked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QPushButton* makeButton(QAction* action, Icon icon);
    void fitFacts();

    QAction *m_pause, *m_resumeControl, *m_stop, *m_evaluate, *m_resume, *m_clone, *m_steps, *m_copyId;
    std::vector<std::pair<QAction*, QPushButton*>> m_buttons;
    QLabel *m_name, *m_status, *m_statusIcon, *m_percent, *m_facts;
    ProgressStrip* m_progress;
    QPushButton* m_more;
    QMenu* m_menu;
    QStringList m_factParts;
    QString m_runId;
    bool m_compact = false;
};

} // namespace assay
