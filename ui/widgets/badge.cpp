#include "ui/widgets/badge.h"

#include <QFontMetrics>
#include <QPainter>

#include <array>
#include <string_view>

namespace assay {

namespace {

struct VerdictRow
{
    std::string_view id;
    const char* word;
    Icon icon;
    Tone tone;
};

// The closed list of DESIGN section 3.
constexpr std::array<VerdictRow, 10> kVerdicts{{
    {"learning", "learning", Icon::Trend, Tone::Ok},
    {"too-early", "too early", Icon::Clock, Tone::Info},
    {"too-few-negatives", "too few negatives", Icon::Warning, Tone::Warn},
    {"no-signal", "no signal", Icon::Flat, Tone::Err},
    {"threshold-off", "threshold off", Icon::Slider, Tone::Warn},
    {"constant", "constant", Icon::Flat, Tone::Err},
    {"labels-broken", "labels broken", Icon::Error, Tone::Err},
    {"null-baseline", "null baseline", Icon::Warning, Tone::Warn},
    {"leak", "leak", Icon::Drop, Tone::Warn},
    {"diverged", "diverged", Icon::Zigzag, Tone::Err},
}};

constexpr int kHeight = 18, kIcon = 13, kPadding = 5, kGap = 4;

} // namespace

ToneColors toneColors(Tone tone)
{
    const Palette& p = colors();
    switch (tone) {
    case Tone::Ok:
        return {p.ok, p.okSoft};
    case Tone::Warn:
        return {p.warn, p.warnSoft};
    case Tone::Err:
        return {p.err, p.errSoft};
    case Tone::Info:
        return {p.info, p.infoSoft};
    case Tone::Plain:
        return {p.text2, p.sunken};
    }
    return {p.text2, p.sunken};
}

BadgeLook verdictLook(const QString& id, const QString& badge)
{
    for (const auto& row : kVerdicts) {
        if (id == QLatin1String(row.id.data(), static_cast<qsizetype>(row.id.size()))) {
            BadgeLook look{badge.isEmpty() ? QString::fromLatin1(row.word) : badge, row.icon, row.tone};
            if (badge.startsWith(QLatin1String("always ")))
                look.icon = Icon::AlwaysTrue;
            return look;
        }
    }
    return {badge, Icon::Info, Tone::Plain};
}

BadgeLook statusLook(RunStatus status)
{
    switch (status) {
    case RunStatus::Running:
        return {QStringLiteral("Running"), Icon::Play, Tone::Plain};
    case RunStatus::Paused:
        return {QStringLiteral("Paused"), Icon::Pause, Tone::Warn};
    case RunStatus::Finished:
        return {QStringLiteral("Finished"), Icon::Check, Tone::Ok};
    case RunStatus::Stopped:
        return {QStringLiteral("Stopped"), Icon::Stop, Tone::Plain};
    case RunStatus::Failed:
        return {QStringLiteral("Failed"), Icon::CrossCircle, Tone::Err};
    case RunStatus::Interrupted:
        return {QStringLiteral("Interrupted"), Icon::Resume, Tone::Warn};
    }
    return {};
}

QSize badgeSize(const BadgeLook& look)
{
    QFont font = textFont(TextSize::Caption);
    font.setWeight(QFont::Medium);
    const int text = QFontMetrics(font).horizontalAdvance(look.text);
    return {scaled(kPadding * 2 + kIcon + kGap) + text + 1, scaled(kHeight)};
}

void paintBadge(QPainter* painter, const QRect& rect, const BadgeLook& look)
{
    if (look.text.isEmpty())
        return;
    const ToneColors tone = toneColors(look.tone);
    const QSize size = badgeSize(look);
    const QRect box(rect.left(), rect.top() + (rect.height() - size.height()) / 2, size.width(),
                    size.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    // Plain and informational badges carry an outline, because their soft fill hardly differs from a selected
    // row.
    const bool outlined = look.tone == Tone::Plain || look.tone == Tone::Info;
    painter->setPen(outlined ? QPen(colors().line2, 1) : QPen(Qt::NoPen));
    painter->setBrush(tone.soft);
    painter->drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const int icon = scaled(kIcon);
    paintIcon(painter, QRectF(box.left() + scaled(kPadding), box.center().y() - icon / 2.0 + 0.5, icon, icon),
              look.icon, tone.text);
    QFont font = textFont(TextSize::Caption);
    font.setWeight(QFont::Medium);
    painter->setFont(font);
    painter->setPen(tone.text);
    painter->drawText(box.adjusted(scaled(kPadding + kIcon + kGap), 0, 0, 0),
                      Qt::AlignVCenter | Qt::AlignLeft, look.text);
    painter->restore();
}

Badge::Badge(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Badge::setLook(const BadgeLook& look)
{
    m_look = look;
    setAccessibleName(look.text);
    setVisible(!look.text.isEmpty());
    updateGeometry();
    update();
}

QSize Badge::sizeHint() const
{
    return badgeSize(m_look);
}

void Badge::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintBadge(&painter, rect(), m_look);
}

} // namespace assay
