#include "ui/steps/pairs/margin_bar.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

double preferredProbability(double margin)
{
    return 1.0 / (1.0 + std::exp(-margin));
}

QString signedText(double margin)
{
    return (margin > 0.0 ? QStringLiteral("+") : QString()) + metricText(margin, 2);
}

} // namespace

PairOutcome pairOutcome(double margin)
{
    if (margin == 0.0)
        return PairOutcome::Tie;
    return margin > 0.0 ? PairOutcome::Right : PairOutcome::Wrong;
}

QString pairOutcomeText(PairOutcome outcome)
{
    switch (outcome) {
    case PairOutcome::Right:
        return QStringLiteral("right");
    case PairOutcome::Tie:
        return QStringLiteral("tie");
    case PairOutcome::Wrong:
        return QStringLiteral("wrong");
    }
    return {};
}

double marginReach(double margin)
{
    const double size = std::abs(margin);
    double decade = 1.0;
    while (decade * 10.0 < size && decade < 1e30)
        decade *= 10.0;
    for (const double step : {1.0, 2.0, 5.0})
        if (size <= decade * step)
            return decade * step;
    return decade * 10.0;
}

void paintMarginBar(QPainter* painter, const QRectF& rect, double margin, double reach)
{
    if (margin == 0.0) {
        paintRewardBar(painter, rect, std::nullopt, 0.5);
        paintLabelShape(painter, rect.center(), rect.height() * 0.4, LabelKind::None);
        return;
    }
    paintRewardBar(painter, rect, 0.5 + 0.5 * std::clamp(margin / reach, -1.0, 1.0), 0.5);
}

MarginBar::MarginBar(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MarginBar::setMargin(std::optional<double> margin)
{
    m_margin = margin;
    setAccessibleName(QStringLiteral("Margin ") + summary());
    update();
}

QString MarginBar::summary() const
{
    if (!m_margin)
        return QStringLiteral("not scored");
    switch (pairOutcome(*m_margin)) {
    case PairOutcome::Right:
        return signedText(*m_margin) + QStringLiteral(", chosen wins");
    case PairOutcome::Wrong:
        return signedText(*m_margin) + QStringLiteral(", rejected wins");
    case PairOutcome::Tie:
        break;
    }
    return metricText(0.0, 2) + QStringLiteral(", tie");
}

QSize MarginBar::sizeHint() const
{
    return {scaled(400), scaled(74)};
}

QSize MarginBar::minimumSizeHint() const
{
    return {scaled(200), scaled(74)};
}

void MarginBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Palette& p = colors();
    const QRect area = rect().adjusted(scaled(14), scaled(8), -scaled(14), -scaled(4));
    const QRect line(area.left(), area.top(), area.width(), scaled(20));
    painter.setFont(textFont(TextSize::Caption));
    painter.setPen(p.text2);
    painter.drawText(line, int(Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("Margin"));
    painter.setFont(numberFont(TextSize::Body, true));
    painter.setPen(p.text);
    painter.drawText(line, int(Qt::AlignHCenter | Qt::AlignVCenter), summary());
    if (!m_margin)
        return;
    painter.setFont(numberFont(TextSize::Table));
    painter.setPen(p.text2);
    painter.drawText(
        line, int(Qt::AlignRight | Qt::AlignVCenter),
        QStringLiteral("chosen preferred %1").arg(metricText(preferredProbability(*m_margin), 2)));
    const double reach = marginReach(*m_margin);
    const QRectF bar(area.left(), line.bottom() + scaled(6), area.width(), scaled(12));
    paintMarginBar(&painter, bar, *m_margin, reach);
    const QRect ticks(area.left(), static_cast<int>(bar.bottom()) + scaled(3), area.width(), scaled(18));
    painter.setFont(textFont(TextSize::Tick));
    painter.setPen(p.text2);
    painter.drawText(ticks, int(Qt::AlignLeft | Qt::AlignVCenter),
                     metricText(-reach, 0) + QStringLiteral(" rejected wins"));
    painter.drawText(ticks, int(Qt::AlignHCenter | Qt::AlignVCenter), QStringLiteral("0"));
    painter.drawText(ticks, int(Qt::AlignRight | Qt::AlignVCenter),
                     QStringLiteral("chosen wins +") + metricText(reach, 0));
}

} // namespace assay
