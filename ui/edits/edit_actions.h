#pragma once

#include "core/store/run_store.h"

#include <QList>
#include <QObject>
#include <QPointer>

#include <vector>

class QAction;

namespace assay {

class Actions;
class EditLine;
class Page;
class RunEdits;
class StoreSource;

/// The commands of the Edit menu: undo, redo, and what can be done to the runs that the open page has
/// selected. A page without runs switches them off, with the reason; a page with an undo stack of its own
/// gets undo and redo.
class EditActions : public QObject
{
    Q_OBJECT
public:
    EditActions(Actions& actions, RunEdits& edits, EditLine& line, StoreSource& source,
                QObject* parent = nullptr);

    /// The page that is open now.
    void setPage(Page* page);
    /// For context menus: rename, tag, untag, note, archive, delete, export, ledger.
    const QList<QAction*>& runActions() const { return m_runActions; }

Q_SIGNALS:
    /// The model of the selected run is to be exported.
    void exportAsked(const QString& run);
    /// What loading the model of the selected run did is to be shown.
    void ledgerAsked(const QString& run);

private:
    void addUndo(Actions& actions);
    void addRunActions(Actions& actions);
    void update();
    void updateUndo();
    std::vector<RunSummary> selected() const;
    void rename();
    void tag();
    void untag();
    void note();
    void archive();
    void remove();
    void exportModel();
    void showLedger();
    /// The same edit of every run.
    template <typename Set>
    static std::vector<RunEdit> forEach(const std::vector<RunSummary>& runs, Set set);

    RunEdits& m_edits;
    EditLine& m_line;
    StoreSource& m_source;
    QPointer<Page> m_page;
    QList<QAction*> m_runActions;
    QAction *m_undo = nullptr, *m_redo = nullptr, *m_rename = nullptr, *m_tag = nullptr, *m_untag = nullptr,
            *m_note = nullptr, *m_archive = nullptr, *m_delete = nullptr, *m_export = nullptr,
            *m_ledger = nullptr;
};

} // namespace assay
