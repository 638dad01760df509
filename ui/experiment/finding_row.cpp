#include "ui/experiment/finding_row.h"

#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace assay {

namespace {

constexpr int kTitleWidth = 132;

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

struct SeverityLook
{
    Icon icon;
    ColorRole role;
    const char* word;
};

SeverityLook lookOf(Severity severity)
{
    switch (severity) {
    case Severity::Red:
        return {Icon::Error, &Palette::err, "Blocks"};
    case Severity::Warning:
        return {Icon::Warning, &Palette::warn, "Warning"};
    case Severity::Note:
        return {Icon::Info, &Palette::info, "Note"};
    }
    return {Icon::Info, &Palette::info, "Note"};
}

TextLabel* wrapping(const QString& text, TextSize size, ColorRole role)
{
    auto* label = new TextLabel(text, size, role);
    label->setWordWrap(true);
    return label;
}

} // namespace

FindingRow::FindingRow(const Finding& finding, QWidget* parent)
    : QWidget(parent)
{
    const auto look = lookOf(finding.severity);
    QString advice = qt(finding.cause);
    if (!finding.remedy.empty())
        advice += (advice.isEmpty() ? QString() : QStringLiteral(" ")) + qt(finding.remedy);
    build(look.icon, look.role, qt(finding.title), qt(finding.evidence),
          finding.severity == Severity::Note ? QString() : advice);
    setAccessibleName(tr("%1: %2").arg(QLatin1String(look.word), qt(finding.title)));
    setAccessibleDescription(qt(finding.evidence) + QLatin1Char(' ') + advice);
    setToolTip(advice);
}

FindingRow::FindingRow(const QString& title, const QString& evidence, QWidget* parent)
    : QWidget(parent)
{
    build(Icon::CheckCircle, &Palette::ok, title, evidence, QString());
    setAccessibleName(tr("Passed: %1").arg(title));
    setAccessibleDescription(evidence);
}

void FindingRow::build(Icon icon, ColorRole role, const QString& title, const QString& evidence,
                       const QString& advice)
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(scaled(12), scaled(5), scaled(12), scaled(6));
    line->setSpacing(scaled(8));
    line->addWidget(new IconLabel(icon, role, 15), 0, Qt::AlignTop);
    auto* name = wrapping(title, TextSize::Section, &Palette::text);
    QFont bold = name->font();
    bold.setWeight(QFont::DemiBold);
    name->setFont(bold);
    name->setFixedWidth(scaled(kTitleWidth));
    line->addWidget(name, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(scaled(2));
    column->addWidget(wrapping(evidence, TextSize::Table, &Palette::text));
    if (!advice.isEmpty())
        column->addWidget(wrapping(advice, TextSize::Table, &Palette::text3));
    line->addLayout(column, 1);
}

void FindingRow::offer(const QString& text, const QString& tooltip, std::function<void()> action)
{
    auto* button = new QPushButton(text);
    button->setProperty("small", true);
    button->setToolTip(tooltip);
    connect(button, &QPushButton::clicked, this, std::move(action));
    static_cast<QHBoxLayout*>(layout())->addWidget(button, 0, Qt::AlignTop);
}

void FindingRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(colors().line, 0));
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

FindingList::FindingList(QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    setAccessibleName(tr("Label checks"));
}

void FindingList::setReport(const Report& report)
{
    while (auto* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    auto sorted = report.findings;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
        return static_cast<int>(a.severity) > static_cast<int>(b.severity);
    });
    for (const auto& finding : sorted) {
        auto* row = new FindingRow(finding);
        addOffer(*row, finding, report);
        layout()->addWidget(row);
    }
    m_count = static_cast<int>(sorted.size());
    m_passed = 0;
    for (const auto& table : report.tables) {
        if (table.id != "checks_passed")
            continue;
        for (const auto& row : table.rows)
            if (row.size() >= 3)
                layout()->addWidget(new FindingRow(qt(row[1]), qt(row[2])));
        m_passed = static_cast<int>(table.rows.size());
    }
}

void FindingList::addOffer(FindingRow& row, const Finding& finding, const Report& report)
{
    const auto give = [this](const QString& id, const QString& text) {
        return [this, id, text] { Q_EMIT settingOffered(id, text); };
    };
    if (finding.id == "truncation-loss") {
        const auto* longest = report.metric("longest_row_tokens");
        if (longest && longest->value) {
            const auto tokens = static_cast<std::int64_t>(*longest->value);
            row.offer(tr("Use %1").arg(countText(tokens)), tr("Set the maximum length to the longest row"),
                      give(QStringLiteral("layout.maximum_tokens"), QString::number(tokens)));
        }
    } else if (finding.id == "warm-up-longer-than-run" && finding.number >= 1.0) {
        const auto steps = static_cast<std::int64_t>(finding.number) / 10;
        row.offer(tr("Use %1").arg(countText(steps)), tr("Set the warm-up to a tenth of the run"),
                  give(QStringLiteral("schedule.warmup_steps"), QString::number(steps)));
    }
}

} // namespace assay
