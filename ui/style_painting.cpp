#include "ui/style_painting.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QVariant>
#include <QWidget>

#include <cmath>

namespace assay::painting {

namespace {

QColor towards(const QColor& from, const QColor& to, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {channel(from.red(), to.red()), channel(from.green(), to.green()),
            channel(from.blue(), to.blue())};
}

QRectF borderRect(const QRect& rect)
{
    return QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
}

void panel(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border, double radius)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(border.isValid() ? QPen(border, 1) : QPen(Qt::NoPen));
    painter->setBrush(fill);
    painter->drawRoundedRect(borderRect(rect), radius, radius);
}

QString kind(const QWidget* widget)
{
    return widget ? widget->property("assayKind").toString() : QString();
}

} // namespace

void focusRing(QPainter* painter, const QRectF& rect, double radius)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colors().accent, 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius);
    painter->restore();
}

void button(QPainter* painter, const QStyleOption* option, const QWidget* widget)
{
    const Palette& p = colors();
    const QString role = kind(widget);
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool hovered = enabled && (option->state & QStyle::State_MouseOver);
    const bool pressed = enabled && (option->state & QStyle::State_Sunken);
    const bool checked = option->state & QStyle::State_On;
    QColor fill = p.surface;
    QColor border = p.ctl;
    if (role == QLatin1String("primary")) {
        fill = enabled ? p.accent : p.surface;
        border = enabled ? p.accent : p.line2;
    } else if (role == QLatin1String("quiet")) {
        fill = Qt::transparent;
        border = QColor();
    }
    if (checked) {
        fill = p.accentSoft;
        border = p.accent;
    }
    if (!enabled)
        border = role == QLatin1String("quiet") ? QColor() : p.line2;
    if (hovered && !checked)
        fill = role == QLatin1String("primary") ? towards(p.accent, p.onAccent, 0.08) : p.hover;
    if (pressed)
        fill = towards(fill.alpha() == 0 ? p.hover : fill, p.text, 0.06);
    painter->save();
    panel(painter, option->rect, fill, border, 4);
    if (enabled && (option->state & QStyle::State_HasFocus) &&
        (option->state & QStyle::State_KeyboardFocusChange)) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(role == QLatin1String("primary") ? p.onAccent : p.accent,
                             role == QLatin1String("primary") ? 1 : 2));
        const double inset = role == QLatin1String("primary") ? 2.5 : 1.0;
        painter->drawRoundedRect(QRectF(option->rect).adjusted(inset, inset, -inset, -inset), 3, 3);
    }
    painter->restore();
}

void field(QPainter* painter, const QStyleOption* option, const QWidget* widget)
{
    const Palette& p = colors();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool focused = enabled && (option->state & QStyle::State_HasFocus);
    const bool invalid = widget && widget->property("invalid").toBool();
    painter->save();
    panel(painter, option->rect, p.surface, enabled ? p.ctl : p.line2, 4);
    if (invalid || focused) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(invalid ? p.err : p.accent, 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 4, 4);
    }
    painter->restore();
}

void checkBox(QPainter* painter, const QStyleOption* option, bool round)
{
    const Palette& p = colors();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool on = option->state & (QStyle::State_On | QStyle::State_NoChange);
    painter->save();
    const double radius = round ? option->rect.width() / 2.0 : 3;
    panel(painter, option->rect, on && enabled ? p.accent : p.surface,
          enabled ? (on ? p.accent : p.ctl) : p.line2, radius);
    if (on) {
        const QColor mark = enabled ? p.onAccent : p.disabled;
        const QRectF inner = QRectF(option->rect).adjusted(2, 2, -2, -2);
        if (round) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(mark);
            painter->drawEllipse(inner.center(), 2.6, 2.6);
        } else if (option->state & QStyle::State_NoChange) {
            painter->fillRect(QRectF(inner.left() + 1, inner.center().y() - 0.75, inner.width() - 2, 1.5),
                              mark);
        } else {
            paintIcon(painter, inner.adjusted(-1, -1, 1, 1), Icon::Check, mark);
        }
    }
    if (option->state & QStyle::State_HasFocus)
        focusRing(painter, QRectF(option->rect).adjusted(-2, -2, 2, 2), radius + 1);
    painter->restore();
}

void headerSection(QPainter* painter, const QStyleOption* option, const QWidget*)
{
    const Palette& p = colors();
    painter->fillRect(option->rect, option->state & QStyle::State_MouseOver ? p.hover : p.alt);
    painter->setPen(QPen(p.line2, 0));
    painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
    painter->setPen(QPen(p.line, 0));
    painter->drawLine(option->rect.topRight() + QPoint(0, 4), option->rect.bottomRight() - QPoint(0, 4));
}

void scrollBar(QPainter* painter, const QStyleOptionSlider* option, const QRect& handle)
{
    const Palette& p = colors();
    painter->save();
    painter->fillRect(option->rect, Qt::transparent);
    if (option->maximum > option->minimum) {
        const bool active = option->state & (QStyle::State_MouseOver | QStyle::State_Sunken);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(active ? p.ctl : p.line2);
        painter->drawRoundedRect(QRectF(handle).adjusted(1, 1, -1, -1), 3, 3);
    }
    painter->restore();
}

void slider(QPainter* painter, const QStyleOptionSlider* option, const QRect& groove, const QRect& handle)
{
    const Palette& p = colors();
    const bool enabled = option->state & QStyle::State_Enabled;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QPointF centre = QRectF(handle).center();
    QRectF track(groove.left(), centre.y() - 2, groove.width(), 4);
    painter->setPen(Qt::NoPen);
    painter->setBrush(p.line2);
    painter->drawRoundedRect(track, 2, 2);
    track.setRight(centre.x());
    painter->setBrush(enabled ? p.accent : p.disabled);
    painter->drawRoundedRect(track, 2, 2);
    painter->setBrush(p.surface);
    const bool focused = option->state & QStyle::State_HasFocus;
    painter->setPen(QPen(enabled ? p.accent : p.disabled, focused ? 3 : 2));
    painter->drawEllipse(centre, 6, 6);
    painter->restore();
}

void itemRow(QPainter* painter, const QStyleOption* option, const QWidget* widget)
{
    const Palette& p = colors();
    const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
    if (item && item->backgroundBrush.style() != Qt::NoBrush)
        painter->fillRect(option->rect, item->backgroundBrush);
    if (option->state & QStyle::State_Selected) {
        painter->fillRect(option->rect, p.accentSoft);
        const bool first =
            !item || item->viewItemPosition == QStyleOptionViewItem::Beginning ||
            item->viewItemPosition == QStyleOptionViewItem::OnlyOne ||
            (item->viewItemPosition == QStyleOptionViewItem::Invalid && option->rect.left() <= 0);
        if (first) {
            const bool focused = widget && widget->hasFocus();
            painter->fillRect(QRect(option->rect.left(), option->rect.top(), 3, option->rect.height()),
                              focused ? p.accent : p.line2);
        }
    } else if (option->state & QStyle::State_MouseOver) {
        painter->fillRect(option->rect, p.hover);
    }
}

} // namespace assay::painting
