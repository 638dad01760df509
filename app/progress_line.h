#pragma once

#include "app/process/stop_signals.h"
#include "core/run/session.h"

#include <chrono>
#include <string>

namespace assay {

/// A run's progress on standard error: one updating line on a terminal, else a line every few seconds;
/// evaluations, warnings and label checks get lines of their own. `signals` hear of the run's beginning.
class ProgressLine : public RunObserver
{
public:
    explicit ProgressLine(StopSignals& signals);
    ~ProgressLine() override;

    void runStarted(const RunDetails& run) override;
    void preflightDone(const Report& report) override;
    void progress(const Progress& value) override;
    void stepDone(const StepRecord& step) override;
    void evaluationDone(const EvaluationRecord& evaluation) override;
    void event(const EventRecord& event) override;

private:
    void line(const std::string& text);
    void clear();

    StopSignals& m_signals;
    bool m_checksShown = false;
    bool m_terminal = false;
    bool m_shown = false;
    Progress::Phase m_phase = Progress::Phase::Loading;
    bool m_anyPhase = false;
    double m_loss = 0.0;
    bool m_hasLoss = false;
    std::chrono::steady_clock::time_point m_lastShown{};
};

/// "Training 41 %  step 320/780  loss 0.412  12.3 k tokens/s  ETA 35 s"
std::string progressText(const Progress& progress, const std::string& lossText);

} // namespace assay
