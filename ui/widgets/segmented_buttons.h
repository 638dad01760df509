#pragma once

#include <QList>
#include <QWidget>

class QAbstractButton;
class QHBoxLayout;

namespace assay {

/// A row of joined buttons of which exactly one is chosen.
class SegmentedButtons : public QWidget
{
    Q_OBJECT
public:
    /// `name` is the accessible name of the whole group.
    explicit SegmentedButtons(const QString& name, QWidget* parent = nullptr);
    void addSegment(const QString& text);
    void setText(int index, const QString& text);
    void setCurrent(int index);
    int current() const { return m_current; }

Q_SIGNALS:
    void chosen(int index);

private:
    QHBoxLayout* m_layout = nullptr;
    QList<QAbstractButton*> m_buttons;
    int m_current = 0;
};

} // namespace assay
