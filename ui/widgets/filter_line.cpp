#include "ui/widgets/filter_line.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kDelayMilliseconds = 250;

} // namespace

FilterLine::FilterLine(const QString& placeholder, const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
{
    m_edit = new QLineEdit(this);
    m_edit->setFont(codeFont(TextSize::Table));
    m_edit->setPlaceholderText(placeholder);
    m_edit->setAccessibleName(accessibleName);
    m_edit->setClearButtonEnabled(true);
    m_edit->addAction(icon(Icon::Filter), QLineEdit::LeadingPosition);
    auto* sign = new IconLabel(Icon::Error, &Palette::err, 15, this);
    m_errorText = new TextLabel({}, TextSize::Table, &Palette::err, this);
    m_errorText->setWordWrap(true);
    m_errorRow = new QWidget(this);
    auto* row = new QHBoxLayout(m_errorRow);
    row->setContentsMargins(scaled(2), scaled(3), 0, 0);
    row->setSpacing(scaled(6));
    row->addWidget(sign, 0, Qt::AlignTop);
    row->addWidget(m_errorText, 1);
    m_errorRow->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_edit);
    column->addWidget(m_errorRow);
    setFocusProxy(m_edit);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);

    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &FilterLine::apply);
    connect(m_edit, &QLineEdit::textEdited, &m_delay, qOverload<>(&QTimer::start));
    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            apply();
    });
    connect(m_edit, &QLineEdit::returnPressed, this, &FilterLine::apply);
}

QString FilterLine::text() const
{
    return m_edit->text();
}

void FilterLine::setText(const QString& text)
{
    m_edit->setText(text);
    apply();
}

void FilterLine::setError(const std::optional<Error>& error)
{
    QString text;
    if (error) {
        text = QString::fromStdString(error->message);
        if (!error->where.empty())
            text += QStringLiteral(" (%1)").arg(QString::fromStdString(error->where));
        if (!error->remedy.empty())
            text += QStringLiteral(". ") + QString::fromStdString(error->remedy);
    }
    m_errorText->setText(text);
    m_errorRow->setVisible(error.has_value());
    m_edit->setProperty("invalid", error.has_value());
    m_edit->setAccessibleDescription(text);
    m_edit->update();
}

QString FilterLine::errorText() const
{
    return m_errorText->text();
}

void FilterLine::apply()
{
    m_delay.stop();
    const QString text = m_edit->text().trimmed();
    if (text == m_applied)
        return;
    m_applied = text;
    Q_EMIT filterChanged(text);
}

} // namespace assay
