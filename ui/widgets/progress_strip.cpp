#include "ui/widgets/progress_strip.h"

#include "ui/number_text.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>

namespace assay {

namespace {

constexpr int kSegments = 10;

} // namespace

ProgressStrip::ProgressStrip(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMaximumWidth(scaled(250));
    setAccessibleName(QStringLiteral("Progress"));
}

void ProgressStrip::setShare(double share, bool muted)
{
    m_share = std::clamp(share, 0.0, 1.0);
    m_muted = muted;
    setAccessibleDescription(percentText(m_share));
    update();
}

QSize ProgressStrip::sizeHint() const
{
    return {scaled(250), scaled(9)};
}

QSize ProgressStrip::minimumSizeHint() const
{
    return {scaled(80), scaled(9)};
}

void ProgressStrip::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.fillRect(rect(), p.line2);
    painter.fillRect(QRectF(0, 0, width() * m_share, height()), m_muted ? p.ctl : p.accent);
    for (int i = 1; i < kSegments; ++i)
        painter.fillRect(QRectF(width() * i / static_cast<double>(kSegments) - 0.5, 0, 1, height()),
                         p.surface);
}

} // namespace assay
