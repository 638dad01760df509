#pragma once

#include "core/base/check.h"
#include "core/base/result.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace assay::fuzz {

/// Bytes under a path, without a disk: readers that take a path can be fuzzed as fast as those that take
/// bytes.
class MemoryFile
{
public:
    explicit MemoryFile(std::string_view bytes)
        : m_file(::memfd_create("fuzz", MFD_CLOEXEC))
    {
        CHECK(m_file >= 0, "memfd_create");
        while (!bytes.empty()) {
            const auto written = ::write(m_file, bytes.data(), bytes.size());
            CHECK(written > 0, "write to memory");
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    ~MemoryFile() { ::close(m_file); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

inline std::string_view view(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// What every refusal owes the user.
inline void checkError(const Error& error)
{
    CHECK(!error.message.empty(), "an error without a message");
    CHECK(error.code != ErrorCode::Internal, error.message);
}

} // namespace assay::fuzz
