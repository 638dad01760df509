#include "ui/pages/run_details_pane.h"

#include "ui/icons.h"
#include "ui/models/run_table_model.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/verdict_card.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kShownChanges = 12;

ColorRole toneRole(Tone tone)
{
    switch (tone) {
    case Tone::Ok:
        return &Palette::ok;
    case Tone::Warn:
        return &Palette::warn;
    case Tone::Err:
        return &Palette::err;
    case Tone::Info:
        return &Palette::info;
    case Tone::Plain:
        break;
    }
    return &Palette::text2;
}

bool canResume(RunStatus status)
{
    return status == RunStatus::Interrupted || status == RunStatus::Stopped || status == RunStatus::Failed;
}

QString statusLine(const RunSummary& run)
{
    QStringList parts;
    if (run.deleted)
        parts << QStringLiteral("deleted");
    else if (run.archived)
        parts << QStringLiteral("archived");
    if (run.seconds > 0.0)
        parts << durationText(run.seconds);
    if (run.step > 0 || run.plannedSteps > 0) {
        const bool partly = run.plannedSteps > 0 && run.step != run.plannedSteps;
        parts << (partly ? QStringLiteral("%1 of %2 optimiser steps")
                               .arg(countText(run.step), countText(run.plannedSteps))
                         : QStringLiteral("%1 optimiser steps").arg(countText(run.step)));
    }
    return statusWord(run.status) + QStringLiteral("   ") + parts.join(QStringLiteral(", "));
}

QString artefactsText(const RunOverview& overview)
{
    QString text = overview.checkpoints == 0 ? QStringLiteral("No checkpoint")
                   : overview.checkpoints == 1
                       ? QStringLiteral("1 checkpoint, ") + bytesText(overview.checkpointBytes)
                       : QStringLiteral("%1 checkpoints, %2")
                             .arg(countText(overview.checkpoints), bytesText(overview.checkpointBytes));
    text += QLatin1Char('\n');
    text += overview.evaluations == 0 ? QStringLiteral("No evaluation")
            : overview.evaluations == 1
                ? QStringLiteral("1 evaluation, %1 predictions").arg(countText(overview.predictions))
                : QStringLiteral("%1 evaluations, %2 predictions")
                      .arg(countText(overview.evaluations), countText(overview.predictions));
    return text;
}

} // namespace

RunDetailsPane::RunDetailsPane(QWidget* parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(QStringLiteral("Run details"));
    m_content = new QWidget;
    m_content->setBackgroundRole(QPalette::Base);
    m_content->setAutoFillBackground(true);
    m_groups = new QBoxLayout(QBoxLayout::TopToBottom, m_content);
    m_groups->setContentsMargins(scaled(14), scaled(12), scaled(14), scaled(14));
    m_groups->setSpacing(scaled(12));
    const auto group = [this](std::initializer_list<QWidget*> parts) {
        auto* box = new QWidget;
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(scaled(12));
        for (QWidget* part : parts)
            column->addWidget(part);
        m_groups->addWidget(box, 0, Qt::AlignTop);
    };
    m_verdict = new VerdictCard;
    group({makeHead(), m_verdict});
    group({makePlots()});

    auto* table = new QWidget;
    m_changes = new QGridLayout(table);
    m_changes->setContentsMargins(0, 0, 0, 0);
    m_changes->setHorizontalSpacing(scaled(10));
    m_changes->setVerticalSpacing(0);
    m_changes->setColumnStretch(0, 1);
    m_changesSection = makeSection(QString(), table);
    m_changesTitle = m_changesSection->findChild<TextLabel*>(QStringLiteral("sectionTitle"));
    m_note = new TextLabel({}, TextSize::Table);
    m_note->setWordWrap(true);
    m_noteSection = makeSection(QStringLiteral("Note"), m_note);
    m_artefacts = new TextLabel({}, TextSize::Table, &Palette::text2);
    group({m_changesSection, m_noteSection, makeSection(QStringLiteral("Artefacts"), m_artefacts)});
    m_groups->addStretch(1);
    setWidget(m_content);
    clear();
}

