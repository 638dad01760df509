#pragma once

#include "ui/icons.h"

#include <QPointer>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <functional>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace assay {

class TextLabel;

/// What the edit line asks for.
struct EditQuestion
{
    QString label; ///< "Name of prm-q05"
    QString text;  ///< what stands in the field at first, selected
    QString placeholder;
    bool severalLines = false;
    bool mayBeEmpty = false;
};

/// The line above the status bar where small edits are typed and what was done is said, with Undo. It asks
/// nothing that could be undone instead.
class EditLine : public QWidget
{
    Q_OBJECT
public:
    explicit EditLine(QWidget* parent = nullptr);

    /// `accepted` gets the trimmed text; Escape or Cancel call nothing. A question that is open is dropped.
    void ask(const EditQuestion& question, std::function<void(const QString&)> accepted);
    /// Words the field of the open question completes to.
    void setCompletions(const QStringList& words);
    /// Says what was done; goes away by itself. `button` empty = there is nothing to press.
    void say(const QString& sentence, const QString& button, std::function<void()> pressed);
    /// Says what was not done and why; stays until it is closed.
    void complain(const QString& sentence, const QString& reason);
    void dismiss();

    QString sentence() const;
    bool asking() const { return m_accepted != nullptr; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void present(Icon id, ColorRole role, const QString& sentence);
    void accept();
    QString typed() const;

    Icon m_icon = Icon::Info;
    ColorRole m_role;
    TextLabel* m_text = nullptr;
    QLineEdit* m_field = nullptr;
    QPlainTextEdit* m_lines = nullptr;
    QPushButton *m_button = nullptr, *m_close = nullptr;
    QTimer m_timer;
    QPointer<QWidget> m_before; ///< had the keyboard before the question
    std::function<void(const QString&)> m_accepted;
    std::function<void()> m_pressed;
    bool m_mayBeEmpty = false, m_severalLines = false;
};

} // namespace assay
