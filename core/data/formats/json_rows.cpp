#include "core/data/formats/json_rows.h"

#include "core/data/stream/streamed_dataset.h"
#include "core/files/input_file.h"

#include <utility>

namespace assay {

namespace {

Error placedAt(const std::filesystem::path& path, Error error)
{
    if (error.where.empty())
        error.where = path.string();
    return error;
}

/// A file that is one JSON document is none when one row of it is none.
Error notTheDocument(const Row& row, const Error& fault)
{
    return {ErrorCode::BadData, "row " + std::to_string(row.number + 1) + ", which begins on line " +
                                    std::to_string(row.line) + ": " + fault.message};
}

} // namespace

Status readJsonRows(const std::filesystem::path& path, const RowOptions& options, const JsonRowVisitor& visit)
{
    TRY(const auto source, openRowSource(path, options));
    JsonParser parser;
    for (;;) {
        const auto row = source->next();
        if (!row.ok())
            return placedAt(path, row.error());
        if (!*row)
            return {};
        const Row& found = **row;
        const auto value =
            found.fault ? Result<simdjson::dom::element>(*found.fault) : parser.parse(found.json);
        if (!value.ok() && !found.fault && !source->rowsStandAlone())
            return placedAt(path, notTheDocument(found, value.error()));
        if (!visit(found.number, found.line, value))
            return {};
    }
}

namespace {

/// Makes the examples of one row of the file `path`. `read`: object -> examples; `fault`: object ->
/// RowProblem, of a refused one.
MadeRow makeRow(const Row& row, const std::string& path, bool standsAlone, const auto& read,
                const auto& fault)
{
    thread_local JsonParser parser;
    MadeRow made;
    const auto refuse = [&](std::string message, RowProblem problem = {}) {
        problem.source = path;
        problem.row = row.number;
        problem.line = row.line;
        problem.message = std::move(message);
        made.problem = std::move(problem);
        return made;
    };
    const auto value = row.fault ? Result<simdjson::dom::element>(*row.fault) : parser.parse(row.json);
    if (!value.ok() && !row.fault && !standsAlone)
        made.fileError = notTheDocument(row, value.error());
    if (!value.ok())
        return refuse(value.error().message);
    simdjson::dom::object object;
    if (value->get(object) != simdjson::SUCCESS)
        return refuse("the row is " + jsonTypeName(*value) + ", not an object");
    auto examples = read(object);
    if (!examples.ok())
        return refuse(examples.error().message, fault(object));
    made.examples = std::move(*examples);
    for (auto& example : made.examples) {
        example.source = path;
        example.row += row.number;
        identify(example);
    }
    return made;
}

/// The rows of a file that fits in memory.
Result<DatasetPtr> readIntoMemory(RowSource& source, const RowMaker& make, std::int64_t maximumRows,
                                  const std::function<void(double)>& progress)
{
    std::vector<Example> examples;
    std::vector<RowProblem> problems;
    const auto full = [&] {
        return maximumRows > 0 && std::ssize(examples) + std::ssize(problems) >= maximumRows;
    };
    TRY_STATUS(makeRows(source, make, [&](MadeRow row) -> Result<bool> {
        if (full())
            return false;
        if (row.problem)
            problems.push_back(std::move(*row.problem));
        for (auto& example : row.examples)
            if (!full())
                examples.push_back(std::move(example));
        if (progress)
            progress(row.share);
        return true;
    }));
    return DatasetPtr(std::make_shared<MemoryDataset>(std::move(examples), std::move(problems)));
}

/// Packed text grows about as much.
constexpr std::uintmax_t kUnpackedShare = 8;

bool fitsInMemory(const std::filesystem::path& path, const OpenOptions& options)
{
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(path, unknown);
    const auto file = InputFile::open(path);
    const bool packed = file.ok() && file->packing() != Packing::None;
    return unknown || bytes * (packed ? kUnpackedShare : 1) <= options.memoryBytes;
}

Result<DatasetPtr> openRows(const std::filesystem::path& path, const OpenOptions& options, const auto& read,
                            const auto& fault)
{
    TRY(const auto source, openRowSource(path, {.stop = options.stop}));
    const RowMaker make = [name = path.string(), standAlone = source->rowsStandAlone(), read,
                           fault](const Row& row) { return makeRow(row, name, standAlone, read, fault); };
    auto dataset = fitsInMemory(path, options)
                       ? readIntoMemory(*source, make, options.maximumRows, options.progress)
                       : StreamedDataset::open(*source, {path, make, options.maximumRows,
                                                         options.scratchFolder, options.progress});
    if (!dataset.ok())
        return placedAt(path, dataset.error());
    if ((*dataset)->size() == 0 && (*dataset)->problems().empty())
        return Error{ErrorCode::BadData, "there are no rows", path.string(), ""};
    return dataset;
}

} // namespace

Result<DatasetPtr> openJsonRows(const std::filesystem::path& path, const OpenOptions& options,
                                JsonRowReader read, JsonRowFault fault)
{
    const auto one = [read](const simdjson::dom::object& row) -> Result<std::vector<Example>> {
        std::vector<Example> examples(1);
        TRY(examples.front(), read(row));
        return examples;
    };
    const auto faultOf = [fault](const simdjson::dom::object& row) {
        return fault ? fault(row) : RowProblem{};
    };
    return openRows(path, options, one, faultOf);
}

Result<DatasetPtr> openJsonRows(const std::filesystem::path& path, const OpenOptions& options,
                                JsonRowsReader read)
{
    return openRows(path, options, read, [](const simdjson::dom::object&) { return RowProblem{}; });
}

std::string jsonTypeName(const simdjson::dom::element& value)
{
    switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
        return "a list";
    case simdjson::dom::element_type::OBJECT:
        return "an object";
    case simdjson::dom::element_type::STRING:
        return "a text";
    case simdjson::dom::element_type::BOOL:
        return "true or false";
    case simdjson::dom::element_type::NULL_VALUE:
        return "null";
    default:
        return "a number";
    }
}

std::vector<std::string> firstKeys(std::string_view head)
{
    // Rows in an array lie one level deeper than rows on lines.
    const int rowDepth = head.find('[') < head.find('{') ? 2 : 1;
    std::vector<std::string> keys;
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
        const char c = head[i];
        if (c == '"') {
            text.clear();
            for (++i; i < head.size() && head[i] != '"'; ++i) {
                if (head[i] == '\\')
                    ++i;
                else
                    text += head[i];
            }
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (--depth < rowDepth)
                break;
        } else if (c == ':' && depth == rowDepth) {
            keys.push_back(text);
        }
    }
    return keys;
}

} // namespace assay
