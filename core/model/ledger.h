#pragma once

#include <string>
#include <vector>

namespace assay {

/// What a load did to one tensor: nothing is ever loaded, replaced or left out silently.
struct LedgerEntry
{
    std::string tensor;
    std::string action; ///< loaded, mapped, transposed, initialised, unused
    std::string detail; ///< type and shape, other name, reason
};

using Ledger = std::vector<LedgerEntry>;

} // namespace assay
