#pragma once

#include "core/config/experiment.h"
#include "core/run/session.h"
#include "ui/experiment/draft.h"
#include "ui/pages/page.h"

#include <QTimer>

#include <optional>

class QAction;
class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSplitter;
class QUndoStack;

namespace assay {

class Actions;
class ConfigForm;
class DraftKeeper;
class FileWork;
class GroupList;
class IconLabel;
class PreflightPanel;
class RunController;
class StoreSource;
class TextLabel;

/// Writes an experiment and starts it: the generated form, the pre-flight beside it, and what keeps it from
/// starting. What is being written is saved as it changes and restored with the window.
class ExperimentPage : public Page
{
    Q_OBJECT
public:
    /// All three outlive the page; its commands are registered with `actions`.
    ExperimentPage(StoreSource& source, RunController& controller, Actions& actions,
                   QWidget* parent = nullptr);
    ~ExperimentPage() override;

    QString title() const override;
    void activate() override;
    /// Clones the run's settings.
    void showRun(const QString& run, qint64 evaluation) override;
    void showStartFrom(const QString& run, qint64 step) override;
    /// The experiment at hand, with that backbone; undoable.
    void showModel(const QString& place) override;
    bool ready() const override;
    const QUndoStack* undoStack() const override { return m_undo; }
    void stepUndo(bool back) override;

    ConfigForm& form() { return *m_form; }
    /// Begins with an experiment, forgetting what can be undone; `origin` is said beside the name ("cloned
    /// from ..."). `baseline`: what "changed" means, the defaults if there is none.
    void setExperiment(const ExperimentConfig& config, const QString& origin,
                       const std::optional<ExperimentConfig>& baseline = std::nullopt);
    /// The form as it is, for saving.
    ExperimentDraft draft() const;
    /// An experiment file, on the worker for files. What is wrong with it is said in place.
    void load(const QString& file);
    void save(const QString& file);
    /// What is said below the form; empty = nothing.
    QString message() const;
    /// Why the experiment cannot start; empty = it can.
    QString blockedReason() const;
    void start();
    void copyAsCommand();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Fills the form from a run; with a step, to begin with the weights of that checkpoint.
    void loadRun(const QString& run, std::optional<qint64> step);
    void buildLayout();
    QWidget* makeHeader();
    QWidget* makeSettings();
    QWidget* makeChangedKey();
    QWidget* makeFooter();
    void addCommands(Actions& actions);
    void connectController();
    void configChanged();
    void restoreDraft();
    void showDraft(const ExperimentDraft& draft);
    void replaceWith(const ExperimentDraft& draft, const QString& text);
    void updateBaseline();
    void updateOrigin();
    void probeNow();
    void checksDone(const Preflight& preflight);
    /// Takes one step if memory and time are not known yet and nothing is in the way.
    void measureIfNeeded();
    void measureNow();
    void dropMeasure();
    void refreshState();
    void refreshStart(const QString& reason);
    void showMessage(const QString& text, bool error);
    void askFile(bool save);
    void sayIfSlow(const QString& text);
    void setNarrow(bool narrow);
    bool redChecks() const;

    StoreSource& m_source;
    RunController& m_controller;
    QAction* m_startAction = nullptr;
    QUndoStack* m_undo = nullptr;
    TextLabel* m_name = nullptr;
    TextLabel* m_origin = nullptr;
    QPushButton* m_undoButton = nullptr;
    QLineEdit* m_search = nullptr;
    QWidget* m_groupPane = nullptr;
    GroupList* m_groupList = nullptr;
    QComboBox* m_groupCombo = nullptr;
    ConfigForm* m_form = nullptr;
    QSplitter* m_splitter = nullptr;
    QWidget* m_settings = nullptr;
    PreflightPanel* m_preflight = nullptr;
    QCheckBox* m_onlyChanged = nullptr;
    QCheckBox* m_sinceRun = nullptr;
    TextLabel* m_changedKey = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_queue = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_checksTab = nullptr;
    IconLabel* m_blockedIcon = nullptr;
    TextLabel* m_blocked = nullptr;
    QPushButton* m_override = nullptr;
    QWidget* m_overrideRow = nullptr;
    QLineEdit* m_overrideReason = nullptr;
    QWidget* m_messageRow = nullptr;
    IconLabel* m_messageIcon = nullptr;
    TextLabel* m_message = nullptr;
    QTimer m_probeDelay, m_ageTimer;
    DraftKeeper* m_drafts = nullptr;
    FileWork* m_files = nullptr;

    QString m_originText;
    std::optional<ExperimentConfig> m_baseline; ///< of the run it was cloned from
    bool m_narrow = false, m_probing = false, m_starting = false, m_loadingRun = false, m_undoing = false;
    bool m_restoring = true; ///< until the saved draft is there, or something else took its place
    bool m_measuring = false;
    std::optional<ExperimentConfig> m_measured; ///< what memory and time are about
    std::optional<ExperimentConfig> m_probed;   ///< what the findings are about
    std::optional<Preflight> m_checks;
    std::optional<Error> m_checkError;
};

} // namespace assay
