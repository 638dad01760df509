#pragma once

#include <QAbstractButton>
#include <QFrame>

class QLineEdit;
class QListWidget;

namespace assay {

class Actions;

/// A list over all registered commands, found by typing a few letters; disabled ones stay visible and say
/// why.
class CommandPalette : public QFrame
{
    Q_OBJECT
public:
    CommandPalette(const Actions& actions, QWidget* window);
    void open();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void run();

    const Actions& m_actions;
    QStringList m_recent; ///< ids, newest first
    QLineEdit* m_field = nullptr;
    QListWidget* m_list = nullptr;
};

/// What opens the palette from the menu bar: looks like a field, with the shortcut as a key cap.
class CommandField : public QAbstractButton
{
    Q_OBJECT
public:
    explicit CommandField(QWidget* parent = nullptr);
    void setCompact(bool compact);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_compact = false;
};

} // namespace assay
