#pragma once

#include "core/base/result.h"
#include "core/files/random_access_file.h"

#include <cstdint>
#include <map>
#include <string>

namespace assay {

/// Bytes [begin, end) of a file.
struct FileRange
{
    std::uint64_t begin = 0, end = 0;
    std::uint64_t size() const { return end - begin; }
};

/// Name of every record of a zip container -> where its bytes are. Only what torch writes is read: records
/// that are stored as they are, one disk, 64-bit sizes where they are needed. Errors: BadModel (no end
/// record, ranges outside the file, packed or encrypted records, a name given twice), Io.
Result<std::map<std::string, FileRange, std::less<>>> readZipIndex(const RandomAccessFile& file);

} // namespace assay
