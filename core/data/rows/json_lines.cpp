#include "core/data/rows/json_lines.h"

#include "core/data/rows/row_faults.h"

namespace assay {

Result<std::optional<Row>> JsonLines::next()
{
    for (;;) {
        m_text.clear();
        m_reader.peek(); // passes over a byte order mark
        const auto start = m_reader.position();
        std::size_t bytes = 0;
        bool ended = false;
        while (!ended) {
            const auto piece = m_reader.buffered();
            if (piece.empty())
                break;
            const auto stop = piece.find('\n');
            ended = stop != std::string_view::npos;
            const auto size = ended ? stop : piece.size();
            bytes += size;
            if (bytes <= m_maximumBytes)
                m_text.append(piece.substr(0, size));
            m_reader.take(size + (ended ? 1 : 0));
        }
        TRY_STATUS(m_reader.status());
        if (bytes == 0 && !ended)
            return std::optional<Row>();
        ++m_line;
        const bool tooLong = bytes > m_maximumBytes;
        if (!tooLong && isBlank(m_text))
            continue;
        Row row{.number = m_row++, .line = m_line};
        if (tooLong) {
            row.fault = tooLongRow("line", bytes, m_maximumBytes);
        } else {
            row.json = m_text;
            row.offset = m_reader.file().packing() == Packing::None ? start : -1;
        }
        return std::optional(std::move(row));
    }
}

} // namespace assay
