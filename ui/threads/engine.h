#pragma once

#include "core/run/session.h"

#include <QThread>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

namespace assay {

/// Makes the engine's door; called on the engine thread, so that everything that computes is created there.
using SessionFactory = std::function<std::unique_ptr<Session>()>;

/// The engine thread: one job at a time, and short jobs between the steps of a long one.
class Engine
{
public:
    using LongJob = std::function<void(Session&, std::stop_token)>;
    using ShortJob = std::function<void(Session&)>;

    explicit Engine(SessionFactory makeSession);
    /// Asks the job in progress to stop (a run then checkpoints), drops what waits, and joins the thread.
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Runs, evaluations: wait for each other in order.
    void runLong(LongJob job);
    /// Token views, label checks: come before waiting long jobs, and into a run in progress between two
    /// steps.
    void runShort(ShortJob job);
    /// Called on the engine thread by the observer of a long job: does the short jobs that wait.
    void yieldToShortJobs();
    /// Asks the long job in progress to stop and drops those that wait; returns how many were dropped.
    std::size_t stopAll();

private:
    void loop();
    void doShort(const ShortJob& job);

    SessionFactory m_makeSession;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<LongJob> m_long;
    std::deque<ShortJob> m_short;
    std::stop_source m_currentStop;
    bool m_quit = false;
    // Engine thread only. Short jobs have a session of their own: they may come in the middle of a call of
    // the first.
    std::unique_ptr<Session> m_session, m_shortSession;
    std::unique_ptr<QThread> m_thread;
};

} // namespace assay
