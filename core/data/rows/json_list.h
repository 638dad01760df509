#pragma once

#include "core/data/rows/row_source.h"
#include "core/data/rows/text_reader.h"

namespace assay {

/// The elements of one JSON array, one at a time: the array need not fit in memory.
class JsonList : public RowSource
{
public:
    /// `reader` stands at the start of the file.
    JsonList(TextReader reader, const RowOptions& options)
        : m_reader(std::move(reader))
        , m_maximumBytes(options.maximumRowBytes)
    {}
    Result<std::optional<Row>> next() override;
    std::string_view container() const override { return "JSON array"; }
    bool rowsStandAlone() const override { return false; }
    double share() const override { return m_reader.file().share(); }

private:
    int skipBlanks();
    Result<std::size_t> readElement();
    Error fault(std::string_view reason) const;

    TextReader m_reader;
    std::size_t m_maximumBytes;
    std::string m_text;
    std::int64_t m_row = 0, m_line = 1;
    bool m_ended = false;
};

} // namespace assay