QWidget* RunDetailsPane::makeHead()
{
    auto* head = new QWidget;
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    auto* first = new QHBoxLayout;
    m_name = new TextLabel({}, TextSize::Title);
    m_name->setElided(true);
    auto* close = new QPushButton(icon(Icon::Close), {});
    close->setProperty("assayKind", QStringLiteral("quiet"));
    close->setToolTip(QStringLiteral("Hide details (F4)"));
    close->setAccessibleName(QStringLiteral("Hide details"));
    connect(close, &QPushButton::clicked, this, &RunDetailsPane::closeRequested);
    first->addWidget(m_name, 1);
    first->addWidget(close);
    column->addLayout(first);

    auto* second = new QHBoxLayout;
    second->setSpacing(scaled(6));
    m_statusIcon = new IconLabel(Icon::Check, &Palette::text2, 15);
    m_status = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_status->setElided(true);
    second->addWidget(m_statusIcon);
    second->addWidget(m_status, 1);
    column->addLayout(second);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(scaled(6));
    m_open = new QPushButton(icon(Icon::Run, &Palette::onAccent), QStringLiteral("Open"));
    m_open->setProperty("assayKind", QStringLiteral("primary"));
    m_clone = new QPushButton(icon(Icon::Copy), QStringLiteral("Clone"));
    m_resume = new QPushButton(icon(Icon::Resume), QStringLiteral("Resume"));
    m_open->setToolTip(QStringLiteral("Open this run (Enter)"));
    m_clone->setToolTip(QStringLiteral("New experiment from this run (Ctrl+D)"));
    m_resume->setToolTip(QStringLiteral("Continue from the newest checkpoint"));
    connect(m_open, &QPushButton::clicked, this, &RunDetailsPane::openRequested);
    connect(m_clone, &QPushButton::clicked, this, &RunDetailsPane::cloneRequested);
    connect(m_resume, &QPushButton::clicked, this, &RunDetailsPane::resumeRequested);
    buttons->addWidget(m_open);
    buttons->addWidget(m_clone);
    buttons->addWidget(m_resume);
    buttons->addStretch(1);
    m_more = new QPushButton(icon(Icon::More), {});
    m_more->setToolTip(QStringLiteral("More about this run"));
    m_more->setAccessibleName(QStringLiteral("More about this run"));
    m_more->setVisible(false);
    connect(m_more, &QPushButton::clicked, this,
            [this] { m_menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height()))); });
    buttons->addWidget(m_more);
    column->addLayout(buttons);
    m_error = new TextLabel({}, TextSize::Table, &Palette::err);
    m_error->setWordWrap(true);
    column->addWidget(m_error);
    return head;
}

QWidget* RunDetailsPane::makePlots()
{
    auto* box = new QWidget;
    auto* plots = new QGridLayout(box);
    plots->setContentsMargins(0, 0, 0, 0);
    plots->setSpacing(scaled(8));
    for (int i = 0; i < 4; ++i) {
        m_plots.push_back(new MiniPlot);
        plots->addWidget(m_plots.back(), i / 2, i % 2);
    }
    return box;
}

void RunDetailsPane::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    // Below the table the pane is wide and low: its three groups then stand side by side.
    const bool wide = width() > scaled(640);
    m_groups->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    for (int i = 0; i < 3; ++i)
        m_groups->setStretch(i, wide ? 1 : 0);
    m_groups->setStretch(3, wide ? 0 : 1);
}

QWidget* RunDetailsPane::makeSection(const QString& title, QWidget* content)
{
    auto* section = new QWidget;
    auto* column = new QVBoxLayout(section);
    column->setContentsMargins(0, scaled(2), 0, 0);
    column->setSpacing(scaled(4));
    auto* label = new TextLabel(title, TextSize::Caption, &Palette::text2);
    label->setObjectName(QStringLiteral("sectionTitle"));
    column->addWidget(label);
    column->addWidget(content);
    return section;
}

