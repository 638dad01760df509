#pragma once

#include <chrono>
#include <cstdint>

namespace assay {

/// Milliseconds since 1970-01-01 UTC, as every *_ms column has them. Durations come from the monotonic clock.
inline std::int64_t nowMilliseconds()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace assay
