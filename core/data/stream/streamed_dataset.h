#pragma once

#include "core/data/stream/made_rows.h"
#include "core/data/stream/row_table.h"
#include "core/files/random_access_file.h"

#include <exception>
#include <optional>

namespace assay {

/// Thrown by `Dataset::at` and `key` when a row that was there can no longer be read: its file changed, or
/// the disk failed. Nothing below the run or the window catches it.
class RowUnreadable : public std::exception
{
public:
    explicit RowUnreadable(Error error)
        : m_error(std::move(error))
        , m_text(m_error.text())
    {}
    const Error& error() const { return m_error; }
    const char* what() const noexcept override { return m_text.c_str(); }

private:
    Error m_error;
    std::string m_text;
};

/// The row, or why it can no longer be read.
Result<Example> readExample(const Dataset& dataset, std::int64_t index);

/// Rows that stay on disk. Their places are found in one pass; a row is read and made again when it is asked
/// for, and compared with the id that it had then.
class StreamedDataset : public Dataset
{
public:
    /// What a pass over a file needs to know about it.
    struct Input
    {
        std::filesystem::path path;
        RowMaker make;
        std::int64_t maximumRows = 0;        ///< examples and refused rows together; 0 = all
        std::filesystem::path scratchFolder; ///< empty = ScratchFile's own
        std::function<void(double share)> progress;
    };

    /// Reads `source` to its end. Rows that do not lie in their file as text (it is packed, or no text at
    /// all) are written into a scratch file. Errors: of the source; Io.
    static Result<DatasetPtr> open(RowSource& source, Input input);

    std::int64_t size() const override { return m_table.size(); }
    Example at(std::int64_t index) const override;
    RowKey key(std::int64_t index) const override;
    const std::vector<RowProblem>& problems() const override { return m_problems; }

private:
    StreamedDataset(Input input, RandomAccessFile file, RowTable table)
        : m_input(std::move(input))
        , m_file(std::move(file))
        , m_table(std::move(table))
    {}

    Status add(MadeRow row);
    Result<Example> read(std::int64_t index) const;

    Input m_input;
    RandomAccessFile m_file;
    std::optional<ScratchFile> m_copy; ///< where the file itself does not have the rows
    RowTable m_table;
    std::vector<RowProblem> m_problems;
};

} // namespace assay
