#pragma once

#include "core/base/result.h"
#include "core/files/input_file.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace assay {

/// Bytes of an (unpacked) text file one by one and in runs, with one buffer of memory. A byte order mark at
/// the start is passed over.
class TextReader
{
public:
    TextReader(InputFile file, std::stop_token stop);

    /// What is buffered; empty at the end of the file, and after a fault or a stop (see `status`).
    std::string_view buffered();
    /// The next byte without taking it; -1 where `buffered` is empty.
    int peek();
    /// Takes bytes of what is buffered.
    void take(std::size_t bytes) { m_begin += bytes; }
    /// Bytes of the unpacked text before the next one.
    std::int64_t position() const { return m_before + static_cast<std::int64_t>(m_begin); }

    /// Io and BadData of the file; Cancelled.
    const Status& status() const { return m_status; }
    const InputFile& file() const { return m_file; }
    /// From the first byte again. Errors: Io.
    Status rewind();

private:
    void fill();

    InputFile m_file;
    std::stop_token m_stop;
    Status m_status;
    std::string m_buffer;
    std::size_t m_begin = 0, m_end = 0;
    std::int64_t m_before = 0; ///< bytes before the buffer
};

} // namespace assay
