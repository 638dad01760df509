#include "ui/experiment/finding_row.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
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
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(scaled(12), scaled(5), scaled(12), scaled(6));
    line->setSpacing(scaled(8));
    line->addWidget(new IconLabel(look.icon, look.role, 15), 0, Qt::AlignTop);
    auto* title = wrapping(qt(finding.title), TextSize::Section, &Palette::text);
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    title->setFixedWidth(scaled(kTitleWidth));
    line->addWidget(title, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(scaled(2));
    column->addWidget(wrapping(qt(finding.evidence), TextSize::Table, &Palette::text));
    QString advice = qt(finding.cause);
    if (!finding.remedy.empty())
        advice += (advice.isEmpty() ? QString() : QStringLiteral(" ")) + qt(finding.remedy);
    if (!advice.isEmpty() && finding.severity != Severity::Note)
        column->addWidget(wrapping(advice, TextSize::Table, &Palette::text3));
    line->addLayout(column, 1);
    setAccessibleName(tr("%1: %2").arg(QLatin1String(look.word), qt(finding.title)));
    setAccessibleDescription(qt(finding.evidence) + QLatin1Char(' ') + advice);
    setToolTip(advice);
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

void FindingList::setFindings(const std::vector<Finding>& findings)
{
    while (auto* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    auto sorted = findings;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
        return static_cast<int>(a.severity) > static_cast<int>(b.severity);
    });
    for (const auto& finding : sorted)
        layout()->addWidget(new FindingRow(finding));
    m_count = static_cast<int>(sorted.size());
}

} // namespace assay
