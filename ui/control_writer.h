#pragma once

#include "core/store/run_store.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace assay {

/// The store-writer thread of the window: edits go to the store here, never on the GUI thread.
class ControlWriter
{
public:
    using Done = std::function<void(const Status&)>;

    explicit ControlWriter(StorePlace place);
    /// Writes what waits, then ends.
    ~ControlWriter();
    ControlWriter(const ControlWriter&) = delete;
    ControlWriter& operator=(const ControlWriter&) = delete;

    /// `done` is called on the writer thread.
    void post(const RunId& run, Control control, Done done);

private:
    struct Edit
    {
        RunId run;
        Control control = Control::Pause;
        Done done;
    };
    void loop();
    Status write(const Edit& edit);

    StorePlace m_place;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Edit> m_edits;
    bool m_quit = false;
    std::unique_ptr<RunEditor> m_editor; ///< writer thread only
    std::thread m_thread;
};

} // namespace assay
