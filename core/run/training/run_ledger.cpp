#include "core/run/training/run_ledger.h"

#include "core/base/durable_file.h"

#include <nlohmann/json.hpp>

namespace assay {

namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t kLargestLedger = 64 << 20; ///< bytes; a row takes about 100

std::filesystem::path fileOf(const StorePlace& place, const RunId& run)
{
    return place.artefacts() / "runs" / run / "ledger.json";
}

} // namespace

Status keepLedger(const StorePlace& place, const RunId& run, const Ledger& ledger)
{
    const auto file = fileOf(place, run);
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return {};
    Json rows = Json::array();
    for (const auto& entry : ledger)
        rows.push_back({{"tensor", entry.tensor}, {"action", entry.action}, {"detail", entry.detail}});
    TRY_STATUS(createDirectories(file.parent_path()));
    return writeDurably(file, rows.dump(1) + "\n");
}

Result<Ledger> readLedger(const StorePlace& place, const RunId& run)
{
    const auto file = fileOf(place, run);
    const auto text = readFile(file, kLargestLedger);
    if (!text && text.error().code == ErrorCode::NotFound)
        return Error{ErrorCode::NotFound, "the run has no ledger", file.string(),
                     "Only runs that began with this version or a later one have one"};
    if (!text)
        return text.error();
    const auto json = Json::parse(*text, nullptr, false);
    const auto damaged = [&] { return Error{ErrorCode::BadData, "the ledger is damaged", file.string()}; };
    if (!json.is_array())
        return damaged();
    Ledger ledger;
    for (const auto& row : json) {
        const auto has = [&row](const char* key) { return row.contains(key) && row[key].is_string(); };
        if (!row.is_object() || !has("tensor") || !has("action") || !has("detail"))
            return damaged();
        ledger.push_back({row["tensor"], row["action"], row["detail"]});
    }
    return ledger;
}

} // namespace assay
