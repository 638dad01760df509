#pragma once

#include "core/files/input_file.h"

#include <filesystem>
#include <memory>
#include <string>

namespace assay {

/// Plain files and gzip. `path` names a file that can be opened. Errors: NotFound, Io.
Result<std::unique_ptr<InputFile::Stream>> openGzipStream(const std::filesystem::path& path);
/// Zstandard, any number of frames. Errors: NotFound, Io.
Result<std::unique_ptr<InputFile::Stream>> openZstdStream(const std::filesystem::path& path);

/// The error of a failed `open`, from errno.
Error openingFailed(const std::filesystem::path& path);
/// What a packed file that is cut or damaged says.
Error endsTooEarly(Packing packing);
Error damaged(Packing packing, const std::string& reason);

} // namespace assay
