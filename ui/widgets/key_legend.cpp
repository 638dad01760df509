#include "ui/widgets/key_legend.h"

#include "ui/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace assay {

namespace {

QFont capFont()
{
    return codeFont(TextSize::Tick);
}

int capWidth(const QString& key)
{
    return std::max(QFontMetrics(capFont()).horizontalAdvance(key) + scaled(9), scaled(18));
}

} // namespace

KeyLegend::KeyLegend(std::vector<Entry> entries, Qt::Alignment alignment, QWidget* parent)
    : QWidget(parent)
    , m_entries(std::move(entries))
    , m_alignment(alignment)
{
    QStringList parts;
    for (const auto& entry : m_entries)
        parts << entry.keys.join(QLatin1Char(' ')) + QStringLiteral(": ") + entry.text;
    setAccessibleName(QStringLiteral("Keys"));
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
    setToolTip(parts.join(QLatin1Char('\n')));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

int KeyLegend::entryWidth(const Entry& entry) const
{
    int width = QFontMetrics(textFont(TextSize::Tick)).horizontalAdvance(entry.text) + scaled(6);
    for (const auto& key : entry.keys)
        width += capWidth(key) + scaled(3);
    return width;
}

QSize KeyLegend::sizeHint() const
{
    int width = 0;
    for (const auto& entry : m_entries)
        width += entryWidth(entry) + scaled(14);
    return {width, scaled(24)};
}

QSize KeyLegend::minimumSizeHint() const
{
    return {scaled(60), scaled(24)};
}

void KeyLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int gap = scaled(14);
    std::size_t shown = 0;
    int used = 0;
    while (shown < m_entries.size() && used + entryWidth(m_entries[shown]) <= width()) {
        used += entryWidth(m_entries[shown]) + gap;
        ++shown;
    }
    int x = m_alignment.testFlag(Qt::AlignRight) ? width() - used + gap : 0;
    for (std::size_t i = 0; i < shown; ++i) {
        for (const auto& key : m_entries[i].keys) {
            const QRectF cap(x + 0.5, (height() - scaled(18)) / 2 + 0.5, capWidth(key) - 1, scaled(18) - 1);
            painter.setPen(colors().line2);
            painter.setBrush(colors().surface);
            painter.drawRoundedRect(cap, scaled(3), scaled(3));
            painter.setPen(colors().text2);
            painter.setFont(capFont());
            painter.drawText(cap, Qt::AlignCenter, key);
            x += capWidth(key) + scaled(3);
        }
        painter.setFont(textFont(TextSize::Tick));
        painter.setPen(colors().text2);
        const int textWidth = QFontMetrics(painter.font()).horizontalAdvance(m_entries[i].text) + scaled(3);
        painter.drawText(QRect(x + scaled(3), 0, textWidth, height()), int(Qt::AlignLeft | Qt::AlignVCenter),
                         m_entries[i].text);
        x += textWidth + scaled(3) + gap;
    }
}

} // namespace assay
