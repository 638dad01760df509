#include "ui/experiment/preflight_panel.h"

#include "ui/experiment/baseline_table.h"
#include "ui/experiment/census_view.h"
#include "ui/experiment/finding_row.h"
#include "ui/experiment/preflight_figures.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/run_controller.h"
#include "ui/steps/token_view.h"
#include "ui/theme.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

TextLabel* caption(const QString& text)
{
    auto* label = new TextLabel(text, TextSize::Caption, &Palette::text2);
    QFont font = label->font();
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

QPushButton* arrow(Icon id, const QString& name)
{
    auto* button = new QPushButton(icon(id), QString());
    button->setProperty("small", true);
    button->setFixedWidth(scaled(28));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

void addColumn(QHBoxLayout* line, const QString& title, QWidget* widget)
{
    auto* column = new QVBoxLayout;
    column->setSpacing(scaled(6));
    column->addWidget(caption(title));
    column->addWidget(widget, 0, Qt::AlignTop);
    column->addStretch(1);
    line->addLayout(column, 1);
}

} // namespace

PreflightPanel::PreflightPanel(RunController& controller, QWidget* parent)
    : QWidget(parent)
    , m_controller(controller)
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
    m_figures = makeFigures();
    body->addWidget(m_figures);
    body->addWidget(makeTokens());
    body->addStretch(1);

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
    line->addWidget(new TextLabel(tr("Label checks"), TextSize::Title));
    m_status = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_status->setElided(true);
    line->addWidget(m_status, 1);
    m_blocks = new Badge;
    m_warnings = new Badge;
    m_notes = new Badge;
    for (auto* badge : {m_blocks, m_warnings, m_notes}) {
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
    auto* line = new QHBoxLayout;
    line->setSpacing(scaled(24));
    m_census = new CensusView;
    m_positions = new PositionChart;
    addColumn(line, tr("Label census, training"), m_census);
    addColumn(line, tr("Base rate by step position"), m_positions);
    column->addLayout(line);
    m_baselineSection = new QWidget;
    auto* below = new QHBoxLayout(m_baselineSection);
    below->setContentsMargins(0, 0, 0, 0);
    m_baselines = new BaselineTable;
    addColumn(below, tr("Null baselines on the evaluation set"), m_baselines);
    column->addWidget(m_baselineSection);
    return figures;
}

QWidget* PreflightPanel::makeTokens()
{
    auto* section = new QWidget;
    auto* column = new QVBoxLayout(section);
    column->setContentsMargins(0, 0, 0, scaled(8));
    column->setSpacing(scaled(8));
    column->addWidget(new RuleLine);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(scaled(12), 0, scaled(12), 0);
    line->setSpacing(scaled(8));
    line->addWidget(caption(tr("Token view")));
    m_tokenTitle = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_tokenTitle->setElided(true);
    line->addWidget(m_tokenTitle, 1);
    m_previous = arrow(Icon::ChevronLeft, tr("Previous row"));
    m_next = arrow(Icon::ChevronRight, tr("Next row"));
    line->addWidget(m_previous);
    line->addWidget(m_next);
    column->addLayout(line);
    m_tokens = new TokenStrip;
    auto* flow = new QHBoxLayout;
    flow->setContentsMargins(scaled(12), 0, scaled(12), 0);
    flow->addWidget(m_tokens);
    column->addLayout(flow);
    connect(m_previous, &QPushButton::clicked, this, [this] { requestRow(m_row - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { requestRow(m_row + 1); });
    return section;
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
    const int blocks = count(Severity::Red), warnings = count(Severity::Warning),
              notes = count(Severity::Note);
    show(m_blocks, blocks, blocks == 1 ? tr("1 blocks") : tr("%1 block").arg(blocks), Icon::Error, Tone::Err);
    show(m_warnings, warnings, warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings),
         Icon::Warning, Tone::Warn);
    show(m_notes, notes, notes == 1 ? tr("1 note") : tr("%1 notes").arg(notes), Icon::Info, Tone::Info);
}

void PreflightPanel::showPreflight(const Preflight& preflight, const ExperimentConfig& config)
{
    const Report& report = preflight.report;
    setBadges(report);
    m_findings->setFindings(report.findings);
    const auto figures = preflightFigures(report);
    m_figures->setVisible(figures.census.has_value());
    if (figures.census)
        m_census->setCensus(*figures.census);
    m_positions->setRates(figures.rates, figures.counts, figures.baseRate);
    m_baselines->setReport(report);
    const bool baselines =
        report.metric("baseline_auroc_position") || report.metric("baseline_accuracy_always_true");
    m_baselineSection->setVisible(baselines);
    m_config = config;
    m_examples = preflight.trainExamples;
    m_age.start();
    m_ageTimer.start();
    updateAge();
    showBody(true);
    requestRow(std::min(m_row, std::max<qint64>(0, m_examples - 1)));
}

void PreflightPanel::updateAge()
{
    const double seconds = static_cast<double>(m_age.elapsed()) / 1000.0;
    const QString age = seconds < 2.0 ? tr("just now") : tr("%1 ago").arg(durationText(std::floor(seconds)));
    m_status->setText(tr("checked %1 on %2 rows").arg(age, countText(m_examples)));
}

void PreflightPanel::requestRow(qint64 row)
{
    if (!m_config || row < 0 || row >= m_examples)
        return;
    m_row = row;
    m_tokensPending = true;
    m_previous->setEnabled(row > 0);
    m_next->setEnabled(row + 1 < m_examples);
    m_controller.requestTokens(*m_config, row, this, [this, row](const Result<TokenView>& view) {
        if (row == m_row)
            showRow(view);
    });
}

void PreflightPanel::showRow(const Result<TokenView>& view)
{
    m_tokensPending = false;
    const QString which = tr("training row %1 of %2").arg(countText(m_row + 1), countText(m_examples));
    if (!view) {
        m_tokenTitle->setText(which + QStringLiteral(": ") + QString::fromStdString(view.error().text()));
        m_tokens->setTokens({});
        return;
    }
    const auto readOuts = std::count_if(view->tokens.begin(), view->tokens.end(),
                                        [](const auto& token) { return token.readOut; });
    QString text = tr("%1, %2 tokens, %3 read-outs")
                       .arg(which, countText(static_cast<qint64>(view->tokens.size())), countText(readOuts));
    if (!view->cutText.empty())
        text += QStringLiteral(", ") + QString::fromStdString(view->cutText);
    m_tokenTitle->setText(text);
    m_tokens->setTokens(view->tokens);
}

} // namespace assay
