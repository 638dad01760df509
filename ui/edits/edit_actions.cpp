#include "ui/edits/edit_actions.h"

#include "ui/actions.h"
#include "ui/edits/edit_line.h"
#include "ui/edits/run_edits.h"
#include "ui/number_text.h"
#include "ui/pages/page.h"
#include "ui/store_source.h"

#include <QAction>
#include <QUndoStack>

#include <algorithm>
#include <set>

namespace assay {

namespace {

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

/// “name” of one run, else "3 runs".
QString runsText(const std::vector<RunSummary>& runs)
{
    return runs.size() == 1 ? QStringLiteral("“%1”").arg(qt(runs.front().name))
                            : QStringLiteral("%1 runs").arg(countText(static_cast<qint64>(runs.size())));
}

/// "best, seed" as words, without empty ones and spaces around.
std::vector<std::string> tagWords(const QString& text)
{
    std::vector<std::string> words;
    for (const auto& word : text.split(QLatin1Char(',')))
        if (!word.trimmed().isEmpty())
            words.push_back(word.trimmed().toStdString());
    return words;
}

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const auto& word : words)
        list << qt(word);
    return list.join(QStringLiteral(", "));
}

std::set<std::string> tagsOf(const std::vector<RunSummary>& runs)
{
    std::set<std::string> tags;
    for (const auto& run : runs)
        tags.insert(run.tags.begin(), run.tags.end());
    return tags;
}

bool inProgress(const RunSummary& run)
{
    return run.status == RunStatus::Running || run.status == RunStatus::Paused;
}

template <typename Test>
bool all(const std::vector<RunSummary>& runs, Test test)
{
    return std::all_of(runs.begin(), runs.end(), test);
}

} // namespace

template <typename Set>
std::vector<RunEdit> EditActions::forEach(const std::vector<RunSummary>& runs, Set set)
{
    std::vector<RunEdit> edits;
    for (const auto& run : runs) {
        RunEdit edit;
        edit.run = run.id;
        set(edit);
        edits.push_back(std::move(edit));
    }
    return edits;
}

EditActions::EditActions(Actions& actions, RunEdits& edits, EditLine& line, StoreSource& source,
                         QObject* parent)
    : QObject(parent)
    , m_edits(edits)
    , m_line(line)
    , m_source(source)
{
    addUndo(actions);
    addRunActions(actions);
    connect(&m_edits, &RunEdits::done, this, [this](const QString& sentence, bool undone) {
        m_line.say(sentence, undone ? tr("Redo") : tr("Undo"),
                   [this, undone] { undone ? m_edits.redo() : m_edits.undo(); });
    });
    connect(&m_edits, &RunEdits::failed, &m_line, &EditLine::complain);
    connect(&m_edits, &RunEdits::stackChanged, this, &EditActions::updateUndo);
    update();
    updateUndo();
}

void EditActions::addUndo(Actions& actions)
{
    const auto step = [this](bool back) {
        if (m_page && m_page->undoStack())
            m_page->stepUndo(back);
        else
            back ? m_edits.undo() : m_edits.redo();
    };
    m_undo = actions.add(
        QStringLiteral("edit.undo"), tr("&Undo"), QKeySequence::Undo, [step] { step(true); },
        tr("take back"));
    m_redo =
        actions.add(QStringLiteral("edit.redo"), tr("&Redo"), QKeySequence::Redo, [step] { step(false); });
}

