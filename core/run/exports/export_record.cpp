#include "core/run/exports/export_record.h"

#include "core/base/durable_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = "export.json";

template <typename T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

bool idsIn(const Json& json, const char* key, std::vector<TokenId>& ids)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array() || found->size() > 4096)
        return false;
    for (const auto& id : *found) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > INT32_MAX)
            return false;
        ids.push_back(id.get<TokenId>());
    }
    return true;
}

/// Missing keys leave outputs as they are: older exports have none.
Result<RewardScale> scaleFrom(const Json& json, const std::string& where)
{
    RewardScale scale;
    const auto refuse = [&where](const std::string& why) {
        return Error{ErrorCode::BadModel, "is not what an export writes: " + why, where,
                     "Export the model again"};
    };
    const auto valueOf = [&json](const char* key) {
        const auto found = json.find(key);
        return found == json.end() ? Json(nullptr) : *found;
    };
    for (const auto& [key, number] :
         {std::pair("temperature", &scale.temperature), std::pair("centre", &scale.centre)}) {
        const auto value = valueOf(key);
        if (!value.is_null() && !value.is_number())
            return refuse(fmt::format("{} is no number", key));
        if (!value.is_null())
            *number = value.get<double>();
    }
    if (const auto value = valueOf("threshold"); value.is_number())
        scale.threshold = value.get<double>();
    else if (!value.is_null())
        return refuse("threshold is no number");
    if (const auto value = valueOf("aggregation"); !value.is_null()) {
        scale.aggregation = value.is_string() ? aggregationFromId(value.get<std::string>()) : std::nullopt;
        if (!scale.aggregation)
            return refuse("aggregation is not last, min, mean or product");
    }
    if (const auto status = scale.check(); !status.ok())
        return refuse(status.error().message);
    return scale;
}

} // namespace

std::string exportRecordJson(const ExportRecord& record)
{
    const auto& scale = record.scale;
    const Json json{
        {"origin", record.origin},
        {"format", record.format},
        {"architecture", record.architecture},
        {"dtype", record.dtype},
        {"head", {{"kind", record.headKind}, {"outputs", record.outputs}, {"bias", record.headBias}}},
        {"separator_ids", {{"step", record.stepSeparator}, {"prompt", record.promptSeparator}}},
        {"threshold", orNull(scale.threshold)},
        {"temperature", scale.temperature},
        {"centre", scale.centre},
        {"aggregation", scale.aggregation ? Json(aggregationId(*scale.aggregation)) : Json(nullptr)},
        {"calibration",
         {{"threshold", record.thresholdFrom},
          {"temperature", record.temperatureFrom},
          {"centre", record.centreFrom}}},
        {"pad_token_id", orNull(record.padId)},
        {"rescored", {{"outputs", record.probeScores}, {"largest_change", record.largestChange}}},
        {"notes", record.notes}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ExportRecord> readExportRecord(const std::filesystem::path& folder)
{
    ExportRecord record;
    std::error_code unknown;
    if (!std::filesystem::exists(folder / kFile, unknown))
        return record;
    TRY(const auto text, readFile(folder / kFile, 1 << 20));
    const Json json = Json::parse(text, nullptr, false);
    const bool objects = json.is_object() && json.contains("head") && json["head"].is_object() &&
                         json.contains("separator_ids") && json["separator_ids"].is_object();
    if (!objects || !json["head"].contains("bias") || !json["head"]["bias"].is_string() ||
        !idsIn(json["separator_ids"], "step", record.stepSeparator) ||
        !idsIn(json["separator_ids"], "prompt", record.promptSeparator))
        return Error{ErrorCode::BadModel,
                     "is not what an export writes: head.bias or separator_ids are missing",
                     (folder / kFile).string(), "Export the model again"};
    record.headBias = json["head"]["bias"].get<std::string>();
    TRY(record.scale, scaleFrom(json, (folder / kFile).string()));
    return record;
}

void recordSeparators(ExportRecord& record, const LayoutOptions& layout, const Tokenizer* tokenizer)
{
    if (!tokenizer)
        return;
    record.stepSeparator = tokenizer->encode(layout.stepSeparator);
    record.promptSeparator = tokenizer->encode(layout.promptSeparator);
}

Status checkSeparators(const ExportRecord& record, const LayoutOptions& layout, const Tokenizer* tokenizer,
                       const std::filesystem::path& folder)
{
    if (record.headBias.empty() || !tokenizer)
        return {};
    ExportRecord now;
    recordSeparators(now, layout, tokenizer);
    const auto same = [&](const char* what, const auto& recorded, const auto& found) -> Status {
        if (recorded == found)
            return {};
        return Error{ErrorCode::BadModel,
                     fmt::format("the {} separator is [{}] for this tokenizer, and was [{}] for the model",
                                 what, fmt::join(found, ", "), fmt::join(recorded, ", ")),
                     (folder / kFile).string(), "Put the tokenizer and layout.json of the export back"};
    };
    TRY_STATUS(same("step", record.stepSeparator, now.stepSeparator));
    return same("prompt", record.promptSeparator, now.promptSeparator);
}

} // namespace assay
