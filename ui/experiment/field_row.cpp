#include "ui/experiment/field_row.h"

#include "ui/experiment/field_editor.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kLabelWidth = 146, kBar = 4;

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString defaultText(const Field& field)
{
    const auto text = fieldText(field, defaultValue(field));
    if (field.type == FieldType::Boolean)
        return text == "true" ? FieldRow::tr("on") : FieldRow::tr("off");
    return text.empty() ? FieldRow::tr("empty") : QString::fromStdString(text);
}

/// What the tooltip says: help, range, key.
QString tooltipText(const Field& field)
{
    QString text = qt(field.help);
    if (field.minimum && field.maximum)
        text += FieldRow::tr("\n%1 to %2").arg(*field.minimum).arg(*field.maximum);
    else if (field.minimum)
        text += FieldRow::tr("\n%1 or more").arg(*field.minimum);
    return text + FieldRow::tr("\nKey and flag: %1").arg(qt(field.id));
}

} // namespace

FieldRow::FieldRow(const Field& field, QWidget* parent)
    : QWidget(parent)
    , m_field(field)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(kBar + 12), scaled(2), scaled(12), scaled(2));
    column->setSpacing(scaled(2));

    auto* line = new QHBoxLayout;
    line->setSpacing(scaled(6));
    auto* label = new TextLabel(qt(field.label), TextSize::Body, &Palette::text);
    label->setFixedWidth(scaled(kLabelWidth));
    label->setElided(true);
    m_editor = new FieldEditor(field);
    label->setBuddy(m_editor->control());
    line->addWidget(label);
    line->addWidget(m_editor);
    if (!field.unit.empty())
        line->addWidget(new TextLabel(qt(field.unit), TextSize::Table, &Palette::text3));
    line->addStretch(1);
    m_revert = new QPushButton(icon(Icon::Revert, &Palette::text3), tr("default %1").arg(defaultText(field)));
    m_revert->setProperty("assayKind", QStringLiteral("quiet"));
    m_revert->setProperty("small", true);
    m_revert->setFont(textFont(TextSize::Table));
    m_revert->setAccessibleName(tr("Revert %1 to %2").arg(qt(field.label), defaultText(field)));
    m_revert->setMaximumWidth(scaled(140));
    QSizePolicy keep = m_revert->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    m_revert->setSizePolicy(keep);
    m_revert->hide();
    line->addWidget(m_revert);
    column->addLayout(line);

    m_problemRow = new QWidget;
    auto* problemLine = new QHBoxLayout(m_problemRow);
    problemLine->setContentsMargins(scaled(kLabelWidth + 6), 0, 0, 0);
    problemLine->setSpacing(scaled(6));
    problemLine->addWidget(new IconLabel(Icon::Error, &Palette::err, 14), 0, Qt::AlignTop);
    m_problem = new TextLabel(QString(), TextSize::Table, &Palette::err);
    m_problem->setWordWrap(true);
    problemLine->addWidget(m_problem, 1);
    m_problemRow->hide();
    column->addWidget(m_problemRow);

    setToolTip(tooltipText(field));
    connect(m_editor, &FieldEditor::edited, this, &FieldRow::edited);
    connect(m_revert, &QPushButton::clicked, this, &FieldRow::revertAsked);
}

void FieldRow::setChanged(bool changed)
{
    m_changed = changed;
    m_revert->setVisible(changed);
    update();
}

void FieldRow::setProblem(const QString& sentence)
{
    m_problem->setText(sentence);
    m_problemRow->setVisible(!sentence.isEmpty());
    m_editor->setInvalid(!sentence.isEmpty());
    m_editor->control()->setAccessibleDescription(sentence.isEmpty() ? qt(m_field.help) : sentence);
}

QString FieldRow::problem() const
{
    return m_problem->text();
}

bool FieldRow::matches(const QString& text) const
{
    const auto contains = [&text](std::string_view part) {
        return qt(part).contains(text, Qt::CaseInsensitive);
    };
    if (contains(m_field.label) || contains(m_field.id) || contains(m_field.help))
        return true;
    for (const auto choice : m_field.choices)
        if (contains(choice))
            return true;
    return false;
}

void FieldRow::paintEvent(QPaintEvent*)
{
    if (!m_changed)
        return;
    const int height = scaled(20);
    const int top = scaled(2) + (m_editor->height() - height) / 2;
    QPainter(this).fillRect(QRect(scaled(6), top, scaled(kBar), height), colors().accent);
}

} // namespace assay
