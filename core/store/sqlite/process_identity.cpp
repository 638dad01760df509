#include "core/store/sqlite/process_identity.h"

#include "core/base/clock.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace assay {

namespace {

constexpr std::int64_t kSilenceMilliseconds = 3'600'000;

/// Field 22 of /proc/PID/stat, 0 when there is no such process. A zombie counts as gone.
std::int64_t startOf(std::int64_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(file, line))
        return 0;
    // The name in parentheses may hold spaces and parentheses: count fields from its end.
    const auto end = line.rfind(')');
    if (end == std::string::npos)
        return 0;
    std::istringstream fields(line.substr(end + 1));
    std::string field;
    for (int number = 3; number <= 22 && fields >> field; ++number) {
        if (number == 3 && (field == "Z" || field == "X"))
            return 0;
        if (number == 22)
            return std::strtoll(field.c_str(), nullptr, 10);
    }
    return 0;
}

std::string hostName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string bootId()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

} // namespace

ProcessIdentity thisProcess()
{
    const auto process = static_cast<std::int64_t>(::getpid());
    return {hostName(), bootId(), process, startOf(process)};
}

Liveness liveness(const ProcessIdentity& process)
{
    // Containers of one machine share its boot id but not its process numbers: the host name must fit as
    // well.
    if (process.host != hostName())
        return Liveness::Unknown;
    if (process.bootId != bootId())
        return Liveness::Gone;
    const std::int64_t start = startOf(process.process);
    return start != 0 && start == process.start ? Liveness::Alive : Liveness::Gone;
}

bool isGone(const ProcessIdentity& process, std::int64_t heartbeatMilliseconds)
{
    const auto state = liveness(process);
    return state == Liveness::Gone ||
           (state == Liveness::Unknown && nowMilliseconds() - heartbeatMilliseconds > kSilenceMilliseconds);
}

bool processRuns(std::int64_t process)
{
    return startOf(process) != 0;
}

} // namespace assay
