#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

namespace assay {

namespace {

constexpr std::int64_t kNotSupervised =
    -100; ///< the ignore index of the file format; nowhere else is it a label

/// Padded rows would be read as text that ends in pad tokens.
Status refusePadding(const simdjson::dom::object& row)
{
    simdjson::dom::element column;
    if (row.at_key("attention_mask").get(column) != simdjson::SUCCESS)
        return {};
    TRY(const auto mask, listValue(row, "attention_mask"));
    for (const auto value : mask) {
        TRY(const auto one, wholeNumber(value, "attention_mask", 0, 1));
        if (one == 0)
            return Error{ErrorCode::BadData, "the row is padded (`attention_mask` has zeros)", "", ""};
    }
    return {};
}

Result<Example> readTokenised(const simdjson::dom::object& row)
{
    TokenisedExample tokens;
    TRY(tokens.ids, idsValue(row, "input_ids"));
    TRY(const auto labels, listValue(row, "labels"));
    if (labels.size() != tokens.ids.size() || tokens.ids.empty())
        return Error{ErrorCode::BadData,
                     std::to_string(tokens.ids.size()) + " ids and " + std::to_string(labels.size()) +
                         " labels",
                     "", ""};
    for (const auto value : labels) {
        std::int64_t number = 0;
        if (value.is_int64() && value.get(number) == simdjson::SUCCESS && number == kNotSupervised) {
            tokens.labels.push_back(Label::none());
            continue;
        }
        TRY(const auto label, labelValue(value, "labels[" + std::to_string(tokens.labels.size()) + "]"));
        tokens.labels.push_back(label);
    }
    TRY_STATUS(refusePadding(row));
    Example example;
    example.content = std::move(tokens);
    example.metadata = otherColumns(row, {"input_ids", "labels", "attention_mask"});
    return example;
}

} // namespace

const DatasetFormat& stepwiseTokenisedFormat()
{
    static const JsonFormat kFormat("stepwise-tokenised", "Token ids with a label or -100 per position",
                                    {"input_ids", "labels"}, readTokenised);
    return kFormat;
}

} // namespace assay
