#include "ui/experiment/form_remarks.h"

#include "ui/number_text.h"

#include <QObject>

#include <array>
#include <utility>

namespace assay {

namespace {

/// Findings that one setting can mend, and that setting.
constexpr std::array<std::pair<const char*, const char*>, 4> kMendedBy{
    {{"truncation-loss", "layout.maximum_tokens"},
     {"warm-up-longer-than-run", "schedule.warmup_steps"},
     {"supervised-off-separator", "layout.step_separator"},
     {"separator-inside-step", "layout.step_separator"}}};

} // namespace

FormRemarks formRemarks(const ExperimentConfig& config, const Preflight& preflight)
{
    FormRemarks remarks;
    const auto examples = [](std::int64_t count) { return QObject::tr("%1 examples").arg(countText(count)); };
    remarks.hints[QStringLiteral("data.train")] = examples(preflight.trainExamples);
    remarks.hints[config.data.evaluation.empty() ? QStringLiteral("data.evaluation_share")
                                                 : QStringLiteral("data.evaluation")] =
        examples(preflight.evaluationExamples);
    if (const auto* longest = preflight.report.metric("longest_row_tokens"); longest && longest->value)
        remarks.hints[QStringLiteral("layout.maximum_tokens")] =
            QObject::tr("longest row %1").arg(countText(static_cast<std::int64_t>(*longest->value)));
    if (preflight.trainExamples > 0) {
        const auto tokens = preflight.trainTokens * config.batch.examples / preflight.trainExamples;
        remarks.hints[QStringLiteral("batch.examples")] = QObject::tr("%1 tokens").arg(countText(tokens));
    }
    if (preflight.plannedSteps > 0)
        remarks.hints[QStringLiteral("schedule.epochs")] =
            QObject::tr("%1 steps").arg(countText(preflight.plannedSteps));
    for (const auto& finding : preflight.report.findings)
        for (const auto& [id, field] : kMendedBy)
            if (finding.id == id && finding.severity != Severity::Note)
                remarks.notes[QString::fromLatin1(field)] = QString::fromStdString(finding.evidence);
    return remarks;
}

} // namespace assay
