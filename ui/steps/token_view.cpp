#include "ui/steps/token_view.h"

#include "ui/number_text.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolTip>

#include <algorithm>

namespace assay {

namespace {

constexpr int kLabelWidth = 20; ///< a label below its token, with the shape before it

int lineHeight()
{
    return QFontMetrics(codeFont(TextSize::Table)).height() + scaled(7);
}

/// Room below a line of tokens for the labels of its read-outs.
int labelHeight()
{
    return scaled(13);
}

QString labelText(const TokenView::Token& token)
{
    if (token.cut)
        return token.readOut ? QStringLiteral(", cut away with its label") : QStringLiteral(", cut away");
    if (!token.readOut)
        return {};
    if (!token.supervised)
        return QStringLiteral(", read out, not supervised");
    return QStringLiteral(", read out, label %1").arg(metricText(static_cast<double>(token.label), 2));
}

} // namespace

QString visibleTokenText(const std::string& text)
{
    // A vocabulary spells single bytes as <0x0A>.
    static const QRegularExpression byteToken(QStringLiteral("^<0x([0-9A-Fa-f]{2})>$"));
    QString shown = QString::fromStdString(text);
    if (const auto match = byteToken.match(shown); match.hasMatch()) {
        const int byte = match.captured(1).toInt(nullptr, 16);
        if (byte == '\n' || byte == '\t' || byte == '\r' || (byte >= 0x20 && byte < 0x7f))
            shown = QChar(byte);
    }
    shown.replace(QLatin1Char('\r'), QChar(0x240d));
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
    bool labels = false; // the line has a read-out
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const auto& token = m_tokens[i];
        const QString text = visibleTokenText(token.text);
        const bool alone = stepsOfOneToken(i);
        const int own = metrics.horizontalAdvance(text) + (token.readOut ? scaled(6) : scaled(2));
        const int need = alone ? std::max(own, scaled(kLabelWidth)) : own;
        const bool newSequence = i > 0 && token.sequence != m_tokens[i - 1].sequence;
        const bool newStep = i > 0 && token.step != m_tokens[i - 1].step && !alone;
        if (x > 0 && (x + need > width || newStep || newSequence)) {
            x = 0;
            y += height + (labels ? labelHeight() : 0) + (newSequence ? scaled(12) : newStep ? scaled(3) : 0);
            labels = false;
        }
        boxes.push_back({QRect(x, y, need, height), text});
        labels = labels || token.readOut;
        x += need + 1;
    }
    return boxes;
}

bool TokenStrip::stepsOfOneToken(std::size_t at) const
{
    if (at == 0 || m_tokens[at].step < 0)
        return false;
    const auto same = [this](std::size_t a, std::size_t b) {
        return b < m_tokens.size() && m_tokens[a].step == m_tokens[b].step;
    };
    return !same(at, at + 1) && !same(at, at - 1) && (at < 2 || !same(at - 1, at - 2));
}

int TokenStrip::heightForWidth(int width) const
{
    const auto boxes = layOut(width);
    return boxes.empty() ? lineHeight() : boxes.back().rect.bottom() + 1 + labelHeight() + scaled(2);
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
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        const QRect reach = m_boxes[i].rect.adjusted(0, 0, scaled(30), labelHeight());
        if (paintEvent->rect().intersects(reach))
            paintToken(&painter, m_tokens[i], m_boxes[i]);
    }
}

void TokenStrip::paintToken(QPainter* painter, const TokenView::Token& token, const Box& box) const
{
    const Palette& p = colors();
    const QRect ground = box.rect.adjusted(0, scaled(2), 0, -scaled(2));
    const auto draw = [&](const QColor& fill, const QColor& line, const QColor& text) {
        painter->fillRect(ground, fill);
        painter->fillRect(QRect(ground.left(), ground.bottom(), ground.width(), 1), line);
        painter->setPen(text);
        painter->drawText(ground, Qt::AlignCenter, box.text);
    };
    if (token.cut) {
        draw(p.sunken, p.line2, p.text3);
        painter->fillRect(QRect(ground.left(), ground.center().y(), ground.width(), 1), p.err);
        return;
    }
    if (token.readOut) {
        draw(p.text, p.text, p.surface);
    } else if (token.role == "bos" || token.role == "eos") {
        draw(p.surface, p.line2, p.text3);
        painter->setPen(QPen(p.line2, 0));
        painter->drawRect(ground.adjusted(0, 0, -1, -1));
    } else if (m_currentStep >= 0 && token.step == m_currentStep) {
        draw(p.accentSoft, p.accent, p.text);
    } else if (token.step < 0) {
        draw(p.alt, p.line2, p.text);
    } else {
        // Neighbouring steps differ, so that the border between them is seen without a line break too.
        const bool odd = m_currentStep < 0 && token.step % 2 != 0;
        draw(odd ? p.accentSoft : p.infoSoft, odd ? p.accent : p.info, p.text);
    }
    if (!token.readOut)
        return;
    // The label below its read-out as shape and number: colour alone would not do.
    const auto kind = labelKind(static_cast<double>(token.label), token.supervised);
    const int y = box.rect.bottom() + labelHeight() / 2;
    paintLabelShape(painter, QPointF(ground.left() + scaled(4), y), scaled(3), kind);
    if (!token.supervised)
        return;
    painter->save();
    painter->setFont(numberFont(TextSize::Tick));
    painter->setPen(p.text2);
    const bool whole = token.label == 0.0F || token.label == 1.0F;
    painter->drawText(QRect(ground.left() + scaled(10), y - labelHeight() / 2, scaled(40), labelHeight()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      metricText(static_cast<double>(token.label), whole ? 0 : 2));
    painter->restore();
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
