#include "app/lines/stop_descriptor.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace assay {

namespace {

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&signals, signal);
    return signals;
}

} // namespace

StopDescriptor::StopDescriptor()
{
    const auto signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopDescriptor::~StopDescriptor()
{
    // The signal has done its work; unblocked and pending it would end the process.
    signalfd_siginfo seen{};
    while (::read(m_descriptor, &seen, sizeof(seen)) > 0) {
    }
    ::close(m_descriptor);
    const auto signals = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace assay
