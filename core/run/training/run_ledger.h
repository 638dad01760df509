#pragma once

#include "core/base/result.h"
#include "core/model/ledger.h"
#include "core/store/run_store.h"

namespace assay {

/// Keeps what loading its model did to every tensor beside the run's other artefacts; an earlier one of the
/// run stays. Errors: Io.
Status keepLedger(const StorePlace& place, const RunId& run, const Ledger& ledger);
/// Errors: NotFound (runs of older versions have none), BadData.
Result<Ledger> readLedger(const StorePlace& place, const RunId& run);

} // namespace assay