void EditActions::addRunActions(Actions& actions)
{
    const auto add = [&](const char* id, const QString& text, const QKeySequence& keys,
                         void (EditActions::*run)(), const QString& words) {
        auto* action = actions.add(
            QStringLiteral("edit.") + QLatin1String(id), text, keys, [this, run] { (this->*run)(); }, words);
        m_runActions.append(action);
        return action;
    };
    m_rename = add("rename", tr("Re&name…"), QKeySequence(Qt::Key_F2), &EditActions::rename, tr("name run"));
    m_tag = add("tag", tr("Add &tag…"), QKeySequence(Qt::Key_T), &EditActions::tag, tr("label runs"));
    m_untag = add("untag", tr("Remove ta&g…"), QKeySequence(Qt::SHIFT | Qt::Key_T), &EditActions::untag,
                  tr("untag runs"));
    m_note = add("note", tr("N&ote…"), QKeySequence(Qt::Key_N), &EditActions::note, tr("comment run"));
    m_archive =
        add("archive", tr("&Archive"), QKeySequence(Qt::Key_A), &EditActions::archive, tr("hide bring back"));
    m_delete = add("delete", tr("&Delete"), QKeySequence::Delete, &EditActions::remove,
                   tr("remove restore undelete"));
    m_export = actions.add(
        QStringLiteral("file.export-model"), tr("E&xport model…"), {}, [this] { exportModel(); },
        tr("save checkpoint hugging face torchtune"));
    m_ledger = actions.add(
        QStringLiteral("run.ledger"), tr("&Weights of the run…"), {}, [this] { showLedger(); },
        tr("ledger tensors loaded initialised unused"));
    m_runActions << m_export << m_ledger;
}

void EditActions::exportModel()
{
    const auto runs = selected();
    if (runs.size() == 1)
        Q_EMIT exportAsked(QString::fromStdString(runs.front().id));
}

void EditActions::showLedger()
{
    const auto runs = selected();
    if (runs.size() == 1)
        Q_EMIT ledgerAsked(QString::fromStdString(runs.front().id));
}

void EditActions::setPage(Page* page)
{
    if (m_page)
        disconnect(m_page, nullptr, this, nullptr);
    m_page = page;
    connect(page, &Page::selectionChanged, this, &EditActions::update);
    if (const auto* stack = page->undoStack())
        connect(stack, &QUndoStack::indexChanged, this, &EditActions::updateUndo, Qt::UniqueConnection);
    update();
    updateUndo();
}

std::vector<RunSummary> EditActions::selected() const
{
    return m_page ? m_page->selectedRuns() : std::vector<RunSummary>{};
}

void EditActions::update()
{
    const auto runs = selected();
    const bool some = !runs.empty();
    const QString none = tr("No run is selected"), one = tr("Select one run");
    const bool archived = some && all(runs, [](const RunSummary& run) { return run.archived; });
    const bool deleted = some && all(runs, [](const RunSummary& run) { return run.deleted; });
    m_archive->setText(archived ? tr("Bring back from the &archive") : tr("&Archive"));
    m_delete->setText(deleted ? tr("Restore &deleted run") : tr("&Delete"));
    for (auto* action : {m_tag, m_archive})
        Actions::setEnabled(action, some, none);
    for (auto* action : {m_rename, m_note})
        Actions::setEnabled(action, runs.size() == 1, some ? one : none);
    for (auto* action : {m_export, m_ledger})
        Actions::setEnabled(action, runs.size() == 1, some ? one : none);
    Actions::setEnabled(m_untag, !tagsOf(runs).empty(), some ? tr("The run has no tag") : none);
    const bool stopped = std::none_of(runs.begin(), runs.end(), inProgress);
    Actions::setEnabled(m_delete, some && stopped,
                        some ? tr("A run in progress cannot be deleted; stop it first") : none);
}

void EditActions::updateUndo()
{
    const auto* stack = m_page && m_page->undoStack() ? m_page->undoStack() : &m_edits.stack();
    m_undo->setText(stack->canUndo() ? tr("&Undo %1").arg(stack->undoText()) : tr("&Undo"));
    m_redo->setText(stack->canRedo() ? tr("&Redo %1").arg(stack->redoText()) : tr("&Redo"));
    Actions::setEnabled(m_undo, stack->canUndo(), tr("There is nothing to undo"));
    Actions::setEnabled(m_redo, stack->canRedo(), tr("There is nothing to redo"));
}

