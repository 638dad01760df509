#include "core/data/formats/builtin.h"

#include "core/data/formats/json_format.h"
#include "core/data/formats/json_rows.h"
#include "core/data/row_reader.h"
#include "core/data/views.h"
#include "core/files/input_file.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = std::size_t{4} << 20;

std::string idsOfAll()
{
    std::string ids;
    for (const auto* format : datasetFormats())
        ids += (ids.empty() ? "" : ", ") + std::string(format->id());
    return ids;
}

Result<std::string> readHead(const fs::path& path)
{
    TRY(auto file, InputFile::open(path));
    std::string head(kHeadBytes, '\0');
    TRY(const auto size, file.read(head));
    head.resize(size);
    return head;
}

/// `rows.jsonl`, `rows.json`, or either packed as `.gz` or `.zst`.
bool isDataFile(const fs::path& path)
{
    const auto extension =
        (path.extension() == ".gz" || path.extension() == ".zst" ? path.stem() : path).extension();
    return extension == ".jsonl" || extension == ".json";
}

Error noFormatFits(std::string_view head, const std::string& where)
{
    std::string columns;
    for (const auto& key : firstKeys(head))
        columns += (columns.empty() ? "" : ", ") + key.substr(0, 40);
    return {ErrorCode::Unsupported,
            "no format fits; the first row has " +
                (columns.empty() ? "no columns" : "the columns " + columns),
            where, "Known formats: " + idsOfAll()};
}

/// What is wrong with a file whose first row is no object, whatever its format. Errors: BadData.
Status checkFirstRow(const fs::path& path)
{
    Status status = Error{ErrorCode::BadData, "there are no rows in the file", path.string(), ""};
    TRY_STATUS(readJsonRows(path, {}, [&](std::int64_t, std::int64_t line, const auto& value) {
        const auto place = line > 0 ? "line " + std::to_string(line) : std::string("the first row");
        if (!value.ok())
            status = Error{ErrorCode::BadData, place + ": " + value.error().message, path.string(), ""};
        else if (!value.value().is_object())
            status =
                Error{ErrorCode::BadData, place + " is " + jsonTypeName(value.value()) + ", not an object",
                      path.string(), "Write one JSON object a row"};
        else
            status = {};
        return false;
    }));
    return status;
}

Result<const DatasetFormat*> formatOf(const fs::path& path)
{
    TRY(const auto head, readHead(path));
    for (const auto* format : datasetFormats())
        if (format->sniff(path, head))
            return format;
    // What is no JSON at all says so better than a list of columns could.
    TRY_STATUS(checkFirstRow(path));
    return noFormatFits(head, path.string());
}

Result<const DatasetFormat*> formatNamed(std::string_view id, const std::string& where)
{
    for (const auto* format : datasetFormats())
        if (format->id() == id)
            return format;
    return Error{ErrorCode::Usage, "unknown format " + std::string(id), where,
                 "Known formats: " + idsOfAll()};
}

/// Data files of a folder by name; hidden files and other kinds are left alone.
std::vector<fs::path> dataFiles(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.is_regular_file(ignored) && isDataFile(entry.path()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// What `path` is when it is neither a file nor a folder.
std::string_view kindOf(fs::file_type type)
{
    switch (type) {
    case fs::file_type::fifo:
        return "a pipe";
    case fs::file_type::socket:
        return "a socket";
    case fs::file_type::character:
    case fs::file_type::block:
        return "a device";
    default:
        return "something else";
    }
}

/// A pipe or a device may hold its reader for ever, and rows are read more than once. Errors: NotFound, Io,
/// Usage.
Status checkReadable(const fs::path& path)
{
    std::error_code error;
    const auto type = fs::status(path, error).type();
    if (type == fs::file_type::not_found)
        return Error{ErrorCode::NotFound, "no such file or folder", path.string(), ""};
    if (type == fs::file_type::none || type == fs::file_type::unknown)
        return Error{ErrorCode::Io, "cannot open: " + error.message(), path.string(), ""};
    if (type != fs::file_type::regular && type != fs::file_type::directory)
        return Error{ErrorCode::Usage,
                     "is " + std::string(kindOf(type)) + ", a file or a folder was expected", path.string(),
                     "Write the rows to a file first: they are read more than once"};
    return {};
}

Result<DatasetPtr> openFile(const fs::path& path, const OpenOptions& options)
{
    if (options.format.empty() || options.format == "auto") {
        TRY(const auto* format, formatOf(path));
        return format->open(path, options);
    }
    TRY(const auto* format, formatNamed(options.format, path.string()));
    return format->open(path, options);
}

} // namespace

std::span<const DatasetFormat* const> datasetFormats()
{
    static const std::array kFormats{&stepwiseFormat(),
                                     &stepwiseTokenisedFormat(),
                                     &bigbenchMistakeFormat(),
                                     &processBenchFormat(),
                                     &prmBenchFormat(),
                                     &mathShepherdFormat(),
                                     &openRFormat(),
                                     &prm800kFormat(),
                                     &versaPrmFormat(),
                                     &mathApsFormat(),
                                     &mrBenFormat(),
                                     &demoRecipeFormat(),
                                     &preferenceTokenisedFormat(),
                                     &preferenceFormat()};
    return kFormats;
}

Result<DatasetPtr> openDataset(const fs::path& path, const OpenOptions& options)
{
    TRY_STATUS(checkReadable(path));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return openFile(path, options);
    std::vector<DatasetPtr> parts;
    auto left = options;
    for (const auto& file : dataFiles(path)) {
        TRY(auto part, openFile(file, left));
        const auto rows = part->size() + static_cast<std::int64_t>(part->problems().size());
        parts.push_back(std::move(part));
        if (options.maximumRows > 0) {
            left.maximumRows -= rows;
            if (left.maximumRows <= 0)
                break;
        }
    }
    if (parts.empty())
        return Error{ErrorCode::NotFound, "the folder has no .jsonl or .json file (packed or not)",
                     path.string(), ""};
    return concat(std::move(parts));
}

Result<Example> readRow(std::string_view json, std::string_view format)
{
    const DatasetFormat* chosen = nullptr;
    if (!format.empty() && format != "auto") {
        TRY(chosen, formatNamed(format, {}));
    }
    for (const auto* candidate : datasetFormats())
        if (!chosen && candidate->sniff({}, json))
            chosen = candidate;
    if (const auto* rows = dynamic_cast<const JsonFormat*>(chosen))
        return rows->readRow(json);
    if (chosen)
        return Error{ErrorCode::Unsupported,
                     "rows of the format " + std::string(chosen->id()) + " do not stand alone"};
    JsonParser parser;
    TRY(const auto element, parser.parse(json)); // what is no JSON says so better than a list of columns
    return element.is_object() ? noFormatFits(json, {})
                               : Error{ErrorCode::BadData, "the row is no JSON object"};
}

Result<std::string> recogniseFormat(const fs::path& path)
{
    TRY_STATUS(checkReadable(path));
    TRY(const auto* format, formatOf(path));
    return std::string(format->id());
}

} // namespace assay
