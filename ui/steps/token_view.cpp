#include "ui/steps/token_view.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace assay {

namespace {

int lineHeight()
{
    return QFontMetrics(codeFont(TextSize::Table)).height() + scaled(7);
}

QString labelText(const TokenView::Token& token)
{
    if (!token.readOut)
        return {};
    if (!token.supervised)
        return QStringLiteral(", read out, not supervised");
    return QStringLiteral(", read out, label %1").arg(metricText(static_cast<double>(token.label), 2));
}

} // namespace

QString visibleTokenText(const std::string& text)
{
    QString shown = QString::fromStdString(text);
    shown.replace(QChar(0x2581), QChar(0x00b7)).replace(QLatin1Char(' '), QChar(0x00b7));
    shown.replace(QLatin1Char('\n'), QChar(0x23ce)).replace(QLatin1Char('\t'), QChar(0x21e5));
    return shown.isEmpty() ? QStringLiteral("∅") : shown;
}

TokenStrip::TokenStrip(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(QStringLiteral("Tokens"));
}

void TokenStrip::setTokens(std::vector<TokenView::Token> tokens)
{
    m_tokens = std::move(tokens);
    QStringList texts;
    for (const auto& token : m_tokens)
        texts << QString::fromStdString(token.text) + labelText(token);
    setAccessibleDescription(texts.join(QStringLiteral(" | ")));
    m_boxes = layOut(width());
    updateGeometry();
    update();
}

void TokenStrip::setCurrentStep(int step)
{
    m_currentStep = step;
    update();
}

std::vector<TokenStrip::Box> TokenStrip::layOut(int width) const
{
    const QFontMetrics metrics(codeFont(TextSize::Table));
    const int height = lineHeight();
    std::vector<Box> boxes;
    boxes.reserve(m_tokens.size());
    int x = 0, y = 0;
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const auto& token = m_tokens[i];
        const QString text = visibleTokenText(token.text);
        const int need = metrics.horizontalAdvance(text) + (token.readOut ? scaled(6) : scaled(2));
        const bool newStep = i > 0 && token.step != m_tokens[i - 1].step;
        if (x > 0 && (x + need > width || newStep)) {
            x = 0;
            y += height + (newStep ? scaled(5) : 0);
        }
        boxes.push_back({QRect(x, y, need, height), text});
        x += need + 1;
    }
    return boxes;
}

int TokenStrip::heightForWidth(int width) const
{
    const auto boxes = layOut(width);
    return boxes.empty() ? lineHeight() : boxes.back().rect.bottom() + 1 + scaled(2);
}

QSize TokenStrip::sizeHint() const
{
    return {scaled(260), heightForWidth(scaled(260))};
}

QSize TokenStrip::minimumSizeHint() const
{
    return {scaled(80), lineHeight()};
}

void TokenStrip::resizeEvent(QResizeEvent*)
{
    m_boxes = layOut(width());
}

void TokenStrip::paintEvent(QPaintEvent* paintEvent)
{
    QPainter painter(this);
    painter.setFont(codeFont(TextSize::Table));
    const Palette& p = colors();
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        const Box& box = m_boxes[i];
        if (!paintEvent->rect().intersects(box.rect))
            continue;
        const auto& token = m_tokens[i];
        const QRect ground = box.rect.adjusted(0, scaled(2), 0, -scaled(2));
        const bool special = token.role == "bos" || token.role == "eos";
        if (token.readOut) {
            painter.fillRect(ground, p.text);
            painter.setPen(p.surface);
        } else {
            const bool current = m_currentStep >= 0 && token.step == m_currentStep;
            painter.fillRect(ground, current ? p.accentSoft : token.role == "prompt" ? p.alt : p.infoSoft);
            painter.fillRect(QRect(ground.left(), ground.bottom(), ground.width(), 1),
                             special ? p.line2 : p.info);
            painter.setPen(special ? p.text3 : p.text);
        }
        painter.drawText(ground, Qt::AlignCenter, box.text);
        if (token.readOut) {
            // The label of the read-out as its shape, on the same line, small: colour alone would not do.
            const auto kind = labelKind(static_cast<double>(token.label), token.supervised);
            paintLabelShape(&painter, QPointF(ground.right() - scaled(1), ground.top() + scaled(1)),
                            scaled(3), kind);
        }
    }
}

int TokenStrip::tokenAt(const QPoint& position) const
{
    const auto found = std::find_if(m_boxes.begin(), m_boxes.end(),
                                    [&](const Box& box) { return box.rect.contains(position); });
    return found == m_boxes.end() ? -1 : static_cast<int>(found - m_boxes.begin());
}

void TokenStrip::mousePressEvent(QMouseEvent* mouseEvent)
{
    const int at = tokenAt(mouseEvent->pos());
    if (at >= 0 && m_tokens[static_cast<std::size_t>(at)].step >= 0)
        Q_EMIT stepClicked(m_tokens[static_cast<std::size_t>(at)].step);
}

bool TokenStrip::event(QEvent* anyEvent)
{
    if (anyEvent->type() != QEvent::ToolTip)
        return QWidget::event(anyEvent);
    const auto* help = static_cast<QHelpEvent*>(anyEvent);
    const int at = tokenAt(help->pos());
    if (at < 0) {
        QToolTip::hideText();
        return true;
    }
    const auto& token = m_tokens[static_cast<std::size_t>(at)];
    QString text = QStringLiteral("“%1”, id %2, %3")
                       .arg(visibleTokenText(token.text))
                       .arg(token.id)
                       .arg(QString::fromStdString(token.role));
    if (token.step >= 0)
        text += QStringLiteral(", step %1").arg(token.step + 1);
    QToolTip::showText(help->globalPos(), text.toHtmlEscaped() + labelText(token), this);
    return true;
}

} // namespace assay
