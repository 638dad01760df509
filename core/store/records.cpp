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

constexpr std::pair<Control, std::string_view> kControls[] = {{Control::Pause, "pause"},
                                                              {Control::Resume, "resume"},
                                                              {Control::Stop, "stop"},
                                                              {Control::EvaluateNow, "evaluate-now"}};

/// Id of a value, empty for one that the table lacks.
template <typename Table, typename Value>
std::string_view idOf(const Table& table, Value value)
{
    for (const auto& [known, id] : table)
        if (known == value)
            return id;
    return {};
}

template <typename Value, typename Table>
std::optional<Value> valueOfId(const Table& table, std::string_view id)
{
    for (const auto& [value, known] : table)
        if (known == id)
            return value;
    return std::nullopt;
}

} // namespace

std::string_view runStatusId(RunStatus status)
{
    return idOf(kStatuses, status);
}

std::optional<RunStatus> runStatusFromId(std::string_view id)
{
    return valueOfId<RunStatus>(kStatuses, id);
}

std::string_view controlId(Control control)
{
    return idOf(kControls, control);
}

std::optional<Control> controlFromId(std::string_view id)
{
    return valueOfId<Control>(kControls, id);
}

} // namespace assay
