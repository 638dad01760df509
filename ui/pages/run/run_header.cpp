#include "ui/pages/run/run_header.h"

#include "ui/actions.h"
#include "ui/number_text.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/progress_strip.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSysInfo>

#include <algorithm>

namespace assay {

namespace {

QLabel* plainLabel(const QFont& font, const QString& name)
{
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setFont(font);
    label->setObjectName(name);
    return label;
}

ColorRole statusRole(RunStatus status)
{
    switch (status) {
    case RunStatus::Running:
        return &Palette::accent;
    case RunStatus::Finished:
        return &Palette::ok;
    case RunStatus::Failed:
        return &Palette::err;
    case RunStatus::Paused:
    case RunStatus::Interrupted:
        return &Palette::warn;
    case RunStatus::Stopped:
        return &Palette::text2;
    }
    return &Palette::text2;
}

QString askedWord(Control control)
{
    switch (control) {
    case Control::Pause:
        return QObject::tr("pause asked");
    case Control::Resume:
        return QObject::tr("asked to continue");
    case Control::Stop:
        return QObject::tr("stop asked");
    case Control::EvaluateNow:
        return QObject::tr("evaluation asked");
    }
    return {};
}

/// Where the process of a run is, if it is not this one.
QString elsewhereText(const RunSummary& run)
{
    if (run.host != QSysInfo::machineHostName().toStdString())
        return QObject::tr("on %1").arg(QString::fromStdString(run.host));
    return run.process == QCoreApplication::applicationPid() ? QString()
                                                             : QObject::tr("process %1").arg(run.process);
}

} // namespace

RunHeader::RunHeader(Actions& actions, QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(scaled(44));
    const auto control = [this](Control value) { return [this, value] { Q_EMIT controlAsked(value); }; };
    m_pause = actions.add(QStringLiteral("run.pause"), tr("&Pause"),
                          QKeySequence(QStringLiteral("Ctrl+Shift+Space")), control(Control::Pause));
    m_resumeControl =
        actions.add(QStringLiteral("run.continue"), tr("&Continue"), {}, control(Control::Resume));
    m_stop =
        actions.add(QStringLiteral("run.stop"), tr("&Stop"), QKeySequence(QStringLiteral("Ctrl+Shift+X")),
                    control(Control::Stop), tr("checkpoint end"));
    m_evaluate = actions.add(QStringLiteral("run.evaluate"), tr("&Evaluate now"),
                             QKeySequence(QStringLiteral("Ctrl+E")), control(Control::EvaluateNow));
    m_resume = actions.add(
        QStringLiteral("run.resume"), tr("&Resume run"), {}, [this] { Q_EMIT resumeAsked(); },
        tr("continue interrupted stopped failed checkpoint"));
    m_steps = actions.add(QStringLiteral("run.steps"), tr("Show s&teps"),
                          QKeySequence(QStringLiteral("Ctrl+T")), [this] { Q_EMIT stepsAsked(); });
    m_clone = actions.add(QStringLiteral("run.clone"), tr("C&lone as experiment"), {},
                          [this] { Q_EMIT cloneAsked(); });
    m_copyId = actions.add(QStringLiteral("run.copy-id"), tr("Copy run &id"), {},
                           [this] { QGuiApplication::clipboard()->setText(m_runId); });
    auto* newest = actions.add(
        QStringLiteral("run.newest"), tr("Show the &newest run"), {}, [this] { Q_EMIT openNewestAsked(); },
        tr("last latest"));

    m_name = plainLabel(textFont(TextSize::Title), QStringLiteral("run.name"));
    m_name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_statusIcon = new QLabel;
    m_status = plainLabel(textFont(TextSize::Body), QStringLiteral("run.status"));
    m_progress = new ProgressStrip;
    m_percent = plainLabel(numberFont(TextSize::Body, true), QStringLiteral("run.percent"));
    m_facts = plainLabel(textFont(TextSize::Table), QStringLiteral("run.facts"));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_facts->setMinimumWidth(scaled(40));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(12), 0, scaled(8), 0);
    row->setSpacing(scaled(8));
    row->addWidget(m_name);
    row->addSpacing(scaled(4));
    row->addWidget(m_statusIcon);
    row->addWidget(m_status);
    row->addSpacing(scaled(4));
    row->addWidget(m_progress, 1);
    row->addWidget(m_percent);
    row->addWidget(m_facts, 2);
    for (const auto& [action, id] : {std::pair(m_pause, Icon::Pause), std::pair(m_resumeControl, Icon::Play),
                                     std::pair(m_stop, Icon::Stop), std::pair(m_evaluate, Icon::Evaluate),
                                     std::pair(m_resume, Icon::Resume), std::pair(m_steps, Icon::Steps)})
        row->addWidget(makeButton(action, id));
    m_menu = new QMenu(this);
    m_menu->addActions({m_steps, m_clone, m_copyId, newest});
    m_more = new QPushButton;
    m_more->setIcon(icon(Icon::More));
    m_more->setAccessibleName(tr("More about this run"));
    m_more->setToolTip(tr("More about this run"));
    connect(m_more, &QPushButton::clicked, this,
            [this] { m_menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height()))); });
    row->addWidget(m_more);
    clear();
}

