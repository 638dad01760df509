#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"

#include <array>

namespace assay {

namespace {

using Names = std::array<std::string_view, 2>;
constexpr Names kNames{"chosen_ids", "rejected_ids"};
constexpr Names kOlderNames{"input_ids_chosen", "input_ids_rejected"};

Result<Example> readTokenisedPair(const simdjson::dom::object& row)
{
    simdjson::dom::element value;
    const bool older = row.at_key(kOlderNames[0]).get(value) == simdjson::SUCCESS;
    TokenisedPreference pair;
    for (const auto key : older ? kOlderNames : kNames) {
        TRY(auto ids, idsValue(row, key));
        if (ids.empty())
            return Error{ErrorCode::BadData, "`" + std::string(key) + "` has no token to read", "", ""};
        pair.candidates.push_back(std::move(ids));
    }
    TRY(pair.margin, marginValue(row));
    Example example;
    example.content = std::move(pair);
    example.metadata =
        otherColumns(row, {"chosen_ids", "rejected_ids", "input_ids_chosen", "input_ids_rejected", "margin"});
    return example;
}

} // namespace

const DatasetFormat& preferenceTokenisedFormat()
{
    using Keys = std::vector<std::string_view>;
    static const JsonFormat kFormat(
        "preference-tokenised", "Pairs of token ids (chosen_ids, rejected_ids)", readTokenisedPair,
        {Keys(kNames.begin(), kNames.end()), Keys(kOlderNames.begin(), kOlderNames.end())});
    return kFormat;
}

} // namespace assay
