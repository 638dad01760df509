#pragma once

namespace assay {

/// Stop signals for a poll loop: while it lives, SIGINT, SIGTERM and SIGHUP do not end the process but make a
/// descriptor readable. Make it before any other thread: threads inherit the blocked signals.
class StopDescriptor
{
public:
    StopDescriptor();
    ~StopDescriptor();
    StopDescriptor(const StopDescriptor&) = delete;
    StopDescriptor& operator=(const StopDescriptor&) = delete;

    /// To be polled for reading; -1 when the system has none.
    int descriptor() const { return m_descriptor; }

private:
    int m_descriptor = -1;
};

} // namespace assay
