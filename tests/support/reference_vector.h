#pragma once

#include "core/files/safetensors.h"
#include "core/run/probes/probe_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace assay::tests {

/// A float32 tensor on its way into a file.
struct Filled
{
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// The deterministic fill of the reference: parameter k, element i.
inline Filled filled(std::string name, std::vector<std::int64_t> shape, std::int64_t k, bool gain)
{
    Filled tensor{std::move(name), std::move(shape), {}};
    std::int64_t count = 1;
    for (const auto size : tensor.shape)
        count *= size;
    for (std::int64_t i = 0; i < count; ++i) {
        const double v = static_cast<double>((31 * i * i + 17 * i + 101 * k + 7) % 257) / 257.0 - 0.5;
        tensor.values.push_back(static_cast<float>(gain ? 1.0 + 0.2 * v : v));
    }
    return tensor;
}

/// vocab 50, d 16, 4 heads, 2 kv, inter 24, 2 layers, 1 output.
inline std::vector<Filled> vectorTensors()
{
    std::vector<Filled> tensors;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
        const bool gain = shape.size() == 1;
        tensors.push_back(filled(name, std::move(shape), std::ssize(tensors), gain));
    };
    add("model.embed_tokens.weight", {50, 16});
    for (int layer = 0; layer < 2; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer) + ".";
        add(at + "self_attn.q_proj.weight", {16, 16});
        add(at + "self_attn.k_proj.weight", {8, 16});
        add(at + "self_attn.v_proj.weight", {8, 16});
        add(at + "self_attn.o_proj.weight", {16, 16});
        add(at + "mlp.gate_proj.weight", {24, 16});
        add(at + "mlp.up_proj.weight", {24, 16});
        add(at + "mlp.down_proj.weight", {16, 24});
        add(at + "input_layernorm.weight", {16});
        add(at + "post_attention_layernorm.weight", {16});
    }
    add("model.norm.weight", {16});
    add("score.weight", {1, 16});
    return tensors;
}

/// As a safetensors file.
inline Status writeTensors(const std::filesystem::path& file, const std::vector<Filled>& tensors)
{
    std::vector<TensorSource> sources;
    for (const auto& tensor : tensors)
        sources.push_back({tensor.name, DType::F32, tensor.shape, std::as_bytes(std::span(tensor.values))});
    return writeSafetensors(file, sources);
}

/// A model folder of the vector's shape; `change` is put into its config.json.
inline Status writeVectorFolder(const std::filesystem::path& folder, const std::vector<Filled>& tensors,
                                const nlohmann::json& change = nlohmann::json::object())
{
    std::filesystem::create_directories(folder);
    nlohmann::json config = nlohmann::json::parse(
        R"({"architectures": ["LlamaForSequenceClassification"], "model_type": "llama", "vocab_size": 50,
            "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "intermediate_size": 24, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
            "max_position_embeddings": 64, "id2label": {"0": "reward"}, "tie_word_embeddings": false})");
    config.update(change);
    std::ofstream(folder / "config.json") << config.dump();
    return writeTensors(folder / "model.safetensors", tensors);
}

/// The score at every position of ids 3 17 42 8 29 11; empty on an error.
inline std::vector<double> vectorScores(const std::filesystem::path& folder)
{
    const auto answer = probeModel(folder, R"([{"input_ids": [3, 17, 42, 8, 29, 11]}])", "single");
    std::vector<double> scores;
    if (!answer)
        return scores;
    const auto json = nlohmann::json::parse(*answer);
    for (const auto& row : json["cases"][0]["outputs"])
        scores.push_back(row[0].get<double>());
    return scores;
}

/// What the reference says of it.
inline const std::vector<double> kVector{-.895780, -2.268319, -.445308, -1.968874, -2.287041, -3.064412};

/// Equal within `tolerance`, and as many.
inline bool near(const std::vector<double>& a, const std::vector<double>& b, double tolerance)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
               return std::abs(x - y) <= tolerance;
           });
}

} // namespace assay::tests
