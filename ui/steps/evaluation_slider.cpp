#include "ui/steps/evaluation_slider.h"

#include "ui/number_text.h"
#include "ui/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay {

EvaluationSlider::EvaluationSlider(QWidget* parent)
    : QSlider(Qt::Horizontal, parent)
{
    setAccessibleName(QStringLiteral("Evaluation"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setPageStep(1);
    connect(this, &QSlider::valueChanged, this, [this](int index) {
        const auto at = static_cast<std::size_t>(std::max(0, index));
        if (at < m_steps.size())
            setAccessibleDescription(QStringLiteral("Optimiser step %1").arg(countText(m_steps[at])));
    });
}

void EvaluationSlider::setSteps(std::vector<std::int64_t> steps)
{
    m_steps = std::move(steps);
    setRange(0, std::max(0, static_cast<int>(m_steps.size()) - 1));
    update();
}

void EvaluationSlider::setCompared(int index)
{
    m_compared = index;
    update();
}

QSize EvaluationSlider::sizeHint() const
{
    return {scaled(220), scaled(24)};
}

double EvaluationSlider::xOf(int index) const
{
    const double left = scaled(9), right = width() - scaled(9);
    if (m_steps.size() < 2)
        return right;
    // By optimiser step, unless a resumed run made the order of steps and evaluations disagree.
    const bool ordered = std::is_sorted(m_steps.begin(), m_steps.end());
    const auto at = static_cast<std::size_t>(std::clamp(index, 0, static_cast<int>(m_steps.size()) - 1));
    const double span = static_cast<double>(m_steps.back() - m_steps.front());
    const double share = ordered && span > 0.0
                             ? static_cast<double>(m_steps[at] - m_steps.front()) / span
                             : static_cast<double>(at) / static_cast<double>(m_steps.size() - 1);
    return left + (right - left) * share;
}

int EvaluationSlider::nearest(double x) const
{
    int best = 0;
    for (int i = 1; i < static_cast<int>(m_steps.size()); ++i)
        if (std::abs(xOf(i) - x) < std::abs(xOf(best) - x))
            best = i;
    return best;
}

void EvaluationSlider::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Palette& p = colors();
    const double middle = std::floor(height() / 2.0) + 0.5;
    const double left = scaled(9), right = width() - scaled(9);
    const double handle = xOf(value());
    painter.fillRect(QRectF(left, middle - scaled(1.5), right - left, scaled(3)), p.line2);
    painter.fillRect(QRectF(left, middle - scaled(1.5), handle - left, scaled(3)), p.accent);
    painter.setPen(p.ctl);
    for (int i = 0; i < static_cast<int>(m_steps.size()); ++i) {
        const double x = std::floor(xOf(i)) + 0.5;
        painter.drawLine(QPointF(x, middle - scaled(5)), QPointF(x, middle + scaled(5)));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_compared >= 0 && m_compared != value()) {
        const double x = xOf(m_compared);
        painter.setPen(QPen(p.text2, 1.2));
        painter.setBrush(p.surface);
        painter.drawRect(QRectF(x - scaled(4), middle - scaled(5), scaled(8), scaled(10)));
    }
    painter.setPen(QPen(p.accent, 2.0));
    painter.setBrush(isSliderDown() ? p.accentSoft : p.surface);
    painter.drawEllipse(QPointF(handle, middle), scaled(7), scaled(7));
    if (hasFocus()) {
        painter.setBrush(p.accent);
        painter.drawEllipse(QPointF(handle, middle), scaled(3), scaled(3));
    }
}

void EvaluationSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_steps.empty())
        return;
    setSliderDown(true);
    setValue(nearest(event->position().x()));
}

void EvaluationSlider::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && !m_steps.empty())
        setValue(nearest(event->position().x()));
}

void EvaluationSlider::mouseReleaseEvent(QMouseEvent*)
{
    setSliderDown(false);
    update();
}

} // namespace assay
