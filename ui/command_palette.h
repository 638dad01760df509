#pragma once

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

} // namespace assay
