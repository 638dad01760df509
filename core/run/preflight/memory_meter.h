#pragma once

#include "core/run/compute.h"

#include <cstdint>
#include <memory>

namespace assay {

/// Counts the tensor memory that the creating thread (and what it starts) takes and gives back on a device
/// while the meter lives. Tensors that are made under a meter must be gone before it.
class MemoryMeter
{
public:
    explicit MemoryMeter(at::Device device);
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::int64_t currentBytes() const;
    /// The most that was held at once since the last `resetPeak`.
    std::int64_t peakBytes() const;
    void resetPeak();

private:
    class Recorder;
    struct Guard;
    std::shared_ptr<Recorder> m_recorder;
    std::unique_ptr<Guard> m_guard;
};

/// Memory of a device in bytes; 0 = not known. Of the processor: what the system could still hand out, within
/// the limit of the control group.
struct DeviceMemory
{
    std::int64_t available = 0, total = 0;
};
DeviceMemory deviceMemory(at::Device device);

} // namespace assay
