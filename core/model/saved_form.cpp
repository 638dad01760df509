#include "core/model/saved_form.h"

#include <ATen/ops/zeros.h>

#include <nlohmann/json.hpp>

namespace assay {

namespace {

constexpr const char* kHeadBias = "score.bias";

/// As `torch_dtype` of config.json spells it.
const char* configTypeName(at::ScalarType type)
{
    return type == at::kBFloat16 ? "bfloat16" : type == at::kDouble ? "float64" : "float32";
}

bool hasHiddenLayer(const Head& head)
{
    return head.parameters().front().name == "score.0.weight";
}

std::string configJson(const RewardModel& model, const SavedForm& form, at::ScalarType type)
{
    auto json = nlohmann::ordered_json::parse(
        configForHead(model.config(), form.perToken, model.head().outputs(), hasHiddenLayer(model.head())));
    json["torch_dtype"] = configTypeName(type);
    if (form.padId && *form.padId >= 0)
        json["pad_token_id"] = *form.padId;
    else if (form.padId)
        json.erase("pad_token_id");
    return json.dump(2) + "\n";
}

} // namespace

std::string storedNameIn(const Family& family, bool perToken, const std::string& parameter)
{
    constexpr std::string_view kHead = "score.";
    // A hidden layer and what stands behind it have the same names in every family.
    if (parameter != "score.weight" && parameter != kHeadBias)
        return parameter;
    return family.head(perToken) + parameter.substr(kHead.size() - 1);
}

RewardModel::Saved savedModel(const RewardModel& model, const SavedForm& form)
{
    RewardModel::Saved result;
    const auto add = [&](const std::string& name, const at::Tensor& value) {
        at::Tensor plain = value.detach().cpu();
        auto stored = storedNameIn(*model.config().family, form.perToken, name);
        if (const auto foreign = form.foreign.find(stored); foreign != form.foreign.end()) {
            if (const auto heads = foreign->second.interleavedHeads; heads > 0)
                plain = interleaved(plain, heads);
            stored = foreign->second.name;
        }
        result.tensors.push_back((form.type ? plain.to(*form.type) : plain).contiguous());
        const at::Tensor& tensor = result.tensors.back();
        result.sources.push_back(
            {stored, fileType(tensor.scalar_type()), tensor.sizes().vec(), tensorBytesOf(tensor)});
    };
    at::Tensor bias;
    for (const auto& parameter : model.parameters()) {
        if (parameter.name == kHeadBias)
            bias = parameter.tensor;
        else
            add(parameter.name, parameter.tensor);
    }
    const auto type = result.tensors.front().scalar_type();
    if (bias.defined() && form.keepBias)
        add(kHeadBias, bias);
    else if (form.biasPlace)
        add(kHeadBias, at::zeros({model.head().outputs()}, at::TensorOptions().dtype(type)));
    result.configJson = configJson(model, form, type);
    return result;
}

} // namespace assay
