#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

namespace assay {

/// How a file is read.
struct OpenOptions
{
    std::string format;           ///< format id; empty = recognised by sniffing
    std::int64_t maximumRows = 0; ///< examples and refused rows together; 0 = all
    std::stop_token stop = {};    ///< reading ends with Cancelled
    /// Rows of larger files stay on disk and are read again when they are asked for.
    std::uintmax_t memoryBytes = std::uintmax_t{64} << 20;
    std::filesystem::path scratchFolder = {}; ///< for what streaming writes; empty = ScratchFile's own
    /// Hears from the reading thread how far it is, in [0, 1].
    std::function<void(double share)> progress = {};
};

/// A file layout Assay can open. Each is one file under `formats/`, listed in `formats/builtin.cpp`.
class DatasetFormat
{
public:
    virtual ~DatasetFormat() = default;
    virtual std::string_view id() const = 0;
    virtual std::string_view title() const = 0;
    /// Whether `head` (the first bytes of the file) looks like this format.
    virtual bool sniff(const std::filesystem::path& path, std::string_view head) const = 0;
    virtual Result<DatasetPtr> open(const std::filesystem::path& path, const OpenOptions& options) const = 0;
};

/// Every format, in the order in which they are tried.
std::span<const DatasetFormat* const> datasetFormats();

/// Opens a file (or every data file of a folder). Errors: NotFound, BadData naming file and row, Unsupported,
/// Usage (a pipe or a device), Cancelled.
Result<DatasetPtr> openDataset(const std::filesystem::path& path, const OpenOptions& options = {});
/// The format id that `openDataset` would use.
Result<std::string> recogniseFormat(const std::filesystem::path& path);

} // namespace assay
