#pragma once

#include "core/data/formats/json_rows.h"

#include <string_view>
#include <vector>

namespace assay {

/// A format of JSON rows, told apart from others by the keys of its first row.
class JsonFormat : public DatasetFormat
{
public:
    JsonFormat(std::string_view id, std::string_view title, std::vector<std::string_view> keys,
               JsonRowReader read, JsonRowFault fault = nullptr);
    /// For columns that have had several names.
    JsonFormat(std::string_view id, std::string_view title, JsonRowReader read,
               std::vector<std::vector<std::string_view>> spellings);

    /// For rows that make several examples; `looksLikeIt` sees the beginning of the file.
    JsonFormat(std::string_view id, std::string_view title, JsonRowsReader read,
               bool (*looksLikeIt)(std::string_view head));
    /// The same, told apart by the keys of the first row.
    JsonFormat(std::string_view id, std::string_view title, std::vector<std::string_view> keys,
               JsonRowsReader read);

    std::string_view id() const override { return m_id; }
    std::string_view title() const override { return m_title; }
    bool sniff(const std::filesystem::path& path, std::string_view head) const override;
    Result<DatasetPtr> open(const std::filesystem::path& path, const OpenOptions& options) const override;
    /// One row from its JSON text, without source and row number. Errors: BadData; Unsupported where rows
    /// hold several examples.
    Result<Example> readRow(std::string_view json) const;

private:
    std::string_view m_id;
    std::string_view m_title;
    std::vector<std::vector<std::string_view>> m_spellings; ///< all keys of one of them must be there
    JsonRowReader m_read = nullptr;
    JsonRowsReader m_readSeveral = nullptr; ///< instead of m_read
    bool (*m_sniff)(std::string_view head) = nullptr;
    JsonRowFault m_fault = nullptr;
};

} // namespace assay
