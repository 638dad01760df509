#pragma once

#include "ui/icons.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace assay {

/// What a page shows when there is nothing to show: a title, one sentence, and actions that lead on.
class EmptyState : public QWidget
{
    Q_OBJECT
public:
    EmptyState(const QString& title, const QString& sentence, QWidget* parent = nullptr);
    void setText(const QString& title, const QString& sentence);
    QPushButton* addAction(const QString& text, Icon icon, bool primary);

private:
    QLabel* m_title = nullptr;
    QLabel* m_sentence = nullptr;
    QHBoxLayout* m_actions = nullptr;
};

} // namespace assay
