#pragma once

#include "core/store/run_store.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace assay {

/// A store-writer thread of the window with its own RunEditor: small writes go to the store here, in the
/// order they were posted, never on the GUI thread.
class StoreWriter
{
public:
    /// Called on the writer thread; the error is that of opening the store, which is tried again for every
    /// job.
    using Job = std::function<void(const Result<RunEditor*>&)>;

    explicit StoreWriter(StorePlace place);
    /// Writes what waits, then ends.
    ~StoreWriter();
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;

    void post(Job job);

private:
    void loop();
    Result<RunEditor*> editor();

    StorePlace m_place;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Job> m_jobs;
    bool m_quit = false;
    std::unique_ptr<RunEditor> m_editor; ///< writer thread only
    std::thread m_thread;
};

} // namespace assay
