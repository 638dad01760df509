#include "tests/support/disk_shim/shim_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace assay::tests {

namespace {

bool canHappen(DiskFault fault, DiskCall call)
{
    switch (fault) {
    case DiskFault::InputOutput:
        return true;
    case DiskFault::NoSpace:
        return call != DiskCall::Open && call != DiskCall::Read;
    case DiskFault::Interrupted:
        return call != DiskCall::Name && call != DiskCall::Sync;
    case DiskFault::Short:
        return call == DiskCall::Read || call == DiskCall::Write;
    }
    return false;
}

} // namespace

ShimState& shimState()
{
    static auto* state = new ShimState;
    return *state;
}

void ShimState::watch(const char* root, const char* journal)
{
    if (m_journal >= 0)
        REAL(close)(m_journal);
    m_root = root;
    m_journal = journal ? REAL(open)(journal, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
}

void ShimState::arm(DiskFault fault, std::int64_t at, bool persistent)
{
    m_armed = at > 0;
    m_fault = fault;
    m_failAt = at;
    m_persistent = persistent;
    m_calls = 0;
}

bool ShimState::isWatched(std::string_view path) const
{
    return !m_root.empty() && path.starts_with(m_root) &&
           (path.size() == m_root.size() || path[m_root.size()] == '/');
}

WatchedFile* ShimState::fileOf(int descriptor)
{
    if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= m_files.size())
        return nullptr;
    auto& file = m_files[static_cast<std::size_t>(descriptor)];
    return file.handle != 0 ? &file : nullptr;
}

void ShimState::opened(int descriptor, const std::string& path, bool emptied)
{
    if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= m_files.size())
        return;
    auto& file = m_files[static_cast<std::size_t>(descriptor)];
    file = {};
    if (!isWatched(path))
        return;
    file.handle = ++m_handles;
    file.path = path;
    record(DiskRecord::Open, file.handle, emptied ? 1 : 0, path);
}

void ShimState::closing(int descriptor)
{
    if (auto* file = fileOf(descriptor)) {
        m_locksHeld -= file->isHeldLock ? 1 : 0;
        *file = {};
    }
}

void ShimState::locked(WatchedFile& file)
{
    if (!file.isHeldLock && (file.path.ends_with("/checkpoint.lock") || file.path.ends_with("/assay.lock"))) {
        file.isHeldLock = true;
        ++m_locksHeld;
    }
}

Outcome ShimState::decide(DiskCall call)
{
    if (!m_armed || !canHappen(m_fault, call))
        return Outcome::Normal;
    ++m_calls;
    if (m_calls != m_failAt && !(m_persistent && m_calls > m_failAt))
        return Outcome::Normal;
    if (m_fault == DiskFault::Short)
        return Outcome::Half;
    errno = m_fault == DiskFault::InputOutput ? EIO : m_fault == DiskFault::NoSpace ? ENOSPC : EINTR;
    return Outcome::Failed;
}

void ShimState::guardChange(const WatchedFile& file, bool cutsFile)
{
    const bool database = file.path.ends_with("/assay.db");
    m_databaseWrites += database ? 1 : 0;
    if (!m_guarded || m_locksHeld > 0 || (!database && !(cutsFile && file.path.ends_with("-wal"))))
        return;
    std::fprintf(stderr, "%s was changed without the role to checkpoint\n", file.path.c_str());
    std::abort();
}

void ShimState::put(std::string_view bytes) const
{
    while (!bytes.empty()) {
        const auto count = REAL(write)(m_journal, bytes.data(), bytes.size());
        if (count <= 0)
            std::abort(); // a journal with a hole proves nothing
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void ShimState::record(DiskRecord::Kind kind, std::uint32_t handle, std::uint64_t offset,
                       std::string_view path, std::string_view target, std::string_view data)
{
    if (m_journal < 0)
        return;
    DiskRecord head;
    head.kind = kind;
    head.handle = handle;
    head.offset = offset;
    head.pathBytes = static_cast<std::uint32_t>(path.size());
    head.targetBytes = static_cast<std::uint32_t>(target.size());
    head.dataBytes = data.size();
    put({reinterpret_cast<const char*>(&head), sizeof head});
    put(path);
    put(target);
    put(data);
}

} // namespace assay::tests
