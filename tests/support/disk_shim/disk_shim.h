#pragma once

#include <cstdint>

// The library `disk_shim`. A program that links it has it between itself (and SQLite, and the C++ library)
// and the C library, for the files below one folder: it can write down every change to the disk, let the n-th
// call fail, and end a process that changes a store's database without the role to do so. Until it is told
// to, it does nothing.

namespace assay::tests {

/// How a call fails: with an error number, or by doing half of what it was asked to.
enum class DiskFault : std::int32_t { InputOutput, NoSpace, Interrupted, Short };

/// A change to the disk, as the journal holds it; two texts and the data follow.
struct DiskRecord
{
    enum Kind : std::uint32_t { Open, Write, Truncate, Sync, Rename, Unlink, MakeFolder, RemoveFolder, Note };
    std::uint32_t kind = Open;
    std::uint32_t handle = 0;      ///< numbers what was opened; Write, Truncate and Sync name it
    std::uint64_t offset = 0;      ///< of a Write; the size of a Truncate; 1 = an Open that empties the file
    std::uint32_t pathBytes = 0;   ///< of Open and of changes of names
    std::uint32_t targetBytes = 0; ///< of Rename
    std::uint64_t dataBytes = 0;   ///< of Write and Note
};

} // namespace assay::tests

extern "C" {
/// Watches the files below `root` and writes their changes to the file `journal` (null: none).
void disk_shim_watch(const char* root, const char* journal);
/// Something that was acknowledged at this moment.
void disk_shim_note(const char* text);
/// Lets the call number `at` (1 = the next) fail that such a fault can happen to, and all after it if
/// `persistent`.
void disk_shim_fail(assay::tests::DiskFault fault, std::int64_t at, bool persistent);
/// How many calls could have failed since disk_shim_fail.
std::int64_t disk_shim_calls();
/// From now on a change of `assay.db`, or cutting its log, without holding the lock of the checkpointing role
/// or of the store's creation ends the process.
void disk_shim_guard_role();
/// How many times this process has written to `assay.db`.
std::int64_t disk_shim_database_writes();
}
