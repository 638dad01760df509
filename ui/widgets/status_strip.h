#pragma once

#include "ui/icons.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace assay {

/// One piece of the status bar: icon, words, a small bar, a bold figure and what follows it.
struct StatusItem
{
    std::optional<Icon> icon;
    QString text;
    std::optional<double> share; ///< [0, 1], drawn as a bar after the text
    QString figure;              ///< bold, tabular
    QString tail;
    QString tooltip;
    bool right = false; ///< belongs to the right end
    ColorRole iconRole = &Palette::text3;
};

/// The line at the bottom of the window.
class StatusStrip : public QWidget
{
    Q_OBJECT
public:
    explicit StatusStrip(QWidget* parent = nullptr);
    void setItems(std::vector<StatusItem> items);
    const std::vector<StatusItem>& items() const { return m_items; }
    QSize sizeHint() const override { return {400, scaled(26)}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    int itemWidth(const StatusItem& item) const;
    void paintItem(QPainter& painter, const StatusItem& item, const QRect& rect) const;

    std::vector<StatusItem> m_items;
    mutable std::vector<QRect> m_places; ///< where the items were painted, for tooltips
};

} // namespace assay
