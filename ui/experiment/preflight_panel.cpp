#include "ui/experiment/preflight_panel.h"

#include "ui/experiment/baseline_table.h"
#include "ui/experiment/census_view.h"
#include "ui/experiment/finding_row.h"
#include "ui/experiment/preflight/caption.h"
#include "ui/experiment/preflight/probe_section.h"
#include "ui/experiment/preflight/report_table.h"
#include "ui/experiment/preflight/row_length_chart.h"
#include "ui/experiment/preflight/token_section.h"
#include "ui/experiment/preflight_figures.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

void addColumn(QHBoxLayout* line, const QString& title, QWidget* widget)
{
    auto* column = new QVBoxLayout;
    column->setSpacing(scaled(6));
    column->addWidget(makeCaption(title));
    column->addWidget(widget, 0, Qt::AlignTop);
    column->addStretch(1);
    line->addLayout(column, 1);
}

/// A section of the figures: one or two columns beside each other.
QWidget* section(QHBoxLayout*& line)
{
    auto* widget = new QWidget;
    line = new QHBoxLayout(widget);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(24));
    return widget;
}

} // namespace

PreflightPanel::PreflightPanel(RunController& controller, QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(new RuleLine);

    m_body = new QWidget;
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    m_findings = new FindingList;
    body->addWidget(m_findings);
    body->addWidget(makeFigures());
    m_tokens = new TokenSection(controller);
    body->addWidget(m_tokens);
    body->addWidget(new RuleLine);
    m_probe = new ProbeSection;
    body->addWidget(m_probe);
    body->addStretch(1);
    connect(m_findings, &FindingList::settingOffered, this, &PreflightPanel::settingOffered);

    m_message = new TextLabel(QString(), TextSize::Body, &Palette::text2);
    m_message->setWordWrap(true);
    m_message->setContentsMargins(scaled(12), scaled(16), scaled(12), scaled(12));
    auto* content = new QWidget;
    auto* contentColumn = new QVBoxLayout(content);
    contentColumn->setContentsMargins(0, 0, 0, 0);
    contentColumn->addWidget(m_message);
    contentColumn->addWidget(m_body, 1);
    contentColumn->addStretch(0);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    column->addWidget(scroll, 1);

    m_ageTimer.setInterval(1000);
    connect(&m_ageTimer, &QTimer::timeout, this, &PreflightPanel::updateAge);
    showNothing(tr("Choose training data, and its labels are checked here before a run starts."));
}

QWidget* PreflightPanel::makeHeader()
{
    auto* header = new QWidget;
    header->setFixedHeight(scaled(44));
    auto* line = new QHBoxLayout(header);
    line->setContentsMargins(scaled(12), 0, scaled(12), 0);
    line->setSpacing(scaled(8));
    line->addWidget(new TextLabel(tr("Pre-flight"), TextSize::Title));
    m_status = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_status->setElided(true);
    line->addWidget(m_status, 1);
    m_blocks = new Badge;
    m_warnings = new Badge;
    m_passed = new Badge;
    for (auto* badge : {m_blocks, m_warnings, m_passed}) {
        badge->hide();
        line->addWidget(badge);
    }
    return header;
}

QWidget* PreflightPanel::makeFigures()
{
    auto* figures = new QWidget;
    auto* column = new QVBoxLayout(figures);
    column->setContentsMargins(scaled(12), scaled(10), scaled(12), scaled(10));
    column->setSpacing(scaled(12));
    QHBoxLayout* line = nullptr;
    m_censusSection = section(line);
    m_census = new CensusView;
    m_positions = new PositionChart;
    addColumn(line, tr("Label census, training"), m_census);
    addColumn(line, tr("Base rate by step position"), m_positions);
    column->addWidget(m_censusSection);
    m_lengthSection = section(line);
    m_lengths = new RowLengthChart;
    addColumn(line, tr("Tokens per row and truncation"), m_lengths);
    m_baselineSection = new QWidget;
    auto* below = new QHBoxLayout(m_baselineSection);
    below->setContentsMargins(0, 0, 0, 0);
    m_baselines = new BaselineTable;
    addColumn(below, tr("Null baselines on the evaluation set"), m_baselines);
    line->addWidget(m_baselineSection, 1);
    column->addWidget(m_lengthSection);
    m_tables = new QVBoxLayout;
    m_tables->setSpacing(scaled(12));
    column->addLayout(m_tables);
    return figures;
}

