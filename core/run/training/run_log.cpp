#include "core/run/training/run_log.h"

namespace assay {

bool RunLog::took(const Status& status, std::int64_t step)
{
    if (status.ok()) {
        if (std::exchange(m_failing, false))
            m_observer.event(
                {0, nowMilliseconds(), step, EventLevel::Info, "store", "The store takes rows again"});
        return true;
    }
    if (!std::exchange(m_failing, true))
        m_observer.event({0, nowMilliseconds(), step, EventLevel::Error, "store",
                          "The store does not take rows, training goes on: " + status.error().text()});
    return false;
}

void RunLog::step(StepRecord record)
{
    record.attempt = m_attempt;
    took(m_writer.appendStep(m_run, record), record.step);
    m_observer.stepDone(record);
}

Status RunLog::evaluation(EvaluationRecord& record, std::span<const StoredPrediction> predictions)
{
    record.attempt = m_attempt;
    auto id = m_writer.appendEvaluation(m_run, record);
    if (!id) {
        took(id.error(), record.step);
        m_observer.evaluationDone(record);
        return id.error();
    }
    record.id = *id;
    const auto status = m_writer.appendPredictions(m_run, record.id, predictions);
    took(status, record.step);
    took(m_writer.flush(), record.step);
    m_observer.evaluationDone(record);
    return status;
}

Result<CheckpointRecord> RunLog::checkpoint(CheckpointRecord record)
{
    auto id = m_writer.addCheckpoint(m_run, record);
    if (!id) {
        took(id.error(), record.step);
        return id.error();
    }
    record.id = *id;
    m_observer.checkpointSaved(record);
    return record;
}

void RunLog::event(std::int64_t step, EventLevel level, const std::string& kind, const std::string& text)
{
    EventRecord record{0, nowMilliseconds(), step, level, kind, text};
    took(m_writer.appendEvent(m_run, record), step);
    m_observer.event(record);
}

void RunLog::flush()
{
    took(m_writer.flush(), 0);
}

} // namespace assay
