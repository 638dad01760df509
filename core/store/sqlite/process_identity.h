#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// Names one process so that it cannot be mistaken for a later one with the same number.
struct ProcessIdentity
{
    std::string host;
    std::string bootId; ///< changes with every start of the machine
    std::int64_t process = 0;
    std::int64_t start = 0; ///< clock ticks after boot, from /proc/PID/stat; 0 = unknown

    bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity thisProcess();

enum class Liveness { Alive, Gone, Unknown };

/// Whether the process still runs. Unknown when it was on another host: nobody here can say.
Liveness liveness(const ProcessIdentity& process);

/// Whether nobody writes a run any more: its process is gone, or it was on another host and has been silent
/// for an hour. `heartbeatMilliseconds`: its last sign of life.
bool isGone(const ProcessIdentity& process, std::int64_t heartbeatMilliseconds);
/// Whether a process of this number runs on this machine, whoever it is.
bool processRuns(std::int64_t process);

} // namespace assay
