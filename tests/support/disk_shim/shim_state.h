#pragma once

#include "tests/support/disk_shim/disk_shim.h"

#include <dlfcn.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>

/// The function of the C library that stands behind the shim's of the same name.
#define REAL(name)                                                                                           \
    ([] {                                                                                                    \
        static auto* const behind = reinterpret_cast<decltype(&::name)>(::dlsym(RTLD_NEXT, #name));          \
        return behind;                                                                                       \
    }())

namespace assay::tests {

/// What kind of call may fail.
enum class DiskCall { Open, Create, Read, Write, Sync, Name };

/// A descriptor of a watched file.
struct WatchedFile
{
    std::uint32_t handle = 0; ///< 0 = not watched
    std::string path;
    bool isHeldLock = false; ///< of the checkpointing role, or of the store's creation
};

enum class Outcome { Normal, Failed, Half };

/// Everything the shim knows. One lock is held over each call and its record, so that the journal has the
/// true order.
class ShimState
{
public:
    std::recursive_mutex mutex;

    void watch(const char* root, const char* journal);
    void arm(DiskFault fault, std::int64_t at, bool persistent);
    void guardRole() { m_guarded = true; }
    std::int64_t calls() const { return m_calls; }
    std::int64_t databaseWrites() const { return m_databaseWrites; }

    bool isWatched(std::string_view path) const;
    /// Null when the descriptor is not of a watched file.
    WatchedFile* fileOf(int descriptor);
    void opened(int descriptor, const std::string& path, bool emptied);
    void closing(int descriptor);
    void locked(WatchedFile& file);

    /// Whether this call is one that has to fail; errno is set when it does.
    Outcome decide(DiskCall call);
    /// Ends the process if this change of a file needs a role that it does not have.
    void guardChange(const WatchedFile& file, bool cutsFile);
    void record(DiskRecord::Kind kind, std::uint32_t handle, std::uint64_t offset, std::string_view path = {},
                std::string_view target = {}, std::string_view data = {});

private:
    void put(std::string_view bytes) const;

    std::string m_root;
    int m_journal = -1;
    std::uint32_t m_handles = 0;
    std::array<WatchedFile, 1024> m_files;

    bool m_armed = false, m_persistent = false;
    DiskFault m_fault = DiskFault::InputOutput;
    std::int64_t m_failAt = 0, m_calls = 0;

    bool m_guarded = false;
    int m_locksHeld = 0;
    std::int64_t m_databaseWrites = 0;
};

/// The only one; made at its first use, before any constructor of the program may need it, and never
/// destroyed.
ShimState& shimState();

} // namespace assay::tests
