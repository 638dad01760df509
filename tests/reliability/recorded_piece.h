#pragma once

#include "core/store/run_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay {
class AdamW;
class RewardModel;
} // namespace assay

namespace assay::tests {

/// What the tests of disks record or disturb: a new store, a run with steps, an evaluation and checkpoints of
/// a real (tiny) model, one of them deleted again, the log emptied under way, an end and a second attempt.
class RecordedPiece
{
public:
    RecordedPiece();
    ~RecordedPiece();

    static constexpr std::int64_t kSteps = 12;

    /// Goes through all of it, whatever fails on the way, as a training run does; `note` hears what has been
    /// acknowledged. The first error, if there was one.
    Status write(const StorePlace& place, const std::function<void(const std::string&)>& note) const;

    /// Opens what is there, goes on writing to it, and compares it with what was acknowledged: empty if all
    /// of it is there, and nothing incomplete is listed.
    static std::string faultOf(const StorePlace& place, const std::vector<std::string>& notes);

private:
    std::unique_ptr<RewardModel> m_model;
    std::unique_ptr<AdamW> m_optimiser;
};

} // namespace assay::tests