void PreflightPanel::setTables(const std::vector<Table>& tables)
{
    while (auto* item = m_tables->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const auto& table : tables)
        m_tables->addWidget(new ReportTable(table));
}

bool PreflightPanel::pending() const
{
    return m_tokens->pending();
}

void PreflightPanel::showBody(bool visible)
{
    m_body->setVisible(visible);
    m_message->setVisible(!visible);
}

void PreflightPanel::showChecking()
{
    m_ageTimer.stop();
    m_status->setText(tr("checking…"));
}

void PreflightPanel::showNothing(const QString& why)
{
    m_ageTimer.stop();
    m_status->setText(QString());
    setBadges(Report{});
    m_message->setColorRole(&Palette::text2);
    m_message->setText(why);
    showBody(false);
}

void PreflightPanel::showError(const Error& error)
{
    m_ageTimer.stop();
    m_status->setText(tr("could not check"));
    setBadges(Report{});
    m_message->setColorRole(&Palette::err);
    m_message->setText(QString::fromStdString(error.text()));
    showBody(false);
}

void PreflightPanel::setBadges(const Report& report)
{
    const auto count = [&report](Severity severity) {
        return static_cast<int>(
            std::count_if(report.findings.begin(), report.findings.end(),
                          [severity](const Finding& finding) { return finding.severity == severity; }));
    };
    const auto show = [](Badge* badge, int number, const QString& text, Icon id, Tone tone) {
        badge->setLook({text, id, tone});
        badge->setVisible(number > 0);
    };
    const int blocks = count(Severity::Red), warnings = count(Severity::Warning);
    int passed = 0;
    for (const auto& table : report.tables)
        if (table.id == "checks_passed")
            passed = static_cast<int>(table.rows.size());
    show(m_blocks, blocks, blocks == 1 ? tr("1 blocks") : tr("%1 block").arg(blocks), Icon::Error, Tone::Err);
    show(m_warnings, warnings, warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings),
         Icon::Warning, Tone::Warn);
    show(m_passed, passed, tr("%1 passed").arg(passed), Icon::CheckCircle, Tone::Ok);
}

void PreflightPanel::showPreflight(const Preflight& preflight, const ExperimentConfig& config)
{
    const Report& report = preflight.report;
    setBadges(report);
    m_findings->setReport(report);
    const auto figures = preflightFigures(report);
    m_censusSection->setVisible(figures.census.has_value());
    if (figures.census)
        m_census->setCensus(*figures.census);
    m_positions->setRates(figures.rates, figures.counts, figures.baseRate);
    m_lengths->setLengths(figures.lengthStarts, figures.lengthRows, figures.limit);
    m_baselines->setReport(report);
    m_baselineSection->setVisible(report.metric("baseline_auroc_position") ||
                                  report.metric("baseline_accuracy_always_true"));
    m_lengthSection->setVisible(!figures.lengthRows.empty() || !m_baselineSection->isHidden());
    setTables(figures.others);
    m_rows = preflight.trainRows > 0 ? preflight.trainRows : preflight.trainExamples;
    m_age.start();
    m_ageTimer.start();
    updateAge();
    showBody(true);
    m_tokens->setExperiment(config, m_rows);
}

void PreflightPanel::updateAge()
{
    const double seconds = static_cast<double>(m_age.elapsed()) / 1000.0;
    const QString age = seconds < 2.0 ? tr("just now") : tr("%1 ago").arg(durationText(std::floor(seconds)));
    m_status->setText(tr("checked %1 on %2 rows").arg(age, countText(m_rows)));
}

} // namespace assay
