#include "core/data/formats/json_rows.h"

#include "core/base/json_fault.h"
#include "core/base/utf8.h"
#include "core/files/foreign_file.h"
#include "core/files/input_file.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace assay {

namespace {

constexpr std::size_t kMaximumLineBytes = std::size_t{16} << 20;
constexpr std::uintmax_t kMaximumDocumentBytes = std::uintmax_t{1} << 30;
constexpr std::size_t kMaximumDepth = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlanks = " \t\r\n";

Error badData(std::string message)
{
    return {ErrorCode::BadData, std::move(message), "", ""};
}

/// Checks what simdjson lets pass: keys that stand twice, and text with half a surrogate pair.
Status checkElement(const simdjson::dom::element& element)
{
    simdjson::dom::array list;
    simdjson::dom::object object;
    std::string_view text;
    if (element.get(list) == simdjson::SUCCESS) {
        for (const auto child : list)
            TRY_STATUS(checkElement(child));
    } else if (element.get(object) == simdjson::SUCCESS) {
        std::vector<std::string_view> keys;
        for (const auto& [key, child] : object) {
            keys.push_back(key);
            if (!isUtf8(key))
                return badData("a key has half a surrogate pair");
            TRY_STATUS(checkElement(child));
        }
        std::sort(keys.begin(), keys.end());
        if (const auto twice = std::adjacent_find(keys.begin(), keys.end()); twice != keys.end())
            return badData("the key " + std::string(twice->substr(0, 40)) + " stands twice in one object");
    } else if (element.get(text) == simdjson::SUCCESS && !isUtf8(text)) {
        return badData("a text has half a surrogate pair");
    }
    return {};
}

std::string reasonOf(simdjson::error_code code, std::string_view json)
{
    if (code == simdjson::DEPTH_ERROR)
        return "nested deeper than " + std::to_string(kMaximumDepth) + " levels";
    if (const auto fault = firstInvalidUtf8(json))
        return "not valid UTF-8 (byte " + std::to_string(*fault + 1) + ")";
    // The parser for speed does not say where; the slow one looks once more.
    const auto fault = jsonFault(json);
    return fault.empty() ? std::string("not valid JSON: ") + simdjson::error_message(code) : fault;
}

struct Line
{
    std::string text;
    std::int64_t number = 0; ///< 1-based
    bool tooLong = false;    ///< the text is not whole
};

/// Lines of a file, without keeping more than one in memory.
class LineReader
{
public:
    explicit LineReader(InputFile& file)
        : m_file(file)
    {}

    /// None at the end, and where reading fails.
    std::optional<Line> next()
    {
        if (m_begin == m_end && !fill())
            return {};
        Line line;
        line.number = ++m_number;
        while (m_begin != m_end || fill()) {
            const auto* start = m_buffer.data() + m_begin;
            const auto* stop = static_cast<const char*>(std::memchr(start, '\n', m_end - m_begin));
            const auto size = stop ? static_cast<std::size_t>(stop - start) : m_end - m_begin;
            line.tooLong = line.tooLong || line.text.size() + size > kMaximumLineBytes;
            if (!line.tooLong)
                line.text.append(start, size);
            m_begin += size + (stop ? 1 : 0);
            if (stop)
                break;
        }
        if (!m_status.ok())
            return {};
        return line;
    }

    const Status& status() const { return m_status; }

private:
    bool fill()
    {
        const auto size = m_file.read(m_buffer);
        if (!size)
            m_status = size.error();
        m_begin = 0;
        m_end = size ? *size : 0;
        return m_end > 0;
    }

