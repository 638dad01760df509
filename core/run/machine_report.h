#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// What this machine computes with, for `assay doctor`.
struct MachineReport
{
    std::string processor;
    std::int64_t threads = 0; ///< what a run with compute.threads = 0 takes
    std::string torchVersion;
    bool torchHasCuda = false;    ///< whether the library was built with CUDA; a device is another question
    double bfloat16SpeedUp = 0.0; ///< matrix products against float32, casts included
    double bfloat16LargestError = 0.0; ///< relative to the largest float32 result
    bool bfloat16Used = false;         ///< what `compute.dtype = auto` takes
};

/// Measures for about a second. Devices are in `catalogDevices`.
MachineReport machineReport();

} // namespace assay
