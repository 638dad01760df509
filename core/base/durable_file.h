#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Whole content of a file. Errors: NotFound, Io; `maximumBytes` guards against absurd sizes.
Result<std::string> readFile(const std::filesystem::path& path,
                             std::uintmax_t maximumBytes = std::uintmax_t{1} << 34);

/// Writes a file so that after a power cut either the old or the new content is there: temporary name in the
/// same folder, every short write checked, fsync of the file, rename, fsync of the folder. Mode 0600.
Status writeDurably(const std::filesystem::path& path, std::string_view bytes);
/// The same from several parts in order, so that large tensors need not be copied together first.
Status writeDurably(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Writes and fsyncs, without the rename: for files inside a folder that is itself renamed afterwards.
Status writeAndSync(const std::filesystem::path& path, std::string_view bytes);
Status writeAndSync(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Renames a fully written temporary folder (or file) to its final name and fsyncs both parents.
Status renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Names of everything in a folder. Errors: NotFound, Io.
Result<std::set<std::string>> namesIn(const std::filesystem::path& folder);

Status syncDirectory(const std::filesystem::path& directory);
/// fsync of a file that something else wrote. Errors: Io.
Status syncFile(const std::filesystem::path& path);

/// Creates the folder and its parents with mode 0700.
Status createDirectories(const std::filesystem::path& directory);

} // namespace assay