    InputFile& m_file;
    Status m_status;
    std::string m_buffer = std::string(1 << 18, '\0');
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::int64_t m_number = 0;
};

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::string_view withoutByteOrderMark(std::string_view text)
{
    return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

/// What the first bytes of a file say about it.
Status checkStart(std::string_view head)
{
    if (head.empty())
        return badData("the file is empty");
    if (auto foreign = foreignFile(head, ErrorCode::BadData))
        return *foreign;
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
        return Error{ErrorCode::Unsupported, "the file is UTF-16", "", "Convert it to UTF-8"};
    const auto first = withoutByteOrderMark(head).find_first_not_of(kBlanks);
    if (first != std::string_view::npos &&
        withoutByteOrderMark(head).substr(first).find('\0') != std::string_view::npos)
        return badData("the file is binary, not JSON");
    return {};
}

/// One document: an array of rows, or a single row.
Status readDocument(InputFile& file, const JsonRowVisitor& visit)
{
    TRY(const auto text, file.readRest(kMaximumDocumentBytes));
    JsonParser parser;
    TRY(const auto document, parser.parse(withoutByteOrderMark(text)));
    simdjson::dom::array rows;
    if (document.get(rows) != simdjson::SUCCESS) {
        visit(0, 1, document);
        return {};
    }
    std::int64_t row = 0;
    for (const auto element : rows)
        if (!visit(row++, 0, element))
            break;
    return {};
}

Status readLines(InputFile& file, const JsonRowVisitor& visit)
{
    JsonParser parser;
    LineReader lines(file);
    std::int64_t row = 0;
    while (const auto line = lines.next()) {
        const auto text = line->number == 1 ? withoutByteOrderMark(line->text) : std::string_view(line->text);
        if (isBlank(text) && !line->tooLong)
            continue;
        auto value = line->tooLong
                         ? Result<simdjson::dom::element>(badData(
                               "the line is longer than " + std::to_string(kMaximumLineBytes) + " bytes"))
                         : parser.parse(text);
        if (!visit(row++, line->number, value))
            break;
    }
    return lines.status();
}

/// Whether the first line that is not blank is a whole JSON value, or at least no start of a longer one.
bool looksLikeLines(InputFile& file)
{
    LineReader lines(file);
    while (const auto line = lines.next()) {
        const auto text = line->number == 1 ? withoutByteOrderMark(line->text) : std::string_view(line->text);
        if (line->tooLong)
            return true;
        if (isBlank(text))
            continue;
        if (text[text.find_first_not_of(kBlanks)] == '[')
            return false;
        JsonParser parser;
        return parser.parse(text).ok();
    }
    return true;
}

} // namespace

JsonParser::JsonParser()
{
    const auto code = m_parser.allocate(1 << 16, kMaximumDepth);
    CHECK(code == simdjson::SUCCESS, simdjson::error_message(code));
}

Result<simdjson::dom::element> JsonParser::parse(std::string_view json)
{
    if (isBlank(json))
        return badData("there is no JSON value");
    m_padded.assign(json);
    m_padded.resize(json.size() + simdjson::SIMDJSON_PADDING);
    simdjson::dom::element element;
    if (const auto code = m_parser.parse(m_padded.data(), json.size(), false).get(element);
        code != simdjson::SUCCESS)
        return badData(reasonOf(code, json));
    if (const auto checked = checkElement(element); !checked.ok()) {
        const auto fault = jsonFault(json); // names the byte, where it finds the fault as well
        return fault.empty() ? checked.error() : badData(fault);
    }
    return element;
}

Status readJsonRows(const std::filesystem::path& path, const JsonRowVisitor& visit)
{
    const auto named = [&path](Error error) {
        error.where = path.string();
        return error;
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return Error{ErrorCode::Usage, "is a folder, a file was expected", path.string(), ""};
    TRY(auto file, InputFile::open(path));
    std::string head(4096, '\0');
    TRY(const auto headBytes, file.read(head));
    head.resize(headBytes);
    if (const auto start = checkStart(head); !start.ok())
        return named(start.error());

    TRY_STATUS(file.rewind());
    const bool lines = looksLikeLines(file);
    TRY_STATUS(file.rewind());
    if (!lines) {
        // A first line that is no value of its own starts an array or an object over several lines, or is
        // broken.
        auto whole = readDocument(file, visit);
        const auto first = withoutByteOrderMark(head).find_first_not_of(kBlanks);
        const bool array = first != std::string_view::npos && withoutByteOrderMark(head)[first] == '[';
        if (whole.ok())
            return whole;
        if (array)
            return named(whole.error());
        TRY_STATUS(file.rewind());
    }
    const auto read = readLines(file, visit);
    return read.ok() ? read : Status(named(read.error()));
}

namespace {

/// `read`: object -> examples; `fault`: object -> RowProblem, of a refused one.
Result<DatasetPtr> openRows(const std::filesystem::path& path, const OpenOptions& options, const auto& read,
                            const auto& fault)
{
    std::vector<Example> examples;
    std::vector<RowProblem> problems;
    std::int64_t seen = 0;
    TRY_STATUS(readJsonRows(path, [&](std::int64_t row, std::int64_t line, const auto& value) {
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
