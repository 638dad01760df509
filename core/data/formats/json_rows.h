#pragma once

#include "core/base/result.h"
#include "core/data/example.h"
#include "core/data/format.h"
#include "core/data/rows/json_parser.h"
#include "core/data/rows/row_source.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Called for every row with its 0-based number, its 1-based line (0 = not known) and its value or why there
/// is none. Returns false to stop.
using JsonRowVisitor =
    std::function<bool(std::int64_t row, std::int64_t line, const Result<simdjson::dom::element>& value)>;

/// Reads the rows of any container (see row_source.h) as JSON values. Errors: as openRowSource; BadData where
/// a file that is one JSON document is none; Cancelled.
Status readJsonRows(const std::filesystem::path& path, const RowOptions& options,
                    const JsonRowVisitor& visit);

/// Makes an example of one row. Errors: BadData with what is wrong, in which field.
using JsonRowReader = Result<Example> (*)(const simdjson::dom::object& row);

/// Makes any number of examples of one row: files keep several solutions, or the branches of a tree,
/// together. `Example::row` counts within the row where the row is a file of its own (0 otherwise).
using JsonRowsReader = Result<std::vector<Example>> (*)(const simdjson::dom::object& row);

/// Says of a refused row what kind of fault it has: `kind`, `step`, `values` and counts of the problem.
using JsonRowFault = RowProblem (*)(const simdjson::dom::object& row);

/// Reads a file of rows; refused rows become problems, so the set may be empty and yet say why.
/// Errors: as `readJsonRows`, BadData when there is no row at all, and Cancelled.
Result<DatasetPtr> openJsonRows(const std::filesystem::path& path, const OpenOptions& options,
                                JsonRowReader read, JsonRowFault fault = nullptr);
Result<DatasetPtr> openJsonRows(const std::filesystem::path& path, const OpenOptions& options,
                                JsonRowsReader read);

/// "a number", "a list", ...: what a value is, for messages.
std::string jsonTypeName(const simdjson::dom::element& value);

/// Keys of the first object in `head`, which may end anywhere.
std::vector<std::string> firstKeys(std::string_view head);

} // namespace assay
