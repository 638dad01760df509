#include "core/store/records.h"

#include <array>
#include <utility>

namespace assay {

namespace {

constexpr std::array<std::pair<RunStatus, std::string_view>, 6> kStatuses = {{
    {RunStatus::Running, "running"},
    {RunStatus::Paused, "paused"},
    {RunStatus::Finished, "finished"},
    {RunStatus::Stopped, "stopped"},
    {RunStatus::Failed, "failed"},
    {RunStatus::Interrupted, "interrupted"},
}};

} // namespace

std::string_view runStatusId(RunStatus status)
{
    for (const auto& [value, id] : kStatuses)
        if (value == status)
            return id;
    return {};
}

std::optional<RunStatus> runStatusFromId(std::string_view id)
{
    for (const auto& [value, known] : kStatuses)
        if (known == id)
            return value;
    return std::nullopt;
}

} // namespace assay
