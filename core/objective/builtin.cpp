#include "core/objective/pairwise.h"
#include "core/objective/stepwise.h"

#include <array>

namespace assay {

namespace {

constexpr std::array<std::string_view, 3> kNames = {"cross-entropy", "binary", "bradley-terry"};

} // namespace

std::span<const std::string_view> objectiveNames()
{
    return kNames;
}

Result<std::unique_ptr<Objective>> makeObjective(std::string_view name, const ObjectiveOptions& options)
{
    if (name == "cross-entropy")
        return makeCrossEntropy(options);
    if (name == "binary")
        return makeBinary(options);
    if (name == "bradley-terry")
        return makeBradleyTerry(options);
    return Error{ErrorCode::Usage, "there is no objective \"" + std::string(name) + "\"", "objective.name"};
}

} // namespace assay
