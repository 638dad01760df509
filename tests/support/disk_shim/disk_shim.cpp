#include "tests/support/disk_shim/shim_state.h"

using namespace assay::tests;

namespace {

using Lock = std::scoped_lock<std::recursive_mutex>;

} // namespace

void disk_shim_watch(const char* root, const char* journal)
{
    const Lock lock(shimState().mutex);
    shimState().watch(root, journal);
}

void disk_shim_note(const char* text)
{
    const Lock lock(shimState().mutex);
    shimState().record(DiskRecord::Note, 0, 0, {}, {}, text);
}

void disk_shim_fail(DiskFault fault, std::int64_t at, bool persistent)
{
    const Lock lock(shimState().mutex);
    shimState().arm(fault, at, persistent);
}

std::int64_t disk_shim_calls()
{
    const Lock lock(shimState().mutex);
    return shimState().calls();
}

void disk_shim_guard_role()
{
    const Lock lock(shimState().mutex);
    shimState().guardRole();
}

std::int64_t disk_shim_database_writes()
{
    const Lock lock(shimState().mutex);
    return shimState().databaseWrites();
}
