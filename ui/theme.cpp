#include "ui/theme.h"

#include "ui/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetrics>
#include <QPalette>
#include <QVariant>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

constexpr char kThemeProperty[] = "assayTheme";

Palette makeLight()
{
    Palette p;
    p.window = 0xF2F4F5, p.surface = 0xFFFFFF, p.sunken = 0xE7EBED, p.alt = 0xF8F9FA, p.hover = 0xEDF1F2;
    p.line = 0xDDE2E5, p.line2 = 0xC2CAD0, p.ctl = 0x7F8B94;
    p.text = 0x1A2126, p.text2 = 0x46525B, p.text3 = 0x5A6770;
    p.accent = 0x0B6A69, p.onAccent = 0xFFFFFF, p.accentSoft = 0xDCEDEB, p.accentText = 0x075453;
    p.ok = 0x17703F, p.okSoft = 0xE1F1E7, p.warn = 0x835300, p.warnSoft = 0xFBF0D8;
    p.err = 0xAE251D, p.errSoft = 0xFBE8E6, p.info = 0x385678, p.infoSoft = 0xE6ECF3;
    p.disabled = 0x8D979E;
    p.reward = {QColor(0xA84300), QColor(0xEC9446), QColor(0xD3D8DB), QColor(0x6BA4D8), QColor(0x124C8E)};
    p.run = {QColor(0x003073), QColor(0xD75E09), QColor(0x2BA781), QColor(0x705762),
             QColor(0x519DB5), QColor(0x523700), QColor(0x1C050A), QColor(0x6F36F1)};
    return p;
}

Palette makeDark()
{
    Palette p;
    p.dark = true;
    p.window = 0x16191C, p.surface = 0x1D2125, p.sunken = 0x121518, p.alt = 0x21262A, p.hover = 0x272D32;
    p.line = 0x30373D, p.line2 = 0x465059, p.ctl = 0x77838C;
    p.text = 0xE6E9EB, p.text2 = 0xB7C0C6, p.text3 = 0x9DA8B0;
    p.accent = 0x52BBB1, p.onAccent = 0x06201F, p.accentSoft = 0x1C3F3E, p.accentText = 0x8AD8CF;
    p.ok = 0x6FCB95, p.okSoft = 0x1B3526, p.warn = 0xE3B452, p.warnSoft = 0x3A3018;
    p.err = 0xF4938A, p.errSoft = 0x452422, p.info = 0xA3BCDC, p.infoSoft = 0x243040;
    p.disabled = 0x6C767E;
    p.reward = {QColor(0xFFA24A), QColor(0xB96A2E), QColor(0x4C555D), QColor(0x3F7DBE), QColor(0x7CBCFF)};
    p.run = {QColor(0x2E72F3), QColor(0xC56116), QColor(0x3FD3B7), QColor(0xFD798D),
             QColor(0xEDFEFF), QColor(0xCDF359), QColor(0x87647E), QColor(0xC7B8FF)};
    return p;
}

QPalette toQt(const Palette& p)
{
    QPalette q;
    q.setColor(QPalette::Window, p.window);
    q.setColor(QPalette::Base, p.surface);
    q.setColor(QPalette::Button, p.surface);
    q.setColor(QPalette::AlternateBase, p.alt);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
        q.setColor(role, p.text);
    q.setColor(QPalette::ToolTipBase, p.surface);
    q.setColor(QPalette::BrightText, p.err);
    q.setColor(QPalette::PlaceholderText, p.text3);
    q.setColor(QPalette::Highlight, p.accentSoft);
    q.setColor(QPalette::HighlightedText, p.text);
    q.setColor(QPalette::Link, p.accentText);
    q.setColor(QPalette::LinkVisited, p.accentText);
    q.setColor(QPalette::Light, p.line);
    q.setColor(QPalette::Midlight, p.line);
    q.setColor(QPalette::Mid, p.line2);
    q.setColor(QPalette::Dark, p.line2);
    q.setColor(QPalette::Shadow, p.line2);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        q.setColor(QPalette::Disabled, role, p.disabled);
#if QT_VERSION >= QT_VERSION_CHECK(6, 6, 0)
    q.setColor(QPalette::Accent, p.accent);
#endif
    return q;
}

QColor mix(const QColor& a, const QColor& b, double t)
{
    const auto channel = [t](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * t)); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

