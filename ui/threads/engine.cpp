#include "ui/threads/engine.h"

#include "core/base/thread_priority.h"

#include <utility>

namespace assay {

Engine::Engine(SessionFactory makeSession)
    : m_makeSession(std::move(makeSession))
    , m_thread(QThread::create([this] { loop(); }))
{
    m_thread->setObjectName(QStringLiteral("engine"));
    m_thread->start();
}

Engine::~Engine()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        m_long.clear();
        m_short.clear();
        m_currentStop.request_stop();
    }
    m_wake.notify_all();
    m_thread->wait();
}

void Engine::runLong(LongJob job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_long.push_back(std::move(job));
    }
    m_wake.notify_all();
}

void Engine::runShort(ShortJob job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_short.push_back(std::move(job));
    }
    m_wake.notify_all();
}

void Engine::doShort(const ShortJob& job)
{
    if (!m_shortSession)
        m_shortSession = m_makeSession();
    job(*m_shortSession);
}

void Engine::yieldToShortJobs()
{
    while (true) {
        ShortJob job;
        {
            const std::lock_guard lock(m_mutex);
            if (m_short.empty())
                return;
            job = std::move(m_short.front());
            m_short.pop_front();
        }
        doShort(job);
    }
}

std::size_t Engine::stopAll()
{
    const std::lock_guard lock(m_mutex);
    m_currentStop.request_stop();
    const auto dropped = m_long.size();
    m_long.clear();
    return dropped;
}

void Engine::loop()
{
    yieldToInteractiveThreads();
    while (true) {
        yieldToShortJobs();
        LongJob job;
        std::stop_token stop;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_quit || !m_long.empty() || !m_short.empty(); });
            if (m_quit)
                break;
            if (!m_short.empty())
                continue;
            job = std::move(m_long.front());
            m_long.pop_front();
            m_currentStop = std::stop_source();
            stop = m_currentStop.get_token();
        }
        if (!m_session)
            m_session = m_makeSession();
        job(*m_session, stop);
    }
    m_session.reset();
    m_shortSession.reset();
}

} // namespace assay
