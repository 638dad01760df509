#pragma once

#include "core/base/durable_file.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace assay::tests {

/// The rows of a store that a program of that schema wrote.
inline std::filesystem::path oldStoreFile(std::int64_t schema)
{
    const char* source = std::getenv("ASSAY_SOURCE_DIR");
    return std::filesystem::path(source ? source : ".") / "tests" / "store" / "fixtures" /
           ("schema_00" + std::to_string(schema) + ".sql");
}

/// That store, as the program left it.
inline Status writeOldStore(const StorePlace& place, std::int64_t schema)
{
    TRY(const auto sql, readFile(oldStoreFile(schema)));
    TRY_STATUS(createDirectories(place.artefacts()));
    TRY_STATUS(guarded([&] {
        Database database(place.database(), OpenMode::Create);
        database.script("PRAGMA foreign_keys = OFF"); // the file is in the order of the alphabet
        database.script(sql);
        database.text("PRAGMA journal_mode = WAL");
        database.checkpoint(true);
    }));
    return syncDirectory(place.folder);
}

} // namespace assay::tests
