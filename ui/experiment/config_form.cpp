#include "ui/experiment/config_form.h"

#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_row.h"
#include "ui/experiment/form_group.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace assay {

namespace {

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString valueText(const ExperimentConfig& config, const Field& field)
{
    return QString::fromStdString(fieldText(field, field.read(config)));
}

/// "Enter 0 to 10" -> one sentence with a full stop.
QString sentence(const Error& error)
{
    QString text = QString::fromStdString(error.message);
    if (!error.remedy.empty())
        text += QStringLiteral(". ") + QString::fromStdString(error.remedy);
    return text + QLatin1Char('.');
}

} // namespace

ConfigForm::ConfigForm(QWidget* parent)
    : QScrollArea(parent)
    , m_baselineWord(tr("default"))
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (const auto& field : experimentFields()) {
        const QString group = qt(field.group());
        if (m_groups.empty() || m_groups.back()->id() != group) {
            m_groups.push_back(new FormGroup(group, qt(groupTitle(field.group()))));
            column->addWidget(m_groups.back());
        }
        auto* row = new FieldRow(field);
        m_groups.back()->addRow(row);
        m_rows[qt(field.id)] = row;
        connect(row, &FieldRow::edited, this, [this, row] { rowEdited(row); });
        connect(row, &FieldRow::revertAsked, this,
                [this, row] { setField(qt(row->field().id), valueText(m_baseline, row->field())); });
    }
    m_nothing = makeNothing();
    column->addWidget(m_nothing);
    column->addStretch(1);
    setWidget(content);
    setConfig(ExperimentConfig{});
}

FieldRow* ConfigForm::row(const QString& id) const
{
    const auto found = m_rows.find(id);
    return found == m_rows.end() ? nullptr : found->second;
}

void ConfigForm::setConfig(const ExperimentConfig& config)
{
    m_config = config;
    m_unreadable.clear();
    for (const auto& [id, row] : m_rows)
        row->editor().setText(valueText(m_config, row->field()));
    refresh();
    Q_EMIT configChanged();
}

void ConfigForm::setField(const QString& id, const QString& text)
{
    FieldRow* target = row(id);
    if (!target)
        return;
    target->editor().setText(text);
    rowEdited(target);
}

void ConfigForm::rowEdited(FieldRow* row)
{
    const Field& field = row->field();
    const QString id = qt(field.id);
    const QString before = valueText(m_config, field);
    auto value = parseField(field, row->editor().text().toStdString());
    if (!value) {
        m_unreadable[id] = sentence(value.error());
        refresh();
        Q_EMIT configChanged(); // a draft keeps what cannot be read as well
        return;
    }
    m_unreadable.erase(id);
    const bool changed = field.read(m_config) != *value;
    field.write(m_config, std::move(*value));
    refresh();
    if (!changed)
        return;
    Q_EMIT fieldEdited(id, before, valueText(m_config, field));
    Q_EMIT configChanged();
}

void ConfigForm::refresh()
{
    m_problems.clear();
    for (const auto& [id, why] : m_unreadable)
        if (isActive(m_config, row(id)->field()))
            m_problems.push_back({id.toStdString(), why.toStdString()});
    for (auto& problem : validate(m_config))
        if (m_unreadable.find(QString::fromStdString(problem.id)) == m_unreadable.end())
            m_problems.push_back(std::move(problem));
    for (auto* group : m_groups) {
        int changed = 0, invalid = 0;
        for (auto* row : group->rows()) {
            const Field& field = row->field();
            const auto problem = std::find_if(m_problems.begin(), m_problems.end(),
                                              [&field](const FieldProblem& p) { return p.id == field.id; });
            row->setProblem(problem == m_problems.end() ? QString()
                                                        : QString::fromStdString(problem->message));
            row->setChanged(field.read(m_config) != field.read(m_baseline) ||
                                m_unreadable.count(qt(field.id)) > 0,
                            m_baselineWord, valueText(m_baseline, field));
            changed += row->isChanged() && isActive(m_config, field) ? 1 : 0;
            invalid += problem == m_problems.end() ? 0 : 1;
        }
        group->setCounts(changed, invalid);
        group->setSummary(summaryOf(*group));
    }
    refreshVisible();
    Q_EMIT stateChanged();
}

