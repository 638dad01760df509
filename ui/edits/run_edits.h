#pragma once

#include "core/store/run_store.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <deque>
#include <vector>

namespace assay {

class StoreSource;

/// Edits of runs with undo. Each is written by the store-writer thread; only what has been written stands on
/// the undo stack, so that the stack always says what the store says. Edits, undo and redo are done one after
/// the other in the order in which they were asked.
class RunEdits : public QObject
{
    Q_OBJECT
public:
    explicit RunEdits(StoreSource& source, QObject* parent = nullptr);

    /// All edits are one step back. `what` names them in the Edit menu ("deletion of 3 runs"), `sentence`
    /// says afterwards what was done.
    void apply(const QString& what, const QString& sentence, std::vector<RunEdit> edits);
    void undo();
    void redo();
    /// An edit is being written or waits.
    bool busy() const { return m_busy || !m_waiting.empty(); }
    const QUndoStack& stack() const { return m_stack; }

Q_SIGNALS:
    /// Written; `undone` tells an undo from an edit or redo.
    void done(const QString& sentence, bool undone);
    /// Nothing was written (`reason`: what, where, what to do); the view and the undo stack are as before.
    void failed(const QString& sentence, const QString& reason);
    /// The undo stack changed.
    void stackChanged();

private:
    struct Operation
    {
        enum class Kind { Apply, Undo, Redo } kind = Kind::Apply;
        QString what, sentence;
        std::vector<RunEdit> edits;
    };
    void enqueue(Operation operation);
    void next();
    void finish(const Operation& operation, Result<std::vector<RunEdit>> inverse);

    StoreSource& m_source;
    QUndoStack m_stack;
    std::deque<Operation> m_waiting;
    bool m_busy = false;
};

} // namespace assay