void EditActions::rename()
{
    const auto runs = selected();
    if (runs.size() != 1)
        return;
    const QString name = qt(runs.front().name);
    m_line.ask({tr("New name of %1").arg(runsText(runs)), name, {}, false, false}, [this, runs, name](
                                                                                       const QString& text) {
        if (text != name)
            m_edits.apply(tr("renaming of “%1”").arg(name), tr("Renamed “%1” to “%2”.").arg(name, text),
                          forEach(runs, [&](RunEdit& edit) { edit.name = text.toStdString(); }));
    });
}

void EditActions::tag()
{
    const auto runs = selected();
    if (runs.empty())
        return;
    m_line.ask({tr("Tag %1 with").arg(runsText(runs)), {}, tr("best, seed"), false, false},
               [this, runs](const QString& text) {
                   const auto words = tagWords(text);
                   if (words.empty())
                       return;
                   m_edits.apply(tr("tagging of %1").arg(runsText(runs)),
                                 tr("Tagged %1 with %2.").arg(runsText(runs), joined(words)),
                                 forEach(runs, [&](RunEdit& edit) { edit.addTags = words; }));
               });
    m_source.query(
        this, [](const RunReader& store) { return store.tags(); },
        [this](const Result<std::vector<std::string>>& tags) {
            QStringList words;
            if (tags.ok())
                for (const auto& tag : *tags)
                    words << qt(tag);
            m_line.setCompletions(words);
        });
}

void EditActions::untag()
{
    const auto runs = selected();
    const auto tags = tagsOf(runs);
    if (tags.empty())
        return;
    QStringList words;
    for (const auto& tag : tags)
        words << qt(tag);
    m_line.ask({tr("Take off %1 the tag").arg(runsText(runs)), words.size() == 1 ? words.front() : QString(),
                words.join(QStringLiteral(", ")), false, false},
               [this, runs](const QString& text) {
                   const auto off = tagWords(text);
                   if (off.empty())
                       return;
                   m_edits.apply(tr("untagging of %1").arg(runsText(runs)),
                                 tr("Took %2 off %1.").arg(runsText(runs), joined(off)),
                                 forEach(runs, [&](RunEdit& edit) { edit.removeTags = off; }));
               });
    m_line.setCompletions(words);
}

void EditActions::note()
{
    const auto runs = selected();
    if (runs.size() != 1)
        return;
    const QString before = qt(runs.front().note);
    m_line.ask(
        {tr("Note on %1").arg(runsText(runs)), before, tr("What was tried, and what came of it"), true, true},
        [this, runs, before](const QString& text) {
            if (text != before)
                m_edits.apply(tr("note on %1").arg(runsText(runs)),
                              text.isEmpty() ? tr("Removed the note of %1.").arg(runsText(runs))
                                             : tr("Wrote the note of %1.").arg(runsText(runs)),
                              forEach(runs, [&](RunEdit& edit) { edit.note = text.toStdString(); }));
        });
}

void EditActions::archive()
{
    const auto runs = selected();
    const bool back = all(runs, [](const RunSummary& run) { return run.archived; });
    m_edits.apply(back ? tr("bringing back of %1").arg(runsText(runs))
                       : tr("archiving of %1").arg(runsText(runs)),
                  back ? tr("Brought %1 back from the archive.").arg(runsText(runs))
                       : tr("Archived %1. The filter “archived” shows what is there.").arg(runsText(runs)),
                  forEach(runs, [&](RunEdit& edit) { edit.archived = !back; }));
}

void EditActions::remove()
{
    const auto runs = selected();
    const bool back = all(runs, [](const RunSummary& run) { return run.deleted; });
    m_edits.apply(back ? tr("restoring of %1").arg(runsText(runs)) : tr("deletion of %1").arg(runsText(runs)),
                  back
                      ? tr("Restored %1.").arg(runsText(runs))
                      : tr("Deleted %1. The files stay on disk; the filter “deleted” shows what was deleted.")
                            .arg(runsText(runs)),
                  forEach(runs, [&](RunEdit& edit) { edit.deleted = !back; }));
}

} // namespace assay
