#include "ui/experiment/field_editor.h"

#include "ui/experiment/setting_line.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QWheelEvent>

namespace assay {

namespace {

constexpr int kWideField = 184, kNarrowField = 110;

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A combo box that leaves the wheel to the form: scrolling past it must not change a setting.
class CalmComboBox : public QComboBox
{
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

} // namespace

FieldEditor::FieldEditor(const Field& field, QWidget* parent)
    : QWidget(parent)
    , m_field(field)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(scaled(6));
    if (field.type == FieldType::Boolean) {
        m_check = new QCheckBox;
        connect(m_check, &QCheckBox::toggled, this, &FieldEditor::edited);
        layout->addWidget(m_check);
    } else if (field.type == FieldType::Choice) {
        m_combo = new CalmComboBox;
        m_combo->setFocusPolicy(Qt::StrongFocus);
        for (const auto choice : field.choices)
            m_combo->addItem(qt(choice));
        m_combo->setFixedWidth(scaled(kWideField));
        connect(m_combo, &QComboBox::currentIndexChanged, this, &FieldEditor::edited);
        layout->addWidget(m_combo);
    } else {
        makeLine();
        layout->addWidget(m_line);
        if (field.type == FieldType::Path)
            makePath();
    }
    layout->addStretch(1);
    setFocusProxy(control());
    control()->setObjectName(qt(field.id));
    control()->setAccessibleName(qt(field.label));
    control()->setAccessibleDescription(qt(field.help));
}

void FieldEditor::makeLine()
{
    m_line = new SettingLine(m_field.type == FieldType::Path ? Qt::ElideMiddle : Qt::ElideRight);
    const bool number = m_field.type == FieldType::Integer || m_field.type == FieldType::Number;
    m_line->setFixedWidth(scaled(number ? kNarrowField : kWideField));
    if (m_field.type == FieldType::Path || m_field.type == FieldType::Text)
        m_line->setFont(codeFont(TextSize::Table));
    else if (number)
        m_line->setFont(numberFont(TextSize::Body));
    connect(m_line, &QLineEdit::textEdited, this, &FieldEditor::edited);
}

void FieldEditor::makePath()
{
    auto* choose = new QPushButton(icon(Icon::Open), QString());
    choose->setFixedWidth(scaled(30));
    choose->setToolTip(tr("Choose"));
    choose->setAccessibleName(tr("Choose: %1").arg(qt(m_field.label)));
    connect(choose, &QPushButton::clicked, this, &FieldEditor::choosePath);
    layout()->addWidget(choose);
}

void FieldEditor::choosePath()
{
    auto* dialog = new QFileDialog(this, qt(m_field.label), m_line->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(m_field.id.ends_with("folder") ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        m_line->setText(file);
        Q_EMIT edited();
    });
    dialog->open();
}

QWidget* FieldEditor::control() const
{
    if (m_check)
        return m_check;
    if (m_combo)
        return m_combo;
    return m_line;
}

QString FieldEditor::text() const
{
    if (m_check)
        return m_check->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    if (m_combo)
        return m_combo->currentText();
    return m_line->text();
}

void FieldEditor::setText(const QString& text)
{
    const QSignalBlocker block(control());
    if (m_check)
        m_check->setChecked(text == QLatin1String("true"));
    else if (m_combo)
        m_combo->setCurrentText(text);
    else if (m_line->text() != text)
        m_line->setText(text);
}

void FieldEditor::setInvalid(bool invalid)
{
    if (control()->property("invalid").toBool() == invalid)
        return;
    control()->setProperty("invalid", invalid);
    control()->update();
}

} // namespace assay
