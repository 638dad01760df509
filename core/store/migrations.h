#pragma once

#include "core/base/embedded_file.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/database.h"

#include <memory>
#include <span>

namespace assay {

/// Opens the store for writing: creates folder (0700) and file (0600), brings an older schema up to date
/// under a lock and after a backup in `backups/`, refuses newer stores, foreign files and network file
/// systems. `schema` are the migrations `NNN_name.sql`. Throws StoreFailure.
std::unique_ptr<Database> openForWriting(const StorePlace& place,
                                         std::span<const EmbeddedFile> schema = embeddedSchema());

/// A connection for reading, and the temporary copy it may need.
struct ReadingConnection
{
    ReadingConnection() = default;
    ReadingConnection(ReadingConnection&&) = default;
    ReadingConnection& operator=(ReadingConnection&&) = default;
    ~ReadingConnection();

    std::unique_ptr<Database> database;
    std::filesystem::path temporaryFolder; ///< removed when closed; empty = the store itself is read
};

/// Opens the store for reading. A store that cannot be written is opened immutable if it has no write-ahead
/// log, else from a temporary copy. An older schema is brought up to date if the store can be written. Throws
/// StoreFailure.
ReadingConnection openForReading(const StorePlace& place,
                                 std::span<const EmbeddedFile> schema = embeddedSchema());

} // namespace assay
