#include "ui/experiment/form_group.h"

#include "ui/experiment/field_row.h"
#include "ui/icons.h"
#include "ui/style_painting.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>

namespace assay {

/// Chevron, title, counts and, folded, the values: one wide button.
class FormGroupHeader : public QAbstractButton
{
public:
    explicit FormGroupHeader(const QString& title)
    {
        setText(title);
        setCheckable(true);
        setChecked(true);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover, true);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    void setDetails(const QString& counts, const QString& summary)
    {
        m_counts = counts;
        m_summary = summary;
        update();
    }

    QSize sizeHint() const override { return {scaled(200), scaled(28)}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Palette& p = colors();
        QPainter painter(this);
        painter.fillRect(rect(), underMouse() ? p.hover : p.alt);
        painter.setPen(QPen(p.line, 0));
        painter.drawLine(0, height() - 1, width(), height() - 1);
        const int size = scaled(13);
        const QRectF chevron(scaled(10), (height() - size) / 2.0, size, size);
        paintIcon(&painter, chevron, isChecked() ? Icon::ChevronDown : Icon::ChevronRight, p.text2);
        int x = scaled(30);
        const auto draw = [&](const QString& text, const QFont& font, const QColor& color) {
            if (text.isEmpty())
                return;
            painter.setFont(font);
            painter.setPen(color);
            const QFontMetrics metrics(font);
            const int room = width() - x - scaled(12);
            painter.drawText(QRect(x, 0, room, height()), Qt::AlignVCenter,
                             metrics.elidedText(text, Qt::ElideRight, room));
            x += metrics.horizontalAdvance(text) + scaled(8);
        };
        draw(text(), textFont(TextSize::Section), p.text);
        draw(m_counts, textFont(TextSize::Table), p.text3);
        draw(m_summary, textFont(TextSize::Table), p.text2);
        if (hasFocus())
            painting::focusRing(&painter, rect(), 2);
    }

private:
    QString m_counts, m_summary;
};

FormGroup::FormGroup(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_id(id)
    , m_title(title)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_header = new FormGroupHeader(title);
    m_body = new QWidget;
    m_bodyLayout = new QVBoxLayout(m_body);
    m_bodyLayout->setContentsMargins(0, scaled(6), 0, scaled(8));
    m_bodyLayout->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_body);
    connect(m_header, &QAbstractButton::toggled, this, [this](bool open) { setFolded(!open); });
}

void FormGroup::addRow(FieldRow* row)
{
    m_rows.push_back(row);
    m_bodyLayout->addWidget(row);
}

void FormGroup::setFolded(bool folded)
{
    m_folded = folded;
    m_header->setChecked(!folded);
    m_body->setVisible(!folded);
    updateHeader();
}

void FormGroup::setCounts(int changed, int invalid)
{
    m_changed = changed;
    m_invalid = invalid;
    updateHeader();
}

void FormGroup::setSummary(const QString& summary)
{
    m_summary = summary;
    updateHeader();
}

void FormGroup::updateHeader()
{
    QStringList counts;
    if (m_changed > 0)
        counts << tr("%1 changed").arg(m_changed);
    if (m_invalid > 0)
        counts << tr("%1 invalid").arg(m_invalid);
    m_header->setDetails(counts.join(QStringLiteral(", ")), m_folded ? m_summary : QString());
    m_header->setAccessibleName(
        counts.isEmpty() ? m_title : m_title + QStringLiteral(", ") + counts.join(QStringLiteral(", ")));
    m_header->setAccessibleDescription(m_folded ? tr("folded: %1").arg(m_summary) : tr("open"));
}

} // namespace assay
