#include "ui/threads/store_writer.h"

#include <utility>

namespace assay {

StoreWriter::StoreWriter(StorePlace place)
    : m_place(std::move(place))
    , m_thread([this] { loop(); })
{}

StoreWriter::~StoreWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void StoreWriter::post(Job job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }
    m_wake.notify_all();
}

Result<RunEditor*> StoreWriter::editor()
{
    if (!m_editor) {
        TRY(m_editor, RunEditor::open(m_place));
    }
    return m_editor.get();
}

void StoreWriter::loop()
{
    while (true) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_quit || !m_jobs.empty(); });
            if (m_jobs.empty())
                return;
            job = std::move(m_jobs.front());
            m_jobs.pop_front();
        }
        job(editor());
    }
}

} // namespace assay
