#include "app/process/stop_signals.h"

#include "app/output.h"

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace assay {

namespace {

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    return signals;
}

/// Ends the process by the signal itself, so that the caller's shell sees why.
void dieBy(int number)
{
    std::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    std::raise(number);
}

} // namespace

void StopSignals::wait(const std::stop_token& end)
{
    const auto signals = stopSignals();
    const timespec poll{0, 100'000'000};
    int interrupts = 0;
    while (!end.stop_requested()) {
        const int number = sigtimedwait(&signals, nullptr, &poll);
        if (number < 0)
            continue;
        if (number == SIGINT && ++interrupts == 2)
            dieBy(SIGINT);
        if (m_stop.request_stop())
            printNote(m_runBegan
                          ? "\nStopping after this micro-batch; the run is saved. Ctrl+C once more ends "
                            "at once, unsaved."
                          : "\nStopping; nothing is saved yet. Ctrl+C once more ends at once.");
    }
}

StopSignals::StopSignals()
{
    const auto signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_thread = std::jthread([this](const std::stop_token& end) { wait(end); });
}

StopSignals::~StopSignals()
{
    m_thread.request_stop();
    m_thread.join();
    const auto signals = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace assay
