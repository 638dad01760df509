#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace assay {

/// Every command of the window, registered once: menus, buttons and the command palette show the same
/// QAction.
class Actions : public QObject
{
    Q_OBJECT
public:
    /// Shortcuts work in `window`.
    explicit Actions(QWidget* window);

    /// Registers a command. `id` is stable ("view.runs"), `keywords` are further words the palette finds it
    /// by.
    QAction* add(const QString& id, const QString& text, const QKeySequence& shortcut,
                 std::function<void()> run, const QString& keywords = {});
    /// The same for a command of one page: its shortcut (also a single letter) works only inside `page`, and
    /// not while a text field there has the keyboard.
    QAction* addFor(QWidget* page, const QString& id, const QString& text, const QKeySequence& shortcut,
                    std::function<void()> run, const QString& keywords = {});
    /// Null when there is no such command.
    QAction* find(const QString& id) const;
    const QList<QAction*>& all() const { return m_actions; }

    /// Switches a command; a disabled one says why in its tooltip and in the palette.
    static void setEnabled(QAction* action, bool enabled, const QString& reason = {});

    /// Text with shortcut for the tooltip of an icon-only button.
    static QString tooltip(const QAction* action);

Q_SIGNALS:
    void added(QAction* action);

private:
    QWidget* m_window;
    QList<QAction*> m_actions;
};

/// Fuzzy match of the palette: every character of `pattern` in order, word starts and runs score higher;
/// negative = none.
int matchScore(const QString& pattern, const QString& text);

} // namespace assay
