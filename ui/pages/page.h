#pragma once

#include "core/store/records.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <vector>

class QAction;
class QUndoStack;

namespace assay {

/// One page of the main window. Pages know the store through a StoreSource and each other only through these
/// signals.
class Page : public QWidget
{
    Q_OBJECT
public:
    using QWidget::QWidget;

    /// What the window title shows in front of the program's name.
    virtual QString title() const = 0;
    /// Called whenever the page becomes the visible one.
    virtual void activate() {}
    /// Shows a run and, where that means something, one of its evaluations (0 = the newest); other pages
    /// ignore it. The Experiment page fills itself from the run.
    virtual void showRun(const QString& /*run*/, qint64 /*evaluation*/) {}
    /// True once everything that is visible has its data (screenshots and tests wait for it).
    virtual bool ready() const = 0;
    /// Only the Experiment page does something: an experiment that begins with a checkpoint's weights.
    virtual void showStartFrom(const QString& /*run*/, qint64 /*step*/) {}
    /// Only the Model page opens it, and only the Experiment page begins with it.
    virtual void showModel(const QString& /*place*/) {}
    /// The runs that the commands of the Edit menu are about; empty = none.
    virtual std::vector<RunSummary> selectedRuns() const { return {}; }
    /// Gives a page with runs the commands of the Edit menu, for its context menu.
    virtual void setRunActions(const QList<QAction*>& /*actions*/) {}
    /// What undo and redo are about while the page is open; null = the edits of runs.
    virtual const QUndoStack* undoStack() const { return nullptr; }
    /// Takes back, or does again, one step of the page's own undo stack.
    virtual void stepUndo(bool /*back*/) {}

Q_SIGNALS:
    /// Other runs than before are selected, or something about them changed.
    void selectionChanged();
    void openRun(const QString& run);
    /// `evaluation` 0 = the newest one.
    void openSteps(const QString& run, qint64 evaluation);
    /// Opens the Experiment page filled from a run.
    void cloneRun(const QString& run);
    /// Opens the Experiment page filled from a run, to begin with the weights of its checkpoint of that step.
    void startFrom(const QString& run, qint64 step);
    /// Opens the Experiment page to train on a model folder.
    void useModel(const QString& place);
    /// Asks how and where the checkpoint of that step is to be exported.
    void exportModel(const QString& run, qint64 step);
    /// Opens an empty Experiment page.
    void newExperiment();
    /// Asks to continue an interrupted, stopped or failed run in this process.
    void resumeRun(const QString& run);
    /// Asks to train the embedded demo experiment in this process.
    void runDemo();
};

} // namespace assay
