#include "core/data/rows/row_source.h"

#include "core/data/rows/json_document.h"
#include "core/data/rows/json_lines.h"
#include "core/data/rows/json_list.h"
#include "core/data/rows/json_parser.h"
#include "core/data/rows/row_faults.h"
#include "core/files/foreign_file.h"

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 4096;
/// An object that is a whole file: all of it is one row.
constexpr std::uintmax_t kMaximumDocumentBytes = std::uintmax_t{1} << 30;
/// Lines that are looked at before a file of broken lines is taken for one document.
constexpr int kLinesToTry = 100;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Error badData(std::string message)
{
    return {ErrorCode::BadData, std::move(message), "", ""};
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
    if (head.find('\0') != std::string_view::npos && !isBlank(head))
        return badData("the file is binary, not JSON");
    return {};
}

enum class Shape { Lines, List, Document };

/// A first line that is no value of its own starts a list or an object over several lines, or is broken;
/// broken lines have whole objects after them.
Result<Shape> shapeOf(TextReader& reader, const RowOptions& options)
{
    JsonLines lines(std::move(reader), options);
    JsonParser parser;
    for (int tried = 0; tried < kLinesToTry; ++tried) {
        TRY(const auto row, lines.next());
        if (!row)
            return tried == 0 ? Shape::Lines : Shape::Document;
        if (tried == 0 && row->fault)
            return Shape::Lines;
        if (row->fault)
            continue;
        const auto first = row->json[row->json.find_first_not_of(" \t\r\n")];
        if (tried == 0 && first == '[')
            return Shape::List;
        if ((tried == 0 || row->json.starts_with('{')) && parser.parse(row->json).ok())
            return Shape::Lines;
    }
    return Shape::Document;
}

/// A whole file as one value, where it is one.
std::optional<std::string> wholeDocument(InputFile& file)
{
    auto text = file.readRest(kMaximumDocumentBytes);
    if (!text.ok())
        return std::nullopt;
    std::string document(withoutByteOrderMark(*text));
    JsonParser parser;
    return parser.parse(document).ok() ? std::optional(std::move(document)) : std::nullopt;
}

Result<RowSourcePtr> openText(const fs::path& path, const RowOptions& options)
{
    TRY(auto file, InputFile::open(path));
    std::string head(kHeadBytes, '\0');
    TRY(const auto headBytes, file.read(head));
    head.resize(headBytes);
    TRY_STATUS(checkStart(head));
    TRY_STATUS(file.rewind());
    TextReader trial(std::move(file), options.stop);
    TRY(const auto shape, shapeOf(trial, options));
    const auto fresh = [&] { return InputFile::open(path); };
    if (shape == Shape::Document) {
        TRY(auto whole, fresh());
        if (auto document = wholeDocument(whole))
            return RowSourcePtr(std::make_unique<JsonDocument>(std::move(*document)));
    }
    TRY(auto again, fresh());
    TextReader reader(std::move(again), options.stop);
    return shape == Shape::List ? RowSourcePtr(std::make_unique<JsonList>(std::move(reader), options))
                                : RowSourcePtr(std::make_unique<JsonLines>(std::move(reader), options));
}

} // namespace

Result<RowSourcePtr> openRowSource(const fs::path& path, const RowOptions& options)
{
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        return Error{ErrorCode::Usage, "is a folder, a file was expected", path.string(), ""};
    auto source = openText(path, options);
    if (source.ok())
        return source;
    auto error = source.error();
    if (error.where.empty())
        error.where = path.string();
    return error;
}

} // namespace assay
