#include "core/data/formats/json_rows.h"

#include <utility>

namespace assay {

Status readJsonRows(const std::filesystem::path& path, const RowOptions& options, const JsonRowVisitor& visit)
{
    const auto placed = [&path](Error error) {
        if (error.where.empty())
            error.where = path.string();
        return error;
    };
    TRY(const auto source, openRowSource(path, options));
    JsonParser parser;
    for (;;) {
        const auto row = source->next();
        if (!row.ok())
            return placed(row.error());
        if (!*row)
            return {};
        const Row& found = **row;
        const auto value =
            found.fault ? Result<simdjson::dom::element>(*found.fault) : parser.parse(found.json);
        if (!value.ok() && !found.fault && !source->rowsStandAlone())
            return placed({ErrorCode::BadData, "row " + std::to_string(found.number + 1) +
                                                   ", which begins on line " + std::to_string(found.line) +
                                                   ": " + value.error().message});
        if (!visit(found.number, found.line, value))
            return {};
    }
}

namespace {

/// `read`: object -> examples; `fault`: object -> RowProblem, of a refused one.
Result<DatasetPtr> openRows(const std::filesystem::path& path, const OpenOptions& options, const auto& read,
                            const auto& fault)
{
    std::vector<Example> examples;
    std::vector<RowProblem> problems;
    std::int64_t seen = 0;
    TRY_STATUS(readJsonRows(
        path, {.stop = options.stop}, [&](std::int64_t row, std::int64_t line, const auto& value) {
            const auto full = [&] {
                return options.maximumRows > 0 &&
                       std::ssize(examples) + std::ssize(problems) >= options.maximumRows;
            };
            if (options.stop.stop_requested() || full())
                return false;
            ++seen;
            const auto refuse = [&](std::string message, RowProblem problem = {}) {
                problem.source = path.string();
                problem.row = row;
                problem.line = line;
                problem.message = std::move(message);
                problems.push_back(std::move(problem));
                return true;
            };
            if (!value.ok())
                return refuse(value.error().message);
            simdjson::dom::object object;
            if (value.value().get(object) != simdjson::SUCCESS)
                return refuse("the row is " + jsonTypeName(value.value()) + ", not an object");
            auto made = read(object);
            if (!made)
                return refuse(made.error().message, fault(object));
            for (auto& example : made.value()) {
                if (full())
                    break;
                example.source = path.string();
                example.row += row;
                identify(example);
                examples.push_back(std::move(example));
            }
            return true;
        }));
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped while rows were read", path.string(), ""};
    if (seen == 0)
        return Error{ErrorCode::BadData, "there are no rows", path.string(), ""};
    return DatasetPtr(std::make_shared<MemoryDataset>(std::move(examples), std::move(problems)));
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
