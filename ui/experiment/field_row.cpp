#include "ui/experiment/field_row.h"

#include "ui/experiment/field_editor.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace assay {

namespace {

constexpr int kLabelWidth = 158, kBar = 4, kLineHeight = 26;

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A value's text form as a sentence shows it.
QString shownValue(const Field& field, const QString& text)
{
    if (field.type == FieldType::Boolean)
        return text == QLatin1String("true") ? FieldRow::tr("on") : FieldRow::tr("off");
    if (field.type == FieldType::Path)
        return text.isEmpty() ? FieldRow::tr("empty") : text.section(QLatin1Char('/'), -1);
    return text.isEmpty() ? FieldRow::tr("empty") : text;
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
    label->setWordWrap(true); // a name that is cut cannot be told from its neighbour's
    m_editor = new FieldEditor(field);
    m_editor->setMinimumHeight(scaled(kLineHeight)); // a check box takes the room of a field
    label->setBuddy(m_editor->control());
    line->addWidget(label);
    line->addWidget(m_editor);
    if (!field.unit.empty())
        line->addWidget(new TextLabel(qt(field.unit), TextSize::Table, &Palette::text3));
    line->addStretch(1);
    m_hint = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_hint->hide();
    line->addWidget(m_hint);
    m_revert = new QPushButton(icon(Icon::Revert, &Palette::text3), QString());
    m_revert->setProperty("assayKind", QStringLiteral("quiet"));
    m_revert->setProperty("small", true);
    m_revert->setFont(textFont(TextSize::Table));
    m_revert->setMaximumWidth(scaled(140));
    m_revert->hide();
    line->addWidget(m_revert);
    column->addLayout(line);
    makeBelow();
    column->addWidget(m_below);

    setToolTip(tooltipText(field));
    connect(m_editor, &FieldEditor::edited, this, &FieldRow::edited);
    connect(m_revert, &QPushButton::clicked, this, &FieldRow::revertAsked);
}

void FieldRow::makeBelow()
{
    m_below = new QWidget;
    auto* line = new QHBoxLayout(m_below);
    line->setContentsMargins(scaled(kLabelWidth + 6), 0, 0, scaled(2));
    line->setSpacing(scaled(6));
    m_belowIcon = new IconLabel(Icon::Error, &Palette::err, 14);
    m_belowText = new TextLabel(QString(), TextSize::Table, &Palette::err);
    m_belowText->setWordWrap(true);
    line->addWidget(m_belowIcon, 0, Qt::AlignTop);
    line->addWidget(m_belowText, 1);
    m_below->hide();
}

void FieldRow::setChanged(bool changed, const QString& origin, const QString& value)
{
    m_changed = changed;
    const QString shown = shownValue(m_field, value);
    m_back = tr("%1 %2").arg(origin, shown);
    m_revert->setAccessibleName(tr("Revert %1 to %2").arg(qt(m_field.label), shown));
    m_revert->setToolTip(tr("Back to %1").arg(m_back));
    showSide();
    update();
}

void FieldRow::setHint(const QString& fact)
{
    m_hint->setText(fact);
    showSide();
}

QString FieldRow::hint() const
{
    return m_hint->text();
}

void FieldRow::showSide()
{
    const bool fact = !m_hint->text().isEmpty();
    m_hint->setVisible(fact);
    m_revert->setVisible(m_changed);
    m_revert->setText(fact ? QString() : m_back); // there is room for one of them
}

void FieldRow::setProblem(const QString& sentence)
{
    m_problem = sentence;
    m_editor->setInvalid(!sentence.isEmpty());
    m_editor->control()->setAccessibleDescription(sentence.isEmpty() ? qt(m_field.help) : sentence);
    showBelow();
}

QString FieldRow::problem() const
{
    return m_problem;
}

void FieldRow::setNote(const QString& sentence)
{
    m_note = sentence;
    showBelow();
}

void FieldRow::showBelow()
{
    const bool wrong = !m_problem.isEmpty();
    const ColorRole role = wrong ? &Palette::err : &Palette::warn;
    m_belowIcon->setIcon(wrong ? Icon::Error : Icon::Warning, role);
    m_belowText->setColorRole(role);
    m_belowText->setText(wrong ? m_problem : m_note);
    m_below->setVisible(!m_belowText->text().isEmpty());
}

bool FieldRow::matches(const QString& text) const
{
    const auto holds = [this](const QString& word) {
        const auto contains = [&word](std::string_view part) {
            return qt(part).contains(word, Qt::CaseInsensitive);
        };
        return contains(m_field.label) || contains(m_field.id) || contains(m_field.help) ||
               std::any_of(m_field.choices.begin(), m_field.choices.end(), contains);
    };
    const auto words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(words.begin(), words.end(), holds);
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
