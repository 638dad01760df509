#include "ui/actions.h"

#include "core/base/check.h"

#include <QWidget>

namespace assay {

Actions::Actions(QWidget* window)
    : QObject(window)
    , m_window(window)
{}

QAction* Actions::add(const QString& id, const QString& text, const QKeySequence& shortcut,
                      std::function<void()> run, const QString& keywords)
{
    CHECK(!find(id), "two commands with the id " + id.toStdString());
    auto* action = new QAction(text, m_window);
    action->setObjectName(id);
    action->setShortcut(shortcut);
    action->setProperty("keywords", keywords);
    action->setToolTip(tooltip(action));
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_window->addAction(action);
    m_actions.append(action);
    Q_EMIT added(action);
    return action;
}

QAction* Actions::addFor(QWidget* page, const QString& id, const QString& text, const QKeySequence& shortcut,
                         std::function<void()> run, const QString& keywords)
{
    auto* action = add(id, text, shortcut, std::move(run), keywords);
    m_window->removeAction(action);
    page->addAction(action);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    return action;
}

QAction* Actions::find(const QString& id) const
{
    for (auto* action : m_actions)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

void Actions::setEnabled(QAction* action, bool enabled, const QString& reason)
{
    action->setEnabled(enabled);
    action->setProperty("reason", enabled ? QString() : reason);
    action->setToolTip(enabled || reason.isEmpty() ? tooltip(action) : reason);
}

QString Actions::tooltip(const QAction* action)
{
    QString text = action->text();
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QChar(0x2026)))
        text.chop(1);
    if (!action->shortcut().isEmpty())
        text += QStringLiteral(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
    return text;
}

int matchScore(const QString& pattern, const QString& text)
{
    int score = 0;
    qsizetype from = 0;
    qsizetype previous = -2;
    for (const QChar wanted : pattern) {
        if (wanted.isSpace())
            continue;
        qsizetype at = text.indexOf(wanted, from, Qt::CaseInsensitive);
        if (at < 0)
            return -1;
        const bool wordStart = at == 0 || !text.at(at - 1).isLetterOrNumber();
        score += 1 + (wordStart ? 4 : 0) + (at == previous + 1 ? 3 : 0);
        previous = at;
        from = at + 1;
    }
    return score;
}

} // namespace assay