void RunDetailsPane::setMenu(QMenu* menu)
{
    m_menu = menu;
    m_more->setVisible(true);
}

void RunDetailsPane::clear()
{
    m_run.clear();
    m_content->setVisible(false);
}

void RunDetailsPane::showRun(const RunOverview& overview)
{
    const RunSummary& run = overview.details.summary;
    if (run.id != m_run) {
        verticalScrollBar()->setValue(0);
        showChanges(overview); // the settings of a run never change
    }
    m_run = run.id;
    m_content->setVisible(true);
    m_name->setText(QString::fromStdString(run.name));
    m_name->setToolTip(m_name->text());
    const BadgeLook look = statusLook(run.status);
    m_statusIcon->setIcon(look.icon, toneRole(look.tone));
    m_status->setText(statusLine(run));
    m_resume->setVisible(canResume(run.status));
    m_error->setText(QString::fromStdString(run.errorText));
    m_error->setVisible(!run.errorText.empty());
    m_verdict->showVerdict(run);
    for (std::size_t i = 0; i < m_plots.size() && i < overview.plots.size(); ++i)
        m_plots[i]->setSeries(overview.plots[i]);
    m_note->setText(QString::fromStdString(run.note));
    m_noteSection->setVisible(!run.note.empty());
    m_artefacts->setText(artefactsText(overview));
}

void RunDetailsPane::showChanges(const RunOverview& overview)
{
    while (QLayoutItem* item = m_changes->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_changesSection->setVisible(!overview.parentName.empty());
    if (overview.parentName.empty())
        return;
    m_changesTitle->setText(QStringLiteral("Changed from parent ") +
                            QString::fromStdString(overview.parentName));
    if (overview.changes.empty()) {
        m_changes->addWidget(
            new TextLabel(QStringLiteral("Nothing but the name"), TextSize::Table, &Palette::text3), 0, 0);
        return;
    }
    int row = 0;
    const auto add = [&](const QString& setting, const QString& before, const QString& after, bool head) {
        const TextSize size = head ? TextSize::Caption : TextSize::Table;
        auto* name = new TextLabel(setting, size, head ? &Palette::text2 : &Palette::text);
        if (!head)
            name->setFont(codeFont(TextSize::Table));
        auto* old = new TextLabel(before, size, &Palette::text2);
        auto* now = new TextLabel(after, size, head ? &Palette::text2 : &Palette::text);
        if (!head)
            now->setNumber(true);
        for (auto* label : {name, old, now}) {
            label->setMinimumHeight(scaled(26));
            label->setElided(true);
            label->setToolTip(label->text());
        }
        for (auto* label : {old, now}) {
            label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            label->setMaximumWidth(scaled(110));
        }
        m_changes->addWidget(name, row, 0);
        m_changes->addWidget(old, row, 1);
        m_changes->addWidget(now, row, 2);
        m_changes->addWidget(new RuleLine, row + 1, 0, 1, 3);
        row += 2;
    };
    add(QStringLiteral("Setting"), QStringLiteral("Parent"), QStringLiteral("This run"), true);
    const auto text = [](const std::string& value) {
        return value.empty() ? QStringLiteral("–") : QString::fromStdString(value);
    };
    const int shown = std::min(kShownChanges, static_cast<int>(overview.changes.size()));
    for (int i = 0; i < shown; ++i) {
        const auto& change = overview.changes[static_cast<std::size_t>(i)];
        add(QString::fromStdString(change.id), text(change.first), text(change.second), false);
    }
    if (const auto more = static_cast<int>(overview.changes.size()) - shown; more > 0)
        m_changes->addWidget(
            new TextLabel(QStringLiteral("and %1 more").arg(more), TextSize::Table, &Palette::text3), row, 0);
}

} // namespace assay
