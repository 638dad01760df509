#pragma once

#include "core/store/run_store.h"

#include <QTemporaryDir>

#include <memory>
#include <string>

namespace assay::tests {

/// A run store in a folder of its own, with the writer open; what store tests start from.
class TemporaryRunStore
{
protected:
    /// A new folder and a new writer. Errors as RunWriter::open.
    Status openStore()
    {
        m_reader.reset();
        m_writer.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        m_place.folder = std::filesystem::path(m_folder->path().toStdString()) / "store";
        TRY(m_writer, RunWriter::open(m_place));
        return {};
    }

    RunId begin(const std::string& name)
    {
        NewRun run;
        run.name = name;
        run.configJson = "{}";
        return m_writer->beginRun(run).value();
    }

    RunReader& reader()
    {
        if (!m_reader)
            m_reader = RunReader::open(m_place).value();
        return *m_reader;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    StorePlace m_place;
    std::unique_ptr<RunWriter> m_writer;
    std::unique_ptr<RunReader> m_reader;
};

} // namespace assay::tests
