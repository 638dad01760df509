#include "core/run/machine_report.h"

#include "core/run/compute.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

namespace assay {

namespace {

// The size of a small real model; the answer depends on it only near the border.
constexpr std::int64_t kTestWidth = 512, kTestMlpWidth = 1408;

} // namespace

MachineReport machineReport()
{
    MachineReport report;
    report.processor = processorName();
    report.threads = at::get_num_threads();
    report.torchVersion = TORCH_VERSION;
    report.torchHasCuda = at::hasCUDA();
    const auto test = testBfloat16(kTestWidth, kTestMlpWidth);
    report.bfloat16SpeedUp = test.speedUp;
    report.bfloat16LargestError = test.largestError;
    report.bfloat16Used = test.use;
    return report;
}

} // namespace assay
