#include "core/store/step_columns.h"

#include <array>
#include <cmath>

namespace assay {

namespace {

template <auto Member>
double getColumn(const StepRecord& record)
{
    return static_cast<double>(record.*Member);
}

template <auto Member>
void setColumn(StepRecord& record, double value)
{
    using Value = std::remove_reference_t<decltype(record.*Member)>;
    if constexpr (std::is_same_v<Value, bool>)
        record.*Member = value != 0.0;
    else
        record.*Member = static_cast<Value>(value);
}

template <auto Member>
constexpr StepColumn column(std::string_view name)
{
    return {name, name, getColumn<Member>, setColumn<Member>};
}

double tokensPerSecond(const StepRecord& record)
{
    return record.seconds > 0.0 ? static_cast<double>(record.tokens) / record.seconds : 0.0;
}

constexpr std::array<StepColumn, 13> kColumns = {{
    column<&StepRecord::step>("step"),
    column<&StepRecord::loss>("loss"),
    column<&StepRecord::gradientNorm>("gradient_norm"),
    column<&StepRecord::learningRate>("learning_rate"),
    column<&StepRecord::tokens>("tokens"),
    column<&StepRecord::computedTokens>("computed_tokens"),
    column<&StepRecord::examples>("examples"),
    column<&StepRecord::readOuts>("read_outs"),
    column<&StepRecord::seconds>("seconds"),
    column<&StepRecord::dataWaitSeconds>("data_wait"),
    column<&StepRecord::clipped>("clipped"),
    column<&StepRecord::skipped>("skipped"),
    {"tokens_per_second", "CASE WHEN seconds > 0 THEN tokens / seconds ELSE 0.0 END", tokensPerSecond,
     nullptr},
}};

} // namespace

std::span<const StepColumn> stepColumns()
{
    return kColumns;
}

const StepColumn* findStepColumn(std::string_view name)
{
    for (const auto& column : kColumns)
        if (column.name == name)
            return &column;
    return nullptr;
}

} // namespace assay
