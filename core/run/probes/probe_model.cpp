#include "core/run/probes/probe_model.h"

#include "core/base/json_fault.h"
#include "core/files/model_place.h"
#include "core/model/model_folder.h"
#include "core/nn/projection.h"
#include "core/run/preflight/model_memory.h"
#include "core/run/probes/inspect_model.h"
#include "core/train/collate.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

struct Case
{
    std::string name;
    LaidOut row; ///< one sequence, one read-out at every position
};

Json ledgerJson(const Ledger& ledger)
{
    Json json = Json::array();
    for (const auto& entry : ledger)
        json.push_back({{"tensor", entry.tensor}, {"action", entry.action}, {"detail", entry.detail}});
    return json;
}

Json headJson(const HeadFacts& head)
{
    Json json = {{"kind", head.perToken ? "token-classification" : "sequence-classification"},
                 {"outputs", head.outputs},
                 {"bias", head.bias}};
    if (head.hidden > 0)
        json["hidden"] = head.hidden;
    if (!head.declaration.empty())
        json["declaration"] = head.declaration;
    return json;
}

Json modelJson(const ModelReport& model)
{
    Json json = {{"family", model.family},
                 {"architecture", model.architecture},
                 {"vocabulary", model.vocabulary},
                 {"width", model.width},
                 {"layers", model.layers},
                 {"heads", model.heads},
                 {"key_value_heads", model.keyValueHeads},
                 {"head_width", model.headWidth},
                 {"mlp_width", model.mlpWidth},
                 {"rope", {{"type", model.ropeType}, {"theta", model.ropeTheta}}},
                 {"parameters", model.parameters},
                 {"weight_bytes", model.weightBytes},
                 {"dtype", model.dtype},
                 {"weights_sha256", model.weightsHash}};
    if (model.head)
        json["head"] = headJson(*model.head);
    json["language_head"] = model.languageHead;
    if (!model.rewards.empty())
        json["rewards"] = model.rewards;
    json["ledger"] = ledgerJson(model.ledger);
    return json;
}

/// What a description says besides: it costs a look at the tokenizer and at the machine.
Json surroundingsJson(const ModelReport& model)
{
    Json tokenizer = model.tokenizer.vocabulary > 0 ? Json{{"file", model.tokenizer.file},
                                                           {"vocabulary", model.tokenizer.vocabulary},
                                                           {"special", model.tokenizer.special},
                                                           {"chat_template", model.tokenizer.chatTemplate}}
                                                    : Json{{"problem", model.tokenizer.problem}};
    return {{"tokenizer", std::move(tokenizer)},
            {"memory",
             {{"scoring_bytes", model.memory.scoring},
              {"training_bytes", model.memory.training},
              {"available_bytes", model.memory.available}}}};
}

Error badCase(std::size_t index, const std::string& message)
{
    return Error{ErrorCode::Usage, message, fmt::format("case {}", index)};
}

Result<std::vector<Case>> readCases(std::string_view text, const ModelLimits& limits)
{
    const auto vocabulary = limits.vocabulary;
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return Error{ErrorCode::Usage, jsonFault(text), "cases",
                     "Write {\"cases\": [{\"input_ids\": [1, 2, 3]}]}"};
    const Json& list = json.is_object() && json.contains("cases") ? json["cases"] : json;
    if (!list.is_array() || list.empty())
        return Error{ErrorCode::Usage, "no cases", "cases",
                     "Write {\"cases\": [{\"input_ids\": [1, 2, 3]}]}"};
    std::vector<Case> cases;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json& item = list[i];
        if (!item.is_object() || !item.contains("input_ids") || !item["input_ids"].is_array())
            return badCase(i, "has no input_ids");
        const auto& ids = item["input_ids"];
        const bool masked = item.contains("attention_mask") && item["attention_mask"].is_array();
        if (masked && item["attention_mask"].size() != ids.size())
            return badCase(i, "attention_mask and input_ids differ in length");
        if (item.contains("token_type_ids"))
            for (const auto& type : item["token_type_ids"])
                if (!type.is_number_integer() || type != 0)
                    return badCase(i, "this family has no token types other than 0");
        Case entry;
        entry.name = item.value("name", std::to_string(i));
        Sequence sequence;
        for (std::size_t p = 0; p < ids.size(); ++p) {
            if (!ids[p].is_number_integer() || ids[p].get<std::int64_t>() < 0 ||
                ids[p].get<std::int64_t>() >= vocabulary)
                return badCase(i,
                               fmt::format("input_ids[{}] is no id of the vocabulary of {}", p, vocabulary));
            if (!masked || item["attention_mask"][p] != 0)
                sequence.ids.push_back(ids[p].get<TokenId>());
        }
        if (sequence.ids.empty())
            return badCase(i, "has no real token");
        if (limits.lastPosition > 0 && static_cast<std::int64_t>(sequence.ids.size()) > limits.lastPosition)
            return badCase(i, fmt::format("has {} tokens, and the backbone has no position after {}",
                                          sequence.ids.size(), limits.lastPosition));
        for (std::int32_t p = 0; p < static_cast<std::int32_t>(sequence.ids.size()); ++p) {
            entry.row.readOuts.push_back({0, {{p, p + 1}}, Pooling::Last});
            entry.row.scores.push_back({p, -1});
            entry.row.targets.value.push_back(0.0F);
            entry.row.targets.mask.push_back(0);
        }
        entry.row.sequences.push_back(std::move(sequence));
        cases.push_back(std::move(entry));
    }
    return cases;
}

