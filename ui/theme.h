#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>

#include <array>

class QApplication;

namespace assay {

/// The colour tokens of one theme; every colour on screen is one of these.
struct Palette
{
    bool dark = false;
    QColor window, surface, sunken, alt, hover;
    QColor line, line2, ctl;
    QColor text, text2, text3;
    QColor accent, onAccent, accentSoft, accentText;
    QColor ok, okSoft, warn, warnSoft, err, errSoft, info, infoSoft;
    QColor disabled;
    std::array<QColor, 5> reward; ///< stops of the reward scale at 0, 1/4, 1/2, 3/4, 1
    std::array<QColor, 8> run;    ///< run colours 1 to 8

    /// Colour of a reward in [0, 1]: piecewise linear in sRGB, `threshold` maps to the middle stop.
    QColor rewardColor(double value, double threshold = 0.5) const;
};

const Palette& lightPalette();
const Palette& darkPalette();

enum class ThemeChoice { System, Light, Dark };

/// Holds the active palette, applies it to the application and tells widgets about changes.
class Theme : public QObject
{
    Q_OBJECT
public:
    /// Installs style, palette and font on `application` and attaches itself to it.
    explicit Theme(QApplication& application, ThemeChoice choice = ThemeChoice::System);

    void setChoice(ThemeChoice choice);
    ThemeChoice choice() const { return m_choice; }
    const Palette& palette() const { return *m_palette; }

Q_SIGNALS:
    /// Also announced to every widget as QEvent::PaletteChange.
    void changed();

private:
    void apply();

    QApplication& m_application;
    ThemeChoice m_choice;
    bool m_systemDark = false;
    const Palette* m_palette = nullptr;
};

/// The palette of the theme attached to the application (light before one is). Read it while painting, keep
/// no copy.
const Palette& colors();

/// Sizes relative to the application font, see the type scale of the visual system.
enum class TextSize { EmptyTitle, Title, Section, Body, Table, Caption, Tick };
QFont textFont(TextSize size);
/// As textFont, but with tabular digits: columns of numbers line up.
QFont numberFont(TextSize size, bool bold = false);
/// Code, keys, paths, tokens and filters; ligatures off.
QFont codeFont(TextSize size = TextSize::Body);
/// A length in pixels, given for the 13 px font the pictures were drawn with.
int scaled(double pixelsAt13);

/// "color: #1a2126" for the few generated style sheets.
QString cssColor(const QColor& color);

} // namespace assay
