#include "ui/widgets/banner.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay {

namespace {

QLabel* plainLabel(TextSize size, const QString& name)
{
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setFont(textFont(size));
    label->setWordWrap(true);
    label->setObjectName(name);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

} // namespace

Banner::Banner(QWidget* parent)
    : QWidget(parent)
    , m_buttons(new QHBoxLayout)
{
    setObjectName(QStringLiteral("banner"));
    m_sentence = plainLabel(TextSize::Section, QStringLiteral("banner.sentence"));
    m_evidenceLabel = plainLabel(TextSize::Table, QStringLiteral("banner.evidence"));
    m_details = plainLabel(TextSize::Table, QStringLiteral("banner.details"));
    m_details->setVisible(false);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_sentence);
    texts->addWidget(m_evidenceLabel);
    texts->addWidget(m_details);
    m_buttons->setSpacing(scaled(6));
    m_why = new QPushButton(QStringLiteral("Why?"));
    m_why->setObjectName(QStringLiteral("banner.why"));
    m_why->setCheckable(true);
    m_why->setVisible(false);
    connect(m_why, &QPushButton::toggled, this, [this](bool on) {
        m_details->setVisible(on);
        layOutEvidence();
    });
    m_buttons->addWidget(m_why);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(46), scaled(10), scaled(12), scaled(10));
    row->setSpacing(scaled(16));
    row->addLayout(texts, 1);
    row->addLayout(m_buttons);
    row->setAlignment(m_buttons, Qt::AlignVCenter);
    setVisible(false);
}

void Banner::show(const BadgeLook& look, const QString& sentence, const QString& evidence)
{
    m_look = look;
    m_sentence->setText(sentence);
    m_evidence = evidence;
    setAccessibleName(sentence);
    setAccessibleDescription(evidence);
    setVisible(!sentence.isEmpty());
    layOutEvidence();
    update();
}

QString Banner::sentence() const
{
    return m_sentence->text();
}

QPushButton* Banner::addAction(const QString& text, Icon id, bool primary)
{
    auto* button = new QPushButton(text);
    button->setIcon(icon(id, primary ? &Palette::onAccent : &Palette::text2));
    if (primary)
        button->setProperty("assayKind", "primary");
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

void Banner::setCompact(bool compact)
{
    m_compact = compact;
    layOutEvidence();
}

void Banner::setDetails(const QString& details)
{
    m_details->setText(details);
    m_why->setVisible(!details.isEmpty());
    if (details.isEmpty())
        m_why->setChecked(false);
}

void Banner::layOutEvidence()
{
    m_evidenceLabel->setVisible(!m_evidence.isEmpty());
    m_evidenceLabel->setWordWrap(!m_compact);
    const int width = m_evidenceLabel->width();
    m_evidenceLabel->setText(
        m_compact && width > 50 ? m_evidenceLabel->fontMetrics().elidedText(m_evidence, Qt::ElideRight, width)
                                : m_evidence);
    m_evidenceLabel->setToolTip(m_compact ? m_evidence : QString());
}

void Banner::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_compact)
        layOutEvidence();
}

void Banner::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    const ToneColors tone = toneColors(m_look.tone);
    QPainter painter(this);
    painter.fillRect(rect(), tone.soft);
    painter.fillRect(QRect(0, 0, 4, height()), tone.text);
    painter.setPen(QPen(p.line2, 0));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
    const int side = scaled(18);
    paintIcon(&painter, QRectF(scaled(17), scaled(11), side, side), m_look.icon, tone.text);
}

} // namespace assay