/// A desktop that configures no font leaves Qt with a bare fallback; then the order of the visual system
/// decides.
void chooseFont(QApplication& application)
{
    QFont font = application.font();
    const bool configured = QGuiApplication::platformName() != QLatin1String("offscreen") &&
                            !font.family().isEmpty() && font.family() != QLatin1String("Sans Serif");
    if (!configured) {
        const QStringList families = QFontDatabase::families();
        for (const char* family : {"Inter", "Noto Sans", "DejaVu Sans"}) {
            if (families.contains(QLatin1String(family))) {
                font = QFont(QLatin1String(family));
                break;
            }
        }
        font.setPixelSize(13);
        application.setFont(font);
    }
}

double sizeFactor(TextSize size)
{
    switch (size) {
    case TextSize::EmptyTitle:
        return 1.6;
    case TextSize::Title:
        return 1.15;
    case TextSize::Section:
    case TextSize::Body:
        return 1.0;
    case TextSize::Table:
        return 0.92;
    case TextSize::Caption:
        return 0.88;
    case TextSize::Tick:
        return 0.85;
    }
    return 1.0;
}

int basePixels()
{
    return QFontInfo(QApplication::font()).pixelSize();
}

void setSize(QFont& font, TextSize size)
{
    font.setPixelSize(std::max(11, static_cast<int>(std::lround(basePixels() * sizeFactor(size)))));
}

} // namespace

QColor Palette::rewardColor(double value, double threshold) const
{
    if (std::isnan(value))
        return line2;
    const double v = std::clamp(value, 0.0, 1.0);
    const double t = std::clamp(threshold, 0.0, 1.0);
    // The threshold is the middle of the scale wherever it lies, so that colour always means "predicted wrong
    // or correct".
    double position = 0.5;
    if (v < t)
        position = 0.5 * v / t;
    else if (v > t)
        position = 0.5 + 0.5 * (v - t) / (1.0 - t);
    const double scaledPosition = position * 4.0;
    const auto index = std::min<std::size_t>(3, static_cast<std::size_t>(scaledPosition));
    return mix(reward[index], reward[index + 1], scaledPosition - static_cast<double>(index));
}

const Palette& lightPalette()
{
    static const Palette palette = makeLight();
    return palette;
}

const Palette& darkPalette()
{
    static const Palette palette = makeDark();
    return palette;
}

Theme::Theme(QApplication& application, ThemeChoice choice)
    : QObject(&application)
    , m_application(application)
    , m_choice(choice)
{
    // Qt 6.4 has no colorScheme(): the desktop's own window colour says whether it is dark. Read before ours
    // replaces it.
    m_systemDark = application.palette().color(QPalette::Window).lightness() < 128;
    application.setProperty(kThemeProperty, QVariant::fromValue<QObject*>(this));
    m_palette = &lightPalette();
    chooseFont(application);
    application.setStyle(new Style);
    apply();
}

void Theme::setChoice(ThemeChoice choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    apply();
    Q_EMIT changed();
}

void Theme::apply()
{
    const bool dark = m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemDark);
    m_palette = dark ? &darkPalette() : &lightPalette();
    m_application.setPalette(toQt(*m_palette));
}

const Palette& colors()
{
    if (qApp) {
        if (const auto* theme = qobject_cast<Theme*>(qApp->property(kThemeProperty).value<QObject*>()))
            return theme->palette();
    }
    return lightPalette();
}

QFont textFont(TextSize size)
{
    QFont font = QApplication::font();
    setSize(font, size);
    if (size == TextSize::Title || size == TextSize::Section || size == TextSize::Caption ||
        size == TextSize::EmptyTitle)
        font.setWeight(QFont::DemiBold);
    return font;
}

QFont numberFont(TextSize size, bool bold)
{
    QFont font = QApplication::font();
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("tnum", 1);
    setSize(font, size);
#else
    // Inter's digits are not tabular without the feature; DejaVu Sans has tabular digits but runs wider.
    if (font.family() == QLatin1String("Inter"))
        font.setFamilies({QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans")});
    setSize(font, size);
    font.setPixelSize(std::max(11, font.pixelSize() - 1));
#endif
    font.setWeight(bold ? QFont::Bold : QFont::Normal);
    return font;
}

QFont codeFont(TextSize size)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QStringList families = QFontDatabase::families();
    if (!families.contains(font.family()))
        font.setFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"),
                          QStringLiteral("monospace")});
    font.setStyleHint(QFont::Monospace);
    setSize(font, size);
    font.setPixelSize(std::max(11, font.pixelSize() - 1));
    return font;
}

int scaled(double pixelsAt13)
{
    return static_cast<int>(std::lround(pixelsAt13 * basePixels() / 13.0));
}

QString cssColor(const QColor& color)
{
    return color.name(QColor::HexRgb);
}

} // namespace assay