QPushButton* RunHeader::makeButton(QAction* action, Icon id)
{
    auto* button = new QPushButton;
    button->setIcon(icon(id));
    button->setObjectName(QStringLiteral("button.") + action->objectName());
    const auto follow = [this, button, action] {
        const QString text = Actions::tooltip(action).section(QStringLiteral(" ("), 0, 0);
        button->setAccessibleName(text);
        button->setText(m_compact && action != m_evaluate ? QString() : text);
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
    };
    follow();
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    m_buttons.emplace_back(action, button);
    return button;
}

QStringList RunHeader::facts(const RunSnapshot& run)
{
    const auto& summary = run.details.summary;
    QStringList parts;
    if (summary.plannedSteps > summary.step)
        parts << tr("step %1 of %2").arg(countText(summary.step), countText(summary.plannedSteps));
    else
        parts << tr("%1 optimiser steps").arg(countText(summary.step));
    QString time = durationText(summary.seconds);
    if (summary.status == RunStatus::Running)
        if (const auto left = remainingSeconds(run))
            time += tr(", ETA %1").arg(durationText(*left));
    parts << time;
    if (run.pace.tokensPerSecond > 0.0) {
        const double pace = run.pace.tokensPerSecond;
        parts << (pace >= 10000.0 ? metricText(pace / 1000.0, 1) + QStringLiteral("\u00a0k tokens/s")
                                  : countText(std::llround(pace)) + QStringLiteral("\u00a0tokens/s"));
        parts << tr("data wait %1").arg(percentText(run.pace.dataWaitShare));
    }
    if (run.alive() && !elsewhereText(summary).isEmpty())
        parts << elsewhereText(summary);
    return parts;
}

