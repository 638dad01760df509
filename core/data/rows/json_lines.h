#pragma once

#include "core/data/rows/row_source.h"
#include "core/data/rows/text_reader.h"

namespace assay {

/// One row a line; blank lines and CRLF are fine.
class JsonLines : public RowSource
{
public:
    JsonLines(TextReader reader, const RowOptions& options)
        : m_reader(std::move(reader))
        , m_maximumBytes(options.maximumRowBytes)
    {}
    Result<std::optional<Row>> next() override;
    std::string_view container() const override { return "JSON lines"; }
    double share() const override { return m_reader.file().share(); }

private:
    TextReader m_reader;
    std::size_t m_maximumBytes;
    std::string m_text;
    std::int64_t m_row = 0, m_line = 0;
};

} // namespace assay
