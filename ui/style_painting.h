#pragma once

class QPainter;
class QStyleOption;
class QStyleOptionSlider;
class QWidget;
class QRectF;
class QRect;

namespace assay::painting {

// The pieces Style is made of; each paints one control from the active palette.

void button(QPainter* painter, const QStyleOption* option, const QWidget* widget);
void field(QPainter* painter, const QStyleOption* option, const QWidget* widget);
void checkBox(QPainter* painter, const QStyleOption* option, bool round);
void headerSection(QPainter* painter, const QStyleOption* option, const QWidget* widget);
void scrollBar(QPainter* painter, const QStyleOptionSlider* option, const QRect& handle);
void slider(QPainter* painter, const QStyleOptionSlider* option, const QRect& groove, const QRect& handle);
void itemRow(QPainter* painter, const QStyleOption* option, const QWidget* widget);
void focusRing(QPainter* painter, const QRectF& rect, double radius);

} // namespace assay::painting