void RunHeader::setRun(const RunSnapshot& run)
{
    const auto& summary = run.details.summary;
    const bool running = summary.status == RunStatus::Running, paused = summary.status == RunStatus::Paused;
    m_runId = QString::fromStdString(summary.id);
    m_name->setText(QString::fromStdString(summary.name));
    m_name->setToolTip(tr("Run %1").arg(m_runId));
    const BadgeLook look = statusLook(summary.status);
    m_status->setText(
        run.pending.empty() ? look.text : tr("%1, %2").arg(look.text, askedWord(run.pending.back().control)));
    m_status->setToolTip(
        run.alive() ? tr("Process %1 on %2; it takes what it is asked between two micro-batches")
                          .arg(QString::number(summary.process), QString::fromStdString(summary.host))
                    : QString());
    const QPixmap mark = icon(look.icon, statusRole(summary.status))
                             .pixmap(QSize(scaled(14), scaled(14)), devicePixelRatioF());
    if (mark.cacheKey() != m_statusIcon->pixmap(Qt::ReturnByValue).cacheKey()) // anew means a layout anew
        m_statusIcon->setPixmap(mark);
    const double share = summary.plannedSteps > 0
                             ? static_cast<double>(summary.step) / static_cast<double>(summary.plannedSteps)
                             : 0.0;
    m_progress->setShare(share, !run.alive() && summary.status != RunStatus::Finished);
    m_percent->setText(percentText(share));
    m_factParts = facts(run);

    // What was asked is not asked twice; once the run has taken it, it can be asked again.
    const auto offer = [&run](QAction* action, Control control, bool possible, const QString& reason) {
        const bool asked = std::any_of(run.pending.begin(), run.pending.end(),
                                       [control](const auto& posted) { return posted.control == control; });
        Actions::setEnabled(action, possible && !asked,
                            asked ? tr("Asked already: the run takes it soon") : reason);
    };
    const QString ended = tr("The run is not in progress");
    offer(m_pause, Control::Pause, running, paused ? tr("The run is paused") : ended);
    offer(m_resumeControl, Control::Resume, paused, tr("The run is not paused"));
    offer(m_stop, Control::Stop, running || paused, ended);
    offer(m_evaluate, Control::EvaluateNow, running,
          paused ? tr("The run is paused: continue it first") : ended);
    const bool resumable = summary.status == RunStatus::Interrupted || summary.status == RunStatus::Stopped ||
                           summary.status == RunStatus::Failed;
    Actions::setEnabled(m_resume, resumable, tr("Only interrupted, stopped and failed runs can be resumed"));
    for (auto* action : {m_steps, m_clone, m_copyId})
        Actions::setEnabled(action, true);
    for (const auto& [action, button] : m_buttons) {
        const bool shown = action == m_pause           ? running
                           : action == m_resumeControl ? paused
                           : action == m_resume        ? resumable
                           : action == m_steps         ? !run.alive() && summary.verdictSentence.empty()
                                                       : run.alive();
        button->setVisible(shown);
    }
    m_more->setVisible(true);
    fitFacts();
}

void RunHeader::addMenuActions(const QList<QAction*>& actions)
{
    m_menu->addSeparator();
    m_menu->addActions(actions);
}

void RunHeader::clear()
{
    for (auto* action : {m_pause, m_resumeControl, m_stop, m_evaluate, m_resume, m_steps, m_clone, m_copyId})
        Actions::setEnabled(action, false, tr("There is no run yet"));
    for (const auto& [action, button] : m_buttons)
        button->setVisible(false);
}

void RunHeader::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    for (const auto& [action, button] : m_buttons)
        button->setText(compact && action != m_evaluate ? QString() : button->accessibleName());
    m_progress->setMaximumWidth(compact ? QWIDGETSIZE_MAX : scaled(250));
    fitFacts();
}

void RunHeader::fitFacts()
{
    // Numbers are never elided: what does not fit goes, from the end, except that the remaining time stays
    // longest.
    QStringList parts = m_factParts;
    const QString separator = QStringLiteral("  ·  ");
    const QFontMetrics metrics(m_facts->font());
    while (parts.size() > 1 && metrics.horizontalAdvance(parts.join(separator)) > m_facts->width())
        parts.size() > 2 ? parts.removeLast() : parts.removeFirst();
    if (!parts.isEmpty() && metrics.horizontalAdvance(parts.join(separator)) > m_facts->width())
        parts.clear();
    m_facts->setText(parts.join(separator));
    m_facts->setToolTip(m_factParts.join(separator));
}

void RunHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitFacts();
}

void RunHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), colors().surface);
    painter.setPen(QPen(colors().line2, 0));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

} // namespace assay
