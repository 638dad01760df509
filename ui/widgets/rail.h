#pragma once

#include "ui/icons.h"

#include <QList>
#include <QWidget>

class QVBoxLayout;

namespace assay {

class RailButton;

/// The column of pages at the left edge: icon and word, or only the icon when the window is narrow.
class Rail : public QWidget
{
    Q_OBJECT
public:
    explicit Rail(QWidget* parent = nullptr);

    /// Adds an entry; its index counts from 0.
    void addEntry(Icon icon, const QString& text, const QString& tooltip);
    void setCurrent(int index);
    int current() const { return m_current; }
    /// A dot beside the icon: something is going on there.
    void setMarked(int index, bool marked);
    void setCompact(bool compact);

Q_SIGNALS:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_layout = nullptr;
    QList<RailButton*> m_buttons;
    int m_current = -1;
};

} // namespace assay
