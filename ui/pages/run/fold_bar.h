#pragma once

#include "ui/icons.h"

#include <QWidget>

#include <optional>

class QPushButton;

namespace assay {

/// A pane folded into one line, for windows too narrow to show it; the arrow or Enter opens it.
class FoldBar : public QWidget
{
    Q_OBJECT
public:
    explicit FoldBar(const QString& title, QWidget* parent = nullptr);
    void setText(const QString& text);
    void setOpen(bool open);

Q_SIGNALS:
    void toggled(bool open);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_title, m_text;
    QPushButton* m_arrow = nullptr;
    bool m_open = false;
};

} // namespace assay
