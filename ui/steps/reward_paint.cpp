#include "ui/steps/reward_paint.h"

#include "ui/theme.h"

#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

QColor labelColor(LabelKind kind)
{
    switch (kind) {
    case LabelKind::Correct:
        return colors().reward.back();
    case LabelKind::Wrong:
        return colors().reward.front();
    case LabelKind::None:
        break;
    }
    return colors().text3;
}

/// The ground's colour for slash and hatch, or the text's where the fill near the threshold is too close to
/// it.
QColor markColor(const QColor& fill)
{
    const auto light = [](const QColor& c) { return 0.30 * c.redF() + 0.59 * c.greenF() + 0.11 * c.blueF(); };
    return std::abs(light(fill) - light(colors().surface)) < 0.27 ? colors().text2 : colors().surface;
}

} // namespace

LabelKind labelKind(double label, bool supervised)
{
    if (!supervised)
        return LabelKind::None;
    return label < 0.5 ? LabelKind::Wrong : LabelKind::Correct;
}

void paintHatch(QPainter* painter, const QRectF& rect, const QColor& color, double spacing)
{
    painter->save();
    painter->setClipRect(rect, Qt::IntersectClip);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, std::max(1.0, spacing / 4.0)));
    const double slope = 0.5; // horizontal run per unit of height
    const double run = rect.height() * slope;
    for (double x = rect.left() - run; x < rect.right(); x += spacing)
        painter->drawLine(QPointF(x, rect.bottom()), QPointF(x + run, rect.top()));
    painter->restore();
}

void paintRewardCell(QPainter* painter, const QRectF& rect, std::optional<double> probability,
                     double threshold)
{
    painter->save();
    if (!probability) {
        painter->setPen(QPen(colors().line2, 1.0, Qt::DotLine));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        painter->restore();
        return;
    }
    painter->fillRect(rect, colors().rewardColor(*probability, threshold));
    if (*probability < threshold) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setClipRect(rect, Qt::IntersectClip);
        // In a wide cell the slash keeps to a square at the left, clear of the number in the middle.
        QRectF box = rect;
        if (rect.width() > 1.6 * rect.height())
            box.setWidth(rect.height());
        const double inset = std::max(1.0, std::min(box.width(), box.height()) * 0.22);
        painter->setPen(
            QPen(markColor(colors().rewardColor(*probability, threshold)), 1.5, Qt::SolidLine, Qt::RoundCap));
        painter->drawLine(QPointF(box.left() + inset, box.bottom() - inset),
                          QPointF(box.right() - inset, box.top() + inset));
    }
    painter->restore();
}

void paintRewardBar(QPainter* painter, const QRectF& rect, std::optional<double> probability,
                    double threshold)
{
    painter->save();
    painter->fillRect(rect, colors().dark ? colors().line : colors().sunken);
    const double mark = std::round(rect.left() + rect.width() * std::clamp(threshold, 0.0, 1.0));
    if (probability) {
        const double end = rect.left() + rect.width() * std::clamp(*probability, 0.0, 1.0);
        const QRectF bar(QPointF(std::min(mark, end), rect.top()),
                         QPointF(std::max(mark, end), rect.bottom()));
        painter->fillRect(bar, colors().rewardColor(*probability, threshold));
        if (*probability < threshold)
            paintHatch(painter, bar, markColor(colors().rewardColor(*probability, threshold)), scaled(5.0));
    }
    const double overhang = scaled(2.0);
    painter->fillRect(QRectF(mark - 0.5, rect.top() - overhang, 1.5, rect.height() + 2.0 * overhang),
                      colors().text);
    painter->restore();
}

void paintLabelShape(QPainter* painter, const QPointF& center, double radius, LabelKind kind)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor color = labelColor(kind);
    if (kind == LabelKind::None) {
        painter->setPen(QPen(color, 1.4, Qt::DotLine, Qt::RoundCap));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(center, radius, radius);
    } else {
        painter->setPen(Qt::NoPen);
        painter->setBrush(color);
        if (kind == LabelKind::Correct) {
            painter->drawEllipse(center, radius, radius);
        } else {
            const double reach = radius * 1.25;
            painter->drawPolygon(QPolygonF({center + QPointF(0, -reach), center + QPointF(reach, 0),
                                            center + QPointF(0, reach), center + QPointF(-reach, 0)}));
        }
    }
    painter->restore();
}

