#include "app/progress_line.h"

#include "app/output.h"
#include "app/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace assay {

namespace {

using Phase = Progress::Phase;

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::seconds kPlainInterval{5};

const char* phaseWord(Phase phase)
{
    switch (phase) {
    case Phase::Loading:
        return "Loading";
    case Phase::Checking:
        return "Checking labels";
    case Phase::Evaluating:
        return "Evaluating";
    case Phase::Training:
        return "Training";
    case Phase::Saving:
        return "Saving";
    case Phase::Paused:
        return "Paused";
    case Phase::Done:
        return "Done";
    }
    return "";
}

std::size_t terminalColumns()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

std::string metricOf(const Report& report, std::string_view id)
{
    const Metric* metric = report.metric(id);
    return metric ? metricText(metric->value, metric->low, metric->high) : "-";
}

} // namespace

std::string progressText(const Progress& progress, const std::string& lossText)
{
    std::string text = fmt::format("{} {:.0f} %", phaseWord(progress.phase), 100.0 * progress.share);
    if (progress.phase == Phase::Training && progress.plannedSteps > 0)
        text += fmt::format("  step {}/{}", progress.step, progress.plannedSteps);
    else if (!progress.text.empty())
        text += "  " + progress.text;
    if (progress.phase == Phase::Training && !lossText.empty())
        text += "  loss " + lossText;
    if (progress.tokensPerSecond > 0.0)
        text += fmt::format("  {} tokens/s", rateText(progress.tokensPerSecond));
    if (progress.remainingSeconds)
        text += "  ETA " + durationText(*progress.remainingSeconds);
    return text;
}

ProgressLine::ProgressLine(StopSignals& signals)
    : m_signals(signals)
    , m_terminal(isatty(STDERR_FILENO) == 1)
{}

ProgressLine::~ProgressLine()
{
    clear();
}

void ProgressLine::clear()
{
    if (m_shown)
        std::fputs("\r\x1b[K", stderr);
    m_shown = false;
}

void ProgressLine::line(const std::string& text)
{
    clear();
    printNote(text);
}

void ProgressLine::runStarted(const RunDetails& run)
{
    m_signals.runBegan();
    line(fmt::format("Run {} \"{}\" on {}: {} training and {} evaluation examples", run.summary.id,
                     plainText(run.summary.name),
                     run.deviceDescription.empty() ? run.summary.device : run.deviceDescription,
                     run.trainExamples, run.evaluationExamples));
}

void ProgressLine::preflightDone(const Report& report)
{
    m_checksShown = true;
    for (const auto& finding : report.findings) {
        if (finding.severity == Severity::Note)
            continue;
        line(fmt::format("{}: {}. {}", finding.severity == Severity::Red ? "RED" : "Warning",
                         plainText(finding.title), plainText(finding.evidence)));
    }
}

void ProgressLine::progress(const Progress& value)
{
    const auto now = std::chrono::steady_clock::now();
    const bool newPhase = !m_anyPhase || value.phase != m_phase;
    m_phase = value.phase;
    m_anyPhase = true;
    if (value.phase == Phase::Done || (now - m_lastShown < kTerminalInterval && !newPhase))
        return;
    const std::string text = progressText(value, m_hasLoss ? fmt::format("{:.3f}", m_loss) : std::string());
    if (m_terminal) {
        std::fprintf(stderr, "\r%s\x1b[K", elided(text, terminalColumns() - 1).c_str());
        std::fflush(stderr);
        m_shown = true;
        m_lastShown = now;
    } else if (now - m_lastShown >= kPlainInterval) {
        printNote(text);
        m_lastShown = now;
    }
}

void ProgressLine::stepDone(const StepRecord& step)
{
    // Smoothed over about 20 steps, so that the number can be read.
    m_loss = m_hasLoss && std::isfinite(m_loss) ? 0.95 * m_loss + 0.05 * step.loss : step.loss;
    m_hasLoss = true;
}

void ProgressLine::evaluationDone(const EvaluationRecord& evaluation)
{
    const auto& report = evaluation.report;
    std::string figures;
    if (report.metric("pair_accuracy"))
        figures =
            fmt::format("pair accuracy {} (longest {}, shortest {}), tie rate {}, margin {}",
                        metricOf(report, "pair_accuracy"), metricOf(report, "baseline_accuracy_longest"),
                        metricOf(report, "baseline_accuracy_shortest"), metricOf(report, "tie_rate"),
                        metricOf(report, "margin_mean"));
    else
        figures = fmt::format("AUROC {}, balanced accuracy {}, accuracy {} (base rate {})",
                              metricOf(report, "auroc"), metricOf(report, "balanced_accuracy"),
                              metricOf(report, "accuracy"), metricOf(report, "base_rate"));
    line(fmt::format("Evaluation at step {}: loss {:.3f}, {}{}", evaluation.step, evaluation.loss, figures,
                     evaluation.verdictBadge.empty() ? "" : "  -> " + evaluation.verdictBadge));
}

void ProgressLine::event(const EventRecord& event)
{
    // The run's log repeats the label checks that were shown before it began.
    const bool shown = event.kind == "label-check" && m_checksShown;
    if (event.kind == "probe") // which type auto chose, and why
        line(plainText(event.text));
    else if (event.level != EventLevel::Info && !shown)
        line(fmt::format("{}: {}", event.level == EventLevel::Error ? "Error" : "Warning",
                         plainText(event.text)));
}

} // namespace assay
