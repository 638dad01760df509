#include "ui/steps/pairs/answer_card.h"

#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr double kEvenly = 0.5; ///< probability at which neither side is preferred
constexpr int kHead = 30, kFoot = 52, kEdge = 5;

} // namespace

AnswerCard::AnswerCard(const QString& title, LabelKind kind, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_kind(kind)
{
    m_text = new TextLabel;
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setContentsMargins(scaled(10), scaled(8), scaled(10), scaled(8));
    m_text->setTextInteractionFlags(Qt::NoTextInteraction);
    m_area = new QScrollArea;
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setAccessibleName(title);
    m_area->setWidget(m_text);
    m_text->installEventFilter(this);
    m_area->viewport()->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(kEdge) + 1, scaled(kHead), 1, scaled(kFoot));
    column->addWidget(m_area);
    setMinimumSize(scaled(190), scaled(kHead + kFoot + 42)); // two lines of text at least
}

QString AnswerCard::rewardText() const
{
    return m_answer.read ? metricText(m_answer.score, 2) : QStringLiteral("–");
}

void AnswerCard::setAnswer(const ReadStep& answer, bool wins)
{
    const bool another = answer.text != m_answer.text;
    m_answer = answer;
    m_wins = wins;
    const auto text = QString::fromStdString(answer.text);
    m_text->setText(text.trimmed().isEmpty() ? QStringLiteral("(no text)") : text);
    m_text->setColorRole(text.trimmed().isEmpty() ? &Palette::text2 : &Palette::text);
    if (another)
        m_area->verticalScrollBar()->setValue(0);
    setAccessibleName(QStringLiteral("%1, reward %2%3. %4")
                          .arg(m_title, rewardText(),
                               wins ? QStringLiteral(", preferred by the model") : QString(),
                               text.simplified()));
    update();
}

void AnswerCard::setCurrent(bool current)
{
    m_current = current;
    update();
}

QRect AnswerCard::headRect() const
{
    return {scaled(kEdge), 0, width() - scaled(kEdge), scaled(kHead)};
}

QRect AnswerCard::footRect() const
{
    return {scaled(kEdge), height() - scaled(kFoot), width() - scaled(kEdge), scaled(kFoot)};
}

void AnswerCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Palette& p = colors();
    painter.fillRect(headRect(), m_current ? p.accentSoft : p.alt);
    painter.fillRect(footRect(), m_current ? p.accentSoft : p.alt);
    paintLabelEdge(&painter, QRectF(0, 0, scaled(kEdge), height()), m_kind);

    const QRect head = headRect();
    paintLabelShape(&painter, QPointF(head.left() + scaled(14), head.center().y() + 0.5), scaled(4), m_kind);
    painter.setFont(textFont(TextSize::Section));
    painter.setPen(p.text);
    painter.drawText(head.adjusted(scaled(26), 0, 0, 0), int(Qt::AlignLeft | Qt::AlignVCenter), m_title);
    if (m_wins) {
        const QFont font = textFont(TextSize::Caption);
        const auto tag = QStringLiteral("model prefers");
        const QSizeF size = errorTagSize(font, tag);
        paintErrorTag(&painter,
                      QRectF(head.right() - size.width() - scaled(9), head.center().y() - size.height() / 2.0,
                             size.width(), size.height()),
                      font, tag, false);
    }

    const QRect foot = footRect().adjusted(scaled(10), scaled(6), -scaled(10), -scaled(8));
    const QRect line(foot.left(), foot.top(), foot.width(), scaled(20));
    painter.setFont(textFont(TextSize::Table));
    painter.setPen(p.text2);
    painter.drawText(line, int(Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("Reward"));
    painter.setFont(numberFont(TextSize::Body, true));
    painter.setPen(p.text);
    painter.drawText(line, int(Qt::AlignRight | Qt::AlignVCenter), rewardText());
    paintRewardBar(&painter, QRectF(foot.left(), foot.bottom() - scaled(10), foot.width(), scaled(10)),
                   m_answer.read ? std::optional(m_answer.probability) : std::nullopt, kEvenly);

    painter.setPen(m_current ? p.accent : p.line2);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(scaled(kEdge), 0, -1, -1));
    painter.setPen(m_current ? p.accent : p.line);
    painter.drawLine(head.bottomLeft(), head.bottomRight());
    painter.drawLine(footRect().topLeft(), footRect().topRight());
}

void AnswerCard::mousePressEvent(QMouseEvent*)
{
    Q_EMIT clicked();
}

bool AnswerCard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress)
        Q_EMIT clicked();
    return QWidget::eventFilter(watched, event);
}

} // namespace assay
