#include "core/base/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay {

namespace {

constexpr int kNiceness = 5;

} // namespace

void yieldToInteractiveThreads()
{
    // On Linux niceness belongs to a thread, not to the process, and is inherited by threads it starts: the
    // pool that libtorch computes with is started by the first thread that needs it.
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    if (::getpriority(PRIO_PROCESS, thread) < kNiceness)
        (void)::setpriority(PRIO_PROCESS, thread, kNiceness);
    const sched_param parameters{};
    (void)::sched_setscheduler(static_cast<pid_t>(thread), SCHED_BATCH, &parameters);
}

} // namespace assay
