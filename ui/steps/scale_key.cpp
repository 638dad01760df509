#include "ui/steps/scale_key.h"

#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QPainter>

namespace assay {

ScaleKey::ScaleKey(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(
        QStringLiteral("Reward scale: 0 wrong is orange, 1 correct is blue, below the threshold is hatched"));
    setToolTip(accessibleName());
}

void ScaleKey::setThreshold(double threshold)
{
    m_threshold = threshold;
    update();
}

QSize ScaleKey::sizeHint() const
{
    return {scaled(270), scaled(24)};
}

QSize ScaleKey::minimumSizeHint() const
{
    return {scaled(120), scaled(24)};
}

void ScaleKey::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFont font = textFont(TextSize::Tick);
    painter.setFont(font);
    painter.setPen(colors().text2);
    const int side = QFontMetrics(font).horizontalAdvance(QStringLiteral("correct 1")) + scaled(6);
    painter.drawText(QRect(0, 0, side - scaled(6), height()), int(Qt::AlignRight | Qt::AlignVCenter),
                     QStringLiteral("0 wrong"));
    painter.drawText(QRect(width() - side + scaled(6), 0, side, height()),
                     int(Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("correct 1"));
    paintRewardScale(&painter, QRectF(side, (height() - scaled(12)) / 2.0, width() - 2 * side, scaled(12)),
                     m_threshold);
}

} // namespace assay
