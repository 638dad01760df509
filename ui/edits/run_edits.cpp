#include "ui/edits/run_edits.h"

#include "ui/store_source.h"

#include <memory>
#include <utility>

namespace assay {

namespace {

constexpr int kUndoLimit = 200;

/// What stands on the undo stack: the edits that lead to its other side. They are written before the stack
/// moves, so undo and redo have nothing left to do.
class RunEditCommand : public QUndoCommand
{
public:
    RunEditCommand(const QString& what, QString sentence, std::vector<RunEdit> other)
        : QUndoCommand(what)
        , m_sentence(std::move(sentence))
        , m_other(std::make_shared<std::vector<RunEdit>>(std::move(other)))
    {}

    const QString& sentence() const { return m_sentence; }
    const std::vector<RunEdit>& other() const { return *m_other; }
    /// The stack hands commands out as const; what they lead to changes with every step over them.
    void setOther(std::vector<RunEdit> other) const { *m_other = std::move(other); }

private:
    QString m_sentence;
    std::shared_ptr<std::vector<RunEdit>> m_other;
};

} // namespace

RunEdits::RunEdits(StoreSource& source, QObject* parent)
    : QObject(parent)
    , m_source(source)
{
    m_stack.setUndoLimit(kUndoLimit);
    connect(&m_stack, &QUndoStack::indexChanged, this, &RunEdits::stackChanged);
}

void RunEdits::apply(const QString& what, const QString& sentence, std::vector<RunEdit> edits)
{
    if (!edits.empty())
        enqueue({Operation::Kind::Apply, what, sentence, std::move(edits)});
}

void RunEdits::undo()
{
    enqueue({Operation::Kind::Undo, {}, {}, {}});
}

void RunEdits::redo()
{
    enqueue({Operation::Kind::Redo, {}, {}, {}});
}

void RunEdits::enqueue(Operation operation)
{
    m_waiting.push_back(std::move(operation));
    next();
}

void RunEdits::next()
{
    if (m_busy || m_waiting.empty())
        return;
    Operation operation = std::move(m_waiting.front());
    m_waiting.pop_front();
    if (operation.kind != Operation::Kind::Apply) {
        const bool undo = operation.kind == Operation::Kind::Undo;
        const auto* command =
            static_cast<const RunEditCommand*>(m_stack.command(m_stack.index() - (undo ? 1 : 0)));
        if (!command) {
            next();
            return;
        }
        operation.sentence = command->sentence();
        operation.edits = command->other();
    }
    m_busy = true;
    m_source.edit(
        this, [edits = operation.edits](RunEditor& store) { return store.applyAll(edits); },
        [this, operation](Result<std::vector<RunEdit>> inverse) { finish(operation, std::move(inverse)); });
}

void RunEdits::finish(const Operation& operation, Result<std::vector<RunEdit>> inverse)
{
    m_busy = false;
    if (!inverse.ok()) {
        m_waiting.clear(); // they were asked for in the belief that this one would be done
        Q_EMIT failed(operation.kind == Operation::Kind::Apply ? tr("Not done: %1").arg(operation.sentence)
                      : operation.kind == Operation::Kind::Undo
                          ? tr("Not undone: %1").arg(operation.sentence)
                          : tr("Not redone: %1").arg(operation.sentence),
                      QString::fromStdString(inverse.error().text()));
        return;
    }
    const bool undo = operation.kind == Operation::Kind::Undo;
    if (operation.kind == Operation::Kind::Apply) {
        m_stack.push(new RunEditCommand(operation.what, operation.sentence, std::move(inverse).value()));
    } else {
        const auto* command =
            static_cast<const RunEditCommand*>(m_stack.command(m_stack.index() - (undo ? 1 : 0)));
        command->setOther(std::move(inverse).value());
        undo ? m_stack.undo() : m_stack.redo();
    }
    Q_EMIT done(undo ? tr("Undone: %1").arg(operation.sentence) : operation.sentence, undo);
    next();
}

} // namespace assay