Json matrixJson(const at::Tensor& tensor)
{
    const at::Tensor wide = tensor.to(at::kDouble).contiguous();
    const auto* data = wide.const_data_ptr<double>();
    Json rows = Json::array();
    for (std::int64_t i = 0; i < wide.size(0); ++i)
        rows.push_back(std::vector<double>(data + i * wide.size(1), data + (i + 1) * wide.size(1)));
    return rows;
}

Json layerJson(const std::vector<at::Tensor>& layers, const at::Tensor& rows)
{
    Json json = Json::array();
    for (const auto& layer : layers) {
        const at::Tensor real = layer.index_select(0, rows).to(at::kDouble);
        const double mean = real.mean().item<double>();
        json.push_back({{"mean", mean},
                        {"std", (real - mean).square().mean().sqrt().item<double>()},
                        {"abs_max", real.abs().max().item<double>()}});
    }
    return json;
}

/// The position that transformers takes for the last one: the last id that is not the pad id, even where a
/// pad id is part of the text. Kept beside ours so that the two can be compared.
std::int64_t lastByPadId(const std::vector<TokenId>& ids, std::optional<std::int64_t> padId)
{
    auto last = static_cast<std::int64_t>(ids.size()) - 1;
    for (auto i = last; padId && i >= 0; --i)
        if (ids[static_cast<std::size_t>(i)] != *padId)
            return i;
    return last;
}

void addOutputs(Json& entry, const ModelFolder& model, const at::Tensor& hidden,
                const std::vector<TokenId>& ids)
{
    if (model.head.present()) {
        const at::Tensor outputs = headOutputs(model.head.weights, hidden);
        entry["outputs"] = matrixJson(outputs);
        if (!model.head.perToken) {
            const auto scoreAt = [&outputs](std::int64_t position) {
                return matrixJson(outputs.narrow(0, position, 1))[0];
            };
            entry["score"] = scoreAt(outputs.size(0) - 1);
            entry["score_by_pad_id"] = scoreAt(lastByPadId(ids, model.config.padId));
        }
    } else if (model.languageHead.defined()) {
        at::Tensor logits = Projection(model.languageHead, at::Tensor()).forward(hidden);
        if (const auto cap = model.config.decoder.finalSoftcap)
            logits = (logits / *cap).tanh() * *cap;
        entry["outputs"] = matrixJson(logits);
    }
}

Result<Json> runCases(const ModelFolder& model, const std::vector<Case>& cases, std::string_view execution,
                      at::ScalarType type)
{
    CollateOptions options;
    options.minimumShared = 1;
    options.scoreType = type;
    options.attention = model.backbone->attention();
    const bool padded = execution == "padded" || execution == "left-padded";
    const auto known = padded ? std::optional(Execution::Padded) : executionFromName(execution);
    if (!known)
        return Error{ErrorCode::Usage, fmt::format("there is no execution \"{}\"", execution), "execution",
                     "Choose single, packed, merged, padded or left-padded"};
    options.execution = *known;
    options.paddingSide = execution == "left-padded" ? PaddingSide::Left : PaddingSide::Right;
    std::vector<const LaidOut*> rows;
    for (const auto& entry : cases)
        rows.push_back(&entry.row);
    const at::NoGradGuard noGradients;
    const auto batch = collate(rows, options);
    Json results = Json::array();
    std::size_t next = 0;
    for (const auto& unit : batch.units) {
        std::vector<at::Tensor> layers;
        ForwardOptions forward;
        forward.compute = type;
        forward.layers = &layers;
        const at::Tensor hidden = model.backbone->forward(unit.input, forward);
        std::int64_t row = 0;
        while (row < unit.readOuts.rows.size(0)) {
            const Case& entry = cases[next++];
            const auto count = static_cast<std::int64_t>(entry.row.scores.size());
            const at::Tensor own = unit.readOuts.rows.narrow(0, row, count);
            const at::Tensor state = hidden.index_select(0, own);
            Json json = {{"name", entry.name}, {"tokens", count}, {"last_hidden_state", matrixJson(state)}};
            addOutputs(json, model, state, entry.row.sequences.front().ids);
            json["layers"] = layerJson(layers, own);
            results.push_back(std::move(json));
            row += count;
        }
    }
    Json json = modelJson(reportOf(model));
    json["execution"] = execution;
    json["tokens"] = batch.tokens;
    json["computed_tokens"] = batch.computedTokens;
    json["cases"] = std::move(results);
    return json;
}

} // namespace

Result<std::string> describeModel(const std::filesystem::path& place, const std::string& head)
{
    TRY(const auto report, inspectModel({place.string(), head}));
    auto json = modelJson(report);
    json.update(surroundingsJson(report));
    return json.dump(2) + "\n";
}

Result<std::string> probeModel(const std::filesystem::path& place, std::string_view casesJson,
                               std::string_view execution, std::string_view dtype, const std::string& head)
{
    if (dtype != "float32" && dtype != "float64")
        return Error{ErrorCode::Usage, fmt::format("\"{}\" is no type of a probe", dtype), "dtype",
                     "Choose float32 or float64"};
    const auto type = dtype == "float64" ? at::kDouble : at::kFloat;
    try {
        TRY(const auto folder, findModel(place));
        ComputeChoice compute;
        compute.weights = type;
        TRY_STATUS(checkModelFits(folder, compute, ModelUse::Scoring));
        TRY(const auto model, openModelFolder(folder, type, MissingHead::Refuse, at::kCPU, {}, head));
        TRY(const auto cases, readCases(casesJson, model.config.limits()));
        TRY(const auto json, runCases(model, cases, execution, type));
        return json.dump() + "\n";
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, error.what(), place.string()};
    }
}

} // namespace assay
