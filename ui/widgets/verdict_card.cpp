#include "ui/widgets/verdict_card.h"

#include "ui/theme.h"

#include <QPainter>
#include <QTextLayout>
#include <QTextOption>

#include <algorithm>

namespace assay {

namespace {

/// Word in bold, then the sentence, wrapped; as plain text, because parts of it come from data.
void layoutText(QTextLayout& layout, const QString& word, int width)
{
    QTextOption option;
    option.setWrapMode(QTextOption::WordWrap);
    layout.setTextOption(option);
    QTextCharFormat bold;
    bold.setFontWeight(QFont::DemiBold);
    layout.setFormats({QTextLayout::FormatRange{0, static_cast<int>(word.size()), bold}});
    layout.beginLayout();
    double y = 0.0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition(QPointF(0, y));
        y += line.height() + 1.0;
    }
    layout.endLayout();
}

} // namespace

VerdictCard::VerdictCard(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void VerdictCard::showVerdict(const RunSummary& run)
{
    m_look = verdictLook(QString::fromStdString(run.verdictId), QString::fromStdString(run.verdictBadge));
    m_word = m_look.text.isEmpty() ? QString()
                                   : m_look.text.left(1).toUpper() + m_look.text.mid(1) + QLatin1Char('.');
    m_sentence = QString::fromStdString(run.verdictSentence);
    setVisible(!m_look.text.isEmpty());
    setAccessibleName(QStringLiteral("Verdict: ") + m_word);
    setAccessibleDescription(m_sentence);
    setToolTip(QString::fromStdString(run.verdictEvidence));
    fit();
    update();
}

void VerdictCard::fit()
{
    // Layouts side by side do not ask for the height of a width.
    setFixedHeight(heightForWidth(width()));
}

void VerdictCard::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

QRect VerdictCard::textRect(int width) const
{
    return {scaled(36), scaled(8), std::max(60, width - scaled(46)), 0};
}

int VerdictCard::heightForWidth(int width) const
{
    QTextLayout layout(m_word + QLatin1Char(' ') + m_sentence, textFont(TextSize::Table));
    layoutText(layout, m_word, textRect(width).width());
    return static_cast<int>(layout.boundingRect().height()) + scaled(18);
}

QSize VerdictCard::sizeHint() const
{
    return {scaled(280), heightForWidth(scaled(280))};
}

void VerdictCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ToneColors tone = toneColors(m_look.tone);
    painter.fillRect(rect(), tone.soft);
    painter.fillRect(QRect(0, 0, scaled(4), height()), tone.text);
    paintIcon(&painter, QRectF(scaled(13), scaled(10), scaled(16), scaled(16)), m_look.icon, tone.text);
    QTextLayout layout(m_word + QLatin1Char(' ') + m_sentence, textFont(TextSize::Table));
    const QRect area = textRect(width());
    layoutText(layout, m_word, area.width());
    painter.setPen(colors().text);
    layout.draw(&painter, area.topLeft());
}

} // namespace assay
