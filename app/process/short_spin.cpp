#include "app/process/short_spin.h"

#include <unistd.h>

#include <cstdlib>

namespace assay {

void restartWithShortSpin(char** words)
{
    // Some ten microseconds: as long as a wake-up costs.
    constexpr const char* kSpins = "10000";
    if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY"))
        return;
    if (::setenv("GOMP_SPINCOUNT", kSpins, 1) == 0)
        ::execv("/proc/self/exe", words);
}

} // namespace assay
