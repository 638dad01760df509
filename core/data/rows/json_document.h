#pragma once

#include "core/data/rows/row_source.h"

namespace assay {

/// A file that is one row: a JSON object over several lines.
class JsonDocument : public RowSource
{
public:
    explicit JsonDocument(std::string text)
        : m_text(std::move(text))
    {}
    Result<std::optional<Row>> next() override
    {
        if (m_read)
            return std::optional<Row>();
        m_read = true;
        return std::optional(Row{.json = m_text, .line = 1});
    }
    std::string_view container() const override { return "JSON object"; }
    double share() const override { return m_read ? 1.0 : 0.0; }

private:
    std::string m_text;
    bool m_read = false;
};

} // namespace assay
