#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace assay {

/// One row of a file, whatever the file is: the text of a JSON value.
struct Row
{
    std::string_view json;      ///< lives until the source is asked again; empty with a fault
    std::int64_t number = 0;    ///< 0-based
    std::int64_t line = 0;      ///< 1-based line it begins on; 0 = not known
    std::int64_t offset = -1;   ///< of `json` in the file as it lies on disk; -1 = not there in one piece
    std::optional<Error> fault; ///< why there is no text: the row alone is at fault, the next one may be fine
};

/// How rows are read.
struct RowOptions
{
    std::size_t maximumRowBytes = std::size_t{16} << 20; ///< a longer row is a fault
    std::stop_token stop = {};
};

/// The rows of one file in order. One piece is in memory at a time, however large the file.
class RowSource
{
public:
    virtual ~RowSource() = default;
    /// The next row, none at the end. Errors end the file: Io, BadData (damaged, no rows of this kind),
    /// Cancelled.
    virtual Result<std::optional<Row>> next() = 0;
    /// What the file is, as people call it: "JSON lines".
    virtual std::string_view container() const = 0;
    /// Whether one row that is no JSON says nothing about the others; not so inside one JSON document.
    virtual bool rowsStandAlone() const { return true; }
    /// How far reading is, in [0, 1].
    virtual double share() const = 0;
};

using RowSourcePtr = std::unique_ptr<RowSource>;

/// Opens a file of rows; its content decides what it is, its name only where content leaves a choice (a CSV
/// file may look like anything). Packed files (gzip, zstd) are unpacked on the way.
/// Errors: NotFound, Io, Usage (a folder), BadData, Unsupported.
Result<RowSourcePtr> openRowSource(const std::filesystem::path& path, const RowOptions& options = {});

} // namespace assay