void paintLabelEdge(QPainter* painter, const QRectF& rect, LabelKind kind)
{
    painter->save();
    if (kind == LabelKind::Correct) {
        painter->fillRect(rect, labelColor(kind));
    } else if (kind == LabelKind::Wrong) {
        painter->fillRect(rect, labelColor(kind));
        paintHatch(painter, rect, colors().surface, scaled(5.0));
        // The stripes of a narrow edge must be flatter than the hatch of a bar to be seen at all.
        painter->setClipRect(rect, Qt::IntersectClip);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(colors().surface, 1.6));
        const double step = scaled(6.0);
        for (double y = rect.top(); y < rect.bottom() + rect.width(); y += step)
            painter->drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y - rect.width()));
    } else {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(labelColor(kind));
        const double radius = rect.width() * 0.3;
        for (double y = rect.top() + rect.width(); y < rect.bottom(); y += rect.width() * 1.4)
            painter->drawEllipse(QPointF(rect.center().x(), y), radius, radius);
    }
    painter->restore();
}

void paintFlag(QPainter* painter, const QPointF& foot, double height, const QColor& color, bool filled)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF top = foot - QPointF(0, height);
    painter->drawLine(foot, top);
    const double cloth = height * 0.55;
    QPainterPath path(top);
    path.lineTo(top + QPointF(cloth, 0));
    path.lineTo(top + QPointF(cloth * 0.7, cloth * 0.5));
    path.lineTo(top + QPointF(cloth, cloth));
    path.lineTo(top + QPointF(0, cloth));
    path.closeSubpath();
    painter->setBrush(filled ? QBrush(color) : QBrush(Qt::NoBrush));
    painter->drawPath(path);
    painter->restore();
}

QSizeF errorTagSize(const QFont& font, const QString& text)
{
    const QFontMetricsF metrics(font);
    return {metrics.horizontalAdvance(text) + scaled(26), metrics.height() + scaled(2)};
}

void paintErrorTag(QPainter* painter, const QRectF& rect, const QFont& font, const QString& text, bool filled)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor ink = colors().text;
    painter->setPen(QPen(ink, 1.0));
    painter->setBrush(filled ? ink : colors().surface);
    painter->drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), scaled(3), scaled(3));
    const QColor front = filled ? colors().surface : ink;
    paintFlag(painter, rect.bottomLeft() + QPointF(scaled(8), -scaled(3)), rect.height() - scaled(6), front,
              false);
    painter->setFont(font);
    painter->setPen(front);
    painter->drawText(rect.adjusted(scaled(20), 0, -scaled(4), 0), int(Qt::AlignLeft | Qt::AlignVCenter),
                      text);
    painter->restore();
}

void paintRibbon(QPainter* painter, const QRectF& rect, const SolutionSummary& solution, double threshold)
{
    const std::size_t count = solution.probabilities.size();
    if (count == 0)
        return;
    const double cell = std::min(double(scaled(16)), rect.width() / static_cast<double>(count));
    const double gap = cell > 5.0 ? 1.0 : 0.0;
    const double markerHeight = scaled(5);
    const double height = rect.height() - markerHeight - scaled(3);
    for (std::size_t i = 0; i < count; ++i) {
        const double left = rect.left() + cell * static_cast<double>(i);
        const QRectF box(left, rect.top(), cell - gap, height);
        const double probability = solution.probabilities[i];
        paintRewardCell(painter, box, std::isnan(probability) ? std::nullopt : std::optional(probability),
                        threshold);
        const bool supervised = i < solution.supervised.size() && solution.supervised[i];
        const auto kind = labelKind(i < solution.labels.size() ? solution.labels[i] : 0.0, supervised);
        if (kind == LabelKind::Correct)
            continue;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(kind == LabelKind::Wrong ? colors().text : colors().text3);
        const QPointF tip(box.center().x(), rect.bottom() - markerHeight);
        const double half = std::min(double(scaled(4)), cell / 2.0);
        if (kind == LabelKind::Wrong)
            painter->drawPolygon(
                QPolygonF({tip, tip + QPointF(half, markerHeight), tip + QPointF(-half, markerHeight)}));
        else
            painter->drawEllipse(tip + QPointF(0, markerHeight / 2.0), 1.2, 1.2);
        painter->restore();
    }
}

void paintRewardScale(QPainter* painter, const QRectF& rect, double threshold)
{
    QLinearGradient gradient(rect.topLeft(), rect.topRight());
    const double middle = std::clamp(threshold, 0.01, 0.99);
    const auto& stops = colors().reward;
    const double at[] = {0.0, middle / 2.0, middle, (1.0 + middle) / 2.0, 1.0};
    for (std::size_t i = 0; i < stops.size(); ++i)
        gradient.setColorAt(at[i], stops[i]);
    painter->fillRect(rect, gradient);
    const double mark = std::round(rect.left() + rect.width() * middle);
    painter->fillRect(QRectF(mark - 0.5, rect.top() - scaled(2), 1.5, rect.height() + scaled(4)),
                      colors().text);
}

} // namespace assay
