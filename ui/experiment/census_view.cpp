#include "ui/experiment/census_view.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr int kBarHeight = 14, kRowHeight = 19;

QString shareText(double part, double whole)
{
    return whole > 0.0 ? percentText(part / whole, 1) : QStringLiteral("–");
}

} // namespace

CensusView::CensusView(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Label census"));
}

void CensusView::setCensus(const Census& census)
{
    m_census = census;
    const double all = census.correct + census.wrong + census.unsupervised;
    setAccessibleDescription(tr("%1 correct, %2 wrong, %3 not supervised")
                                 .arg(shareText(census.correct, all), shareText(census.wrong, all),
                                      shareText(census.unsupervised, all)));
    update();
}

QSize CensusView::sizeHint() const
{
    return {scaled(200), scaled(kBarHeight + 8 + 4 * kRowHeight)};
}

void CensusView::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double all = m_census.correct + m_census.wrong + m_census.unsupervised;
    const QRectF bar(0, 0, width(), scaled(kBarHeight));
    painter.fillRect(bar, p.sunken);
    if (all > 0.0) {
        const double correct = bar.width() * m_census.correct / all,
                     wrong = bar.width() * m_census.wrong / all;
        painter.fillRect(QRectF(0, 0, correct, bar.height()), p.reward[4]);
        const QRectF wrongRect(correct, 0, wrong, bar.height());
        painter.fillRect(wrongRect, p.reward[1]);
        paintHatch(&painter, wrongRect, p.reward[0], scaled(5));
    }
    const QFont font = textFont(TextSize::Table), numbers = numberFont(TextSize::Table);
    double y = scaled(kBarHeight + 8);
    const auto row = [&](std::optional<LabelKind> kind, const QString& word, double count,
                         const QString& share) {
        const QRectF line(0, y, width(), scaled(kRowHeight));
        if (kind)
            paintLabelShape(&painter, QPointF(scaled(6), line.center().y()), scaled(4), *kind);
        painter.setFont(font);
        painter.setPen(kind ? p.text : p.text3);
        painter.drawText(line.adjusted(scaled(18), 0, 0, 0), Qt::AlignVCenter, word);
        painter.setFont(numbers);
        painter.setPen(p.text);
        painter.drawText(line.adjusted(0, 0, -scaled(58), 0), Qt::AlignVCenter | Qt::AlignRight,
                         countText(std::llround(count)));
        painter.setPen(p.text3);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, share);
        y += scaled(kRowHeight);
    };
    row(LabelKind::Correct, tr("Correct"), m_census.correct, shareText(m_census.correct, all));
    row(LabelKind::Wrong, tr("Wrong"), m_census.wrong, shareText(m_census.wrong, all));
    row(LabelKind::None, tr("Not supervised"), m_census.unsupervised, shareText(m_census.unsupervised, all));
    if (m_census.evaluationWrong)
        row(std::nullopt, tr("Evaluation set, wrong"), *m_census.evaluationWrong,
            shareText(*m_census.evaluationWrong, m_census.evaluationSupervised.value_or(0.0)));
}

PositionChart::PositionChart(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Base rate by step position"));
}

void PositionChart::setRates(std::vector<double> rates, std::vector<double> counts, double all)
{
    m_rates = std::move(rates);
    m_counts = std::move(counts);
    m_all = all;
    QStringList words;
    for (std::size_t i = 0; i < m_rates.size(); ++i)
        words << tr("step %1: %2").arg(i + 1).arg(metricText(m_rates[i]));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QSize PositionChart::sizeHint() const
{
    return {scaled(200), scaled(112)};
}

void PositionChart::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    if (m_rates.empty()) {
        painter.setFont(textFont(TextSize::Tick));
        painter.setPen(p.text3);
        painter.drawText(rect(), int(Qt::AlignCenter) | int(Qt::TextWordWrap),
                         tr("The rows do not say where steps begin"));
        return;
    }
    painter.setFont(numberFont(TextSize::Tick));
    const QRectF plot = QRectF(rect()).adjusted(scaled(30), scaled(6), -scaled(6), -scaled(18));
    const double lowest = std::min(m_all, *std::min_element(m_rates.begin(), m_rates.end()));
    const double floor = std::clamp(std::floor(lowest * 10.0 - 0.5) / 10.0, 0.0, 0.9);
    const auto yOf = [&](double rate) {
        return plot.bottom() - (rate - floor) / (1.0 - floor) * plot.height();
    };
    const double cell = plot.width() / static_cast<double>(m_rates.size());
    const auto xOf = [&](std::size_t i) { return plot.left() + cell * (static_cast<double>(i) + 0.5); };
    for (const double tick : std::array{floor, (1.0 + floor) / 2.0, 1.0}) {
        painter.setPen(QPen(p.line, 0));
        painter.drawLine(QPointF(plot.left(), yOf(tick)), QPointF(plot.right(), yOf(tick)));
        painter.setPen(p.text3);
        painter.drawText(QRectF(0, yOf(tick) - scaled(8), plot.left() - scaled(6), scaled(16)),
                         Qt::AlignRight | Qt::AlignVCenter, metricText(tick, 2));
    }
    const double most = m_counts.empty() ? 0.0 : *std::max_element(m_counts.begin(), m_counts.end());
    for (std::size_t i = 0; i < m_counts.size() && most > 0.0; ++i) {
        const double height = 0.45 * plot.height() * m_counts[i] / most;
        painter.fillRect(QRectF(xOf(i) - 0.38 * cell, plot.bottom() - height, 0.76 * cell, height), p.line);
    }
    painter.setPen(QPen(p.text2, 1, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), yOf(m_all)), QPointF(plot.right(), yOf(m_all)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(p.accent, scaled(1.5)));
    QPainterPath path;
    for (std::size_t i = 0; i < m_rates.size(); ++i)
        i == 0 ? path.moveTo(xOf(i), yOf(m_rates[i])) : path.lineTo(xOf(i), yOf(m_rates[i]));
    painter.drawPath(path);
    painter.setBrush(p.accent);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < m_rates.size(); ++i)
        painter.drawEllipse(QPointF(xOf(i), yOf(m_rates[i])), scaled(2.5), scaled(2.5));
    painter.setPen(p.text3);
    const std::size_t every = std::max<std::size_t>(1, (m_rates.size() + 7) / 8);
    for (std::size_t i = 0; i < m_rates.size(); i += every)
        painter.drawText(QRectF(xOf(i) - scaled(20), plot.bottom() + scaled(2), scaled(40), scaled(16)),
                         Qt::AlignCenter, QString::number(i + 1));
    const QString words = tr("all steps %1").arg(metricText(m_all));
    const double labelY =
        yOf(m_all) - scaled(16) > plot.top() ? yOf(m_all) - scaled(16) : yOf(m_all) + scaled(2);
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(words) + scaled(4);
    const QRectF box(plot.right() - wide, labelY, wide, scaled(14));
    QColor ground = p.surface;
    ground.setAlphaF(0.8F); // readable over bars and curve
    painter.fillRect(box, ground);
    painter.drawText(box, Qt::AlignCenter, words);
}

} // namespace assay
