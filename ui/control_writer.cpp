#include "ui/control_writer.h"

#include <utility>

namespace assay {

ControlWriter::ControlWriter(StorePlace place)
    : m_place(std::move(place))
    , m_thread([this] { loop(); })
{}

ControlWriter::~ControlWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void ControlWriter::post(const RunId& run, Control control, Done done)
{
    {
        const std::lock_guard lock(m_mutex);
        m_edits.push_back({run, control, std::move(done)});
    }
    m_wake.notify_all();
}

Status ControlWriter::write(const Edit& edit)
{
    if (!m_editor) {
        TRY(m_editor, RunEditor::open(m_place));
    }
    return m_editor->postControl(edit.run, edit.control);
}

void ControlWriter::loop()
{
    while (true) {
        Edit edit;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_quit || !m_edits.empty(); });
            if (m_edits.empty())
                return;
            edit = std::move(m_edits.front());
            m_edits.pop_front();
        }
        const auto status = write(edit);
        if (edit.done)
            edit.done(status);
    }
}

} // namespace assay
