#pragma once

#include "tests/reliability/disk_history.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::tests {

/// Cuts the power before every operation of a history, in every way that a disk may take it, and lets
/// somebody look at what is left.
class PowerLossCheck
{
public:
    /// `faultOf` says what is wrong with a disk on which these notes were acknowledged; empty = nothing.
    /// `scratch` is a folder for such disks.
    using FaultOf =
        std::function<std::string(const std::filesystem::path& disk, const std::vector<std::string>& notes)>;
    PowerLossCheck(DiskHistory history, std::filesystem::path scratch, FaultOf faultOf);

    const DiskHistory& history() const { return m_history; }
    /// The first cut that loses something, in words; empty = there is none.
    std::string firstFault();
    /// The first one when this flush is left out.
    std::string faultWithout(std::size_t sync);
    /// Whether a promise may rest on this flush: it brings something to the disk, and the same file or folder
    /// is not flushed again before anything more is acknowledged.
    bool mayMatter(std::size_t sync) const;
    /// How many different states have been looked at.
    std::size_t states() const { return m_known.size(); }

private:
    std::string faultAt(std::size_t cut, const PowerCut& power, std::optional<std::size_t> ignoredSync);

    DiskHistory m_history;
    std::filesystem::path m_scratch;
    FaultOf m_faultOf;
    std::unordered_map<std::size_t, std::string> m_known; ///< faults by hash of state and acknowledgements
};

} // namespace assay::tests
