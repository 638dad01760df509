#pragma once

#include "ui/pages/run_details.h"

#include <QScrollArea>

class QBoxLayout;
class QGridLayout;
class QMenu;
class QPushButton;

namespace assay {

class IconLabel;
class TextLabel;
class VerdictCard;

/// The right side of the Runs page: one run with verdict, small plots, what changed from its parent, note,
/// artefacts.
class RunDetailsPane : public QScrollArea
{
    Q_OBJECT
public:
    explicit RunDetailsPane(QWidget* parent = nullptr);

    void showRun(const RunOverview& overview);
    /// Nothing is selected.
    void clear();
    RunId run() const { return m_run; }
    /// What else can be done with the run, behind a button; the menu belongs to the page.
    void setMenu(QMenu* menu);

Q_SIGNALS:
    void openRequested();
    void cloneRequested();
    void resumeRequested();
    void closeRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makePlots();
    QWidget* makeSection(const QString& title, QWidget* content);
    void showChanges(const RunOverview& overview);

    RunId m_run;
    QWidget* m_content = nullptr;
    QBoxLayout* m_groups = nullptr;
    TextLabel* m_name = nullptr;
    IconLabel* m_statusIcon = nullptr;
    TextLabel* m_status = nullptr;
    TextLabel* m_error = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_clone = nullptr;
    QPushButton* m_resume = nullptr;
    QPushButton* m_more = nullptr;
    QMenu* m_menu = nullptr;
    VerdictCard* m_verdict = nullptr;
    std::vector<MiniPlot*> m_plots;
    QWidget* m_changesSection = nullptr;
    TextLabel* m_changesTitle = nullptr;
    QGridLayout* m_changes = nullptr;
    QWidget* m_noteSection = nullptr;
    TextLabel* m_note = nullptr;
    TextLabel* m_artefacts = nullptr;
};

} // namespace assay
