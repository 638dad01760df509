#pragma once

#include "ui/icons.h"
#include "ui/theme.h"

#include <QHash>
#include <QLabel>

namespace assay {

/// Plain text in a colour token that is read while painting, so that it follows the theme. Never rich text:
/// what it shows may come from data.
class TextLabel : public QLabel
{
    Q_OBJECT
public:
    explicit TextLabel(const QString& text = {}, TextSize size = TextSize::Body,
                       ColorRole role = &Palette::text, QWidget* parent = nullptr);

    void setColorRole(ColorRole role);
    /// Cut at the right with an ellipsis instead of asking for room; the full text is in the tooltip.
    void setElided(bool elided);
    /// Tabular digits.
    void setNumber(bool bold = false);

    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Wrapped heights by width, of the text and the look that they were measured for.
    struct Heights
    {
        QString text;
        QFont font;
        bool wrapped = false;
        QHash<int, int> byWidth;
    };

    void applyFont();

    TextSize m_size;
    ColorRole m_role;
    bool m_elided = false, m_number = false, m_bold = false;
    mutable Heights m_heights;
};

/// A small icon in a colour token.
class IconLabel : public QWidget
{
    Q_OBJECT
public:
    explicit IconLabel(Icon id, ColorRole role = &Palette::text2, int size = 16, QWidget* parent = nullptr);
    void setIcon(Icon id, ColorRole role);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Icon m_icon;
    ColorRole m_role;
    int m_size;
};

/// A horizontal line in the row line colour.
class RuleLine : public QWidget
{
    Q_OBJECT
public:
    explicit RuleLine(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace assay
