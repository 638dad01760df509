#include "core/run/checkpoint_folder.h"

#include "core/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

Result<std::pair<CheckpointRecord, std::filesystem::path>>
checkpointFolder(const StorePlace& place, const RunReader& reader, const RunId& run, std::int64_t step)
{
    TRY(auto checkpoints, reader.checkpoints(run));
    if (step > 0)
        std::erase_if(checkpoints, [step](const auto& c) { return c.step != step; });
    if (checkpoints.empty())
        return Error{ErrorCode::NotFound,
                     step > 0 ? fmt::format("the run has no checkpoint of step {}", step)
                              : "the run has no checkpoint yet",
                     run};
    const auto newest = std::max_element(checkpoints.begin(), checkpoints.end(),
                                         [](const auto& a, const auto& b) { return a.step < b.step; });
    const std::filesystem::path folder = place.artefacts() / newest->path;
    TRY_STATUS(verifyCheckpoint(folder));
    return std::pair(*newest, folder);
}

} // namespace assay
