#include "core/data/format.h"
#include "tests/fuzz/memory_file.h"

using namespace assay;

namespace {

void checkLabel(const Label& label)
{
    CHECK(label.value >= 0.0F && label.value <= 1.0F, "label outside [0, 1]");
}

void checkDataset(const Dataset& dataset)
{
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const auto example = dataset.at(i);
        CHECK(example.id.size() == 32 && example.group.size() == 32, "row without identity");
        if (const auto* solution = example.stepwise()) {
            for (const auto& step : solution->steps)
                checkLabel(step.label);
            const auto steps = static_cast<int>(solution->steps.size());
            const auto first = solution->declaredFirstError.value_or(-1);
            CHECK(first >= -1 && first < steps, "first error outside the steps");
        } else if (const auto* pair = example.preference()) {
            CHECK(pair->candidates.size() == 2, "a pair of two");
        } else if (const auto* ids = example.tokenisedPreference()) {
            CHECK(ids->candidates.size() == 2, "a pair of two");
            for (const auto& candidate : ids->candidates)
                CHECK(!candidate.empty(), "a candidate without ids");
        } else {
            const auto* tokens = example.tokenised();
            CHECK(!tokens->ids.empty() && tokens->ids.size() == tokens->labels.size(), "ids and labels");
            for (const auto& label : tokens->labels)
                checkLabel(label);
        }
    }
    for (const auto& problem : dataset.problems())
        CHECK(!problem.message.empty(), "a problem without words");
}

} // namespace

/// A data file: recognised, and read in every format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::MemoryFile file(fuzz::view(data, size));
    if (const auto format = recogniseFormat(file.path()); !format.ok())
        fuzz::checkError(format.error());
    for (const auto* format : datasetFormats()) {
        const auto dataset = format->open(file.path(), {});
        if (dataset.ok())
            checkDataset(**dataset);
        else
            fuzz::checkError(dataset.error());
    }
    return 0;
}
