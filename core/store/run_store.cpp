#include "core/store/run_store.h"

#include "core/store/sqlite/database.h"

#include <cstdlib>

namespace assay {

StorePlace StorePlace::standard()
{
    const auto variable = [](const char* name) -> std::filesystem::path {
        const char* value = std::getenv(name);
        return value ? value : "";
    };
    if (const auto place = variable("ASSAY_STORE"); !place.empty())
        return {place};
    // The specification of XDG: relative paths are to be ignored.
    if (const auto data = variable("XDG_DATA_HOME"); data.is_absolute())
        return {data / "assay"};
    return {variable("HOME") / ".local" / "share" / "assay"};
}

std::string storeEngineVersion()
{
    return "SQLite " + sqliteVersion();
}

} // namespace assay
