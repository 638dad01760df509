#include "core/run/preflight/memory_meter.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace assay {

namespace {

/// The number in a one-line file such as /sys/fs/cgroup/memory.max; none for "max" or without the file.
std::optional<std::int64_t> numberIn(const char* path)
{
    std::ifstream file(path);
    std::int64_t number = 0;
    if (file >> number)
        return number;
    return std::nullopt;
}

DeviceMemory processorMemory()
{
    DeviceMemory memory;
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    for (std::int64_t kilobytes = 0; info >> key >> kilobytes; std::getline(info, unit)) {
        if (key == "MemTotal:")
            memory.total = kilobytes * 1024;
        if (key == "MemAvailable:")
            memory.available = kilobytes * 1024;
    }
    const auto limit = numberIn("/sys/fs/cgroup/memory.max");
    const auto used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit && used && *limit > 0 && *limit < memory.total) {
        memory.total = *limit;
        memory.available = std::min(memory.available, std::max<std::int64_t>(0, *limit - *used));
    }
    return memory;
}

} // namespace

/// The allocators report every block to the profiler of the thread; this one only adds up.
class MemoryMeter::Recorder : public c10::MemoryReportingInfoBase
{
public:
    explicit Recorder(at::Device device)
        : m_device(device)
    {}

    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override
    {
        if (device.type() != m_device.type())
            return;
        const std::lock_guard lock(m_mutex);
        m_current += bytes;
        m_peak = std::max(m_peak, m_current);
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t current() const
    {
        const std::lock_guard lock(m_mutex);
        return m_current;
    }
    std::int64_t peak() const
    {
        const std::lock_guard lock(m_mutex);
        return m_peak;
    }
    void resetPeak()
    {
        const std::lock_guard lock(m_mutex);
        m_peak = m_current;
    }

private:
    const at::Device m_device;
    mutable std::mutex m_mutex; // the backward pass of an accelerator has a thread of its own
    std::int64_t m_current = 0, m_peak = 0;
};

struct MemoryMeter::Guard
{
    explicit Guard(std::shared_ptr<Recorder> recorder)
        : guard(c10::DebugInfoKind::PROFILER_STATE, std::move(recorder))
    {}
    c10::DebugInfoGuard guard;
};

MemoryMeter::MemoryMeter(at::Device device)
    : m_recorder(std::make_shared<Recorder>(device))
    , m_guard(std::make_unique<Guard>(m_recorder))
{}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::currentBytes() const
{
    return m_recorder->current();
}

std::int64_t MemoryMeter::peakBytes() const
{
    return m_recorder->peak();
}

void MemoryMeter::resetPeak()
{
    m_recorder->resetPeak();
}

DeviceMemory deviceMemory(at::Device device)
{
    if (device.is_cpu())
        return processorMemory();
    const auto [available, total] = at::accelerator::getMemoryInfo(device.index());
    return {static_cast<std::int64_t>(available), static_cast<std::int64_t>(total)};
}

} // namespace assay