QWidget* ConfigForm::makeNothing()
{
    auto* nothing = new QWidget;
    auto* line = new QHBoxLayout(nothing);
    line->setContentsMargins(scaled(16), scaled(16), scaled(12), scaled(12));
    line->addWidget(new TextLabel(tr("No setting is left."), TextSize::Body, &Palette::text2));
    auto* all = new QPushButton(tr("Show all"));
    connect(all, &QPushButton::clicked, this, &ConfigForm::showAllAsked);
    line->addWidget(all);
    line->addStretch(1);
    return nothing;
}

void ConfigForm::refreshVisible()
{
    bool anyGroup = false;
    for (auto* group : m_groups) {
        bool any = false;
        for (auto* row : group->rows()) {
            const bool visible = isActive(m_config, row->field()) &&
                                 (m_search.isEmpty() || row->matches(m_search)) &&
                                 (!m_onlyChanged || row->isChanged());
            row->setVisible(visible);
            any = any || visible;
        }
        group->setVisible(any);
        anyGroup = anyGroup || any;
    }
    m_nothing->setVisible(!anyGroup);
}

QString ConfigForm::summaryOf(const FormGroup& group) const
{
    QStringList values;
    for (const auto* row : group.rows()) {
        const Field& field = row->field();
        const QString text = valueText(m_config, field);
        if (!isActive(m_config, field) || text.isEmpty())
            continue;
        if (field.type == FieldType::Boolean) {
            if (text == QLatin1String("true"))
                values << qt(field.label).toLower();
        } else if (field.type == FieldType::Path) {
            values << text.section(QLatin1Char('/'), -1);
        } else if (row->isChanged() || field.type == FieldType::Choice) {
            values << (field.type == FieldType::Choice ? text
                                                       : qt(field.label).toLower() + QLatin1Char(' ') + text);
        }
    }
    return values.isEmpty() ? tr("defaults") : values.join(QStringLiteral(", "));
}

void ConfigForm::setSearch(const QString& text)
{
    m_search = text.trimmed();
    if (!m_search.isEmpty())
        for (auto* group : m_groups)
            group->setFolded(false);
    refreshVisible();
    Q_EMIT stateChanged();
}

void ConfigForm::setOnlyChanged(bool only)
{
    m_onlyChanged = only;
    refreshVisible();
    Q_EMIT stateChanged();
}

void ConfigForm::setBaseline(const ExperimentConfig& baseline, const QString& word)
{
    m_baseline = baseline;
    m_baselineWord = word;
    refresh();
}

void ConfigForm::setRemarks(const std::map<QString, QString>& hints, const std::map<QString, QString>& notes)
{
    const auto text = [](const std::map<QString, QString>& texts, const QString& id) {
        const auto found = texts.find(id);
        return found == texts.end() ? QString() : found->second;
    };
    for (const auto& [id, row] : m_rows) {
        row->setHint(text(hints, id));
        row->setNote(text(notes, id));
    }
}

std::map<QString, QString> ConfigForm::unreadableTexts() const
{
    std::map<QString, QString> texts;
    for (const auto& [id, why] : m_unreadable)
        texts[id] = row(id)->editor().text();
    return texts;
}

void ConfigForm::showGroup(const QString& id)
{
    for (auto* group : m_groups) {
        if (group->id() != id)
            continue;
        group->setFolded(false);
        // After the layout has placed what was unfolded.
        QTimer::singleShot(0, group, [this, group] { verticalScrollBar()->setValue(group->y()); });
    }
}

void ConfigForm::showField(const QString& id)
{
    FieldRow* target = row(id);
    if (!target)
        return;
    for (auto* group : m_groups)
        if (std::find(group->rows().begin(), group->rows().end(), target) != group->rows().end())
            group->setFolded(false);
    QTimer::singleShot(0, target, [this, target] {
        ensureWidgetVisible(target, 0, scaled(60));
        target->editor().control()->setFocus(Qt::OtherFocusReason);
    });
}

} // namespace assay
