#include "core/data/rows/json_list.h"

#include "core/data/rows/row_faults.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

namespace {

/// Finds where a JSON value ends, without looking at what stands inside.
class ElementEnd
{
public:
    /// How many bytes of `piece` belong to the value; fewer than all when it has ended.
    std::size_t pass(std::string_view piece)
    {
        for (std::size_t i = 0; i < piece.size(); ++i)
            if (isEnd(piece[i]))
                return i;
        return piece.size();
    }

private:
    bool isEnd(char c)
    {
        if (m_inText) {
            if (m_escaped)
                m_escaped = false;
            else if (c == '\\')
                m_escaped = true;
            else if (c == '"')
                m_inText = false;
            return false;
        }
        switch (c) {
        case '"':
            m_inText = true;
            return false;
        case '[':
        case '{':
            ++m_depth;
            return false;
        case ']':
        case '}':
            return m_depth-- == 0;
        case ',':
            return m_depth == 0;
        default:
            return false;
        }
    }

    bool m_inText = false, m_escaped = false;
    std::int64_t m_depth = 0;
};

} // namespace

Error JsonList::fault(std::string_view reason) const
{
    return {ErrorCode::BadData,
            fmt::format("not valid JSON: {} (line {}, byte {})", reason, m_line, m_reader.position() + 1), "",
            ""};
}

int JsonList::skipBlanks()
{
    for (;;) {
        const int c = m_reader.peek();
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return c;
        m_line += c == '\n' ? 1 : 0;
        m_reader.take(1);
    }
}

Result<std::size_t> JsonList::readElement()
{
    m_text.clear();
    ElementEnd end;
    std::size_t bytes = 0;
    for (;;) {
        const auto piece = m_reader.buffered();
        TRY_STATUS(m_reader.status());
        if (piece.empty())
            return fault("the file ends inside the list");
        const auto size = end.pass(piece);
        bytes += size;
        m_line += std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size), '\n');
        if (bytes <= m_maximumBytes)
            m_text.append(piece.substr(0, size));
        const bool ended = size < piece.size();
        m_reader.take(size);
        if (ended)
            return bytes;
    }
}

Result<std::optional<Row>> JsonList::next()
{
    if (m_ended)
        return std::optional<Row>();
    const int separator = skipBlanks();
    TRY_STATUS(m_reader.status());
    const bool first = m_row == 0;
    if (separator < 0)
        return fault("the file ends inside the list");
    const bool closes = separator == ']' && !first;
    if (!closes) {
        if (separator != (first ? '[' : ','))
            return fault("a comma or the end of the list is missing");
        m_reader.take(1);
    }
    const int c = closes ? separator : skipBlanks();
    TRY_STATUS(m_reader.status());
    if (c == ']') {
        if (!closes && !first)
            return fault("a comma stands before the end of the list");
        m_reader.take(1);
        const int after = skipBlanks();
        TRY_STATUS(m_reader.status());
        if (after >= 0)
            return fault("there is more behind the end of the list");
        m_ended = true;
        return std::optional<Row>();
    }
    const auto line = m_line, offset = m_reader.position();
    TRY(const auto bytes, readElement());
    Row row{.number = m_row++, .line = line};
    if (bytes > m_maximumBytes) {
        row.fault = tooLongRow("row", bytes, m_maximumBytes);
    } else if (isBlank(m_text)) {
        return fault("a row is missing");
    } else {
        row.json = m_text;
        row.offset = m_reader.file().packing() == Packing::None ? offset : -1;
    }
    return std::optional(std::move(row));
}

} // namespace assay
