#pragma once

namespace assay {

/// Makes the calling thread, and every thread it starts from now on, yield to threads that people wait for:
/// nice 5 and SCHED_BATCH. Never fails; where the system refuses, nothing changes.
void yieldToInteractiveThreads();

} // namespace assay
