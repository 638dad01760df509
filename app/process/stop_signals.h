#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace assay {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for a stop (a run then saves a checkpoint) and a second
/// SIGINT ends the process at once. Make it before any other thread: threads inherit the blocked signals.
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    std::stop_token token() const { return m_stop.get_token(); }
    /// From now on there is a run that a stop saves, and the sentence about the stop says so.
    void runBegan() { m_runBegan = true; }

private:
    void wait(const std::stop_token& end);

    std::stop_source m_stop;
    std::atomic<bool> m_runBegan = false;
    std::jthread m_thread;
};

} // namespace assay
