#include "core/model/torchtune.h"

#include <fmt/format.h>

#include <array>

namespace assay {

namespace {

struct PartName
{
    const char* part;      ///< ours, in the family's row
    const char* torchtune; ///< with the layer before it
    enum class Rows { AsOurs, Queries, Keys } rows = Rows::AsOurs;
};

constexpr std::array kLayerParts{
    PartName{"attention_norm", "sa_norm.scale"},
    PartName{"query", "attn.q_proj.weight", PartName::Rows::Queries},
    PartName{"key", "attn.k_proj.weight", PartName::Rows::Keys},
    PartName{"value", "attn.v_proj.weight"},
    PartName{"output", "attn.output_proj.weight"},
    PartName{"mlp_norm", "mlp_norm.scale"},
    PartName{"gate", "mlp.w1.weight"},
    PartName{"down", "mlp.w2.weight"},
    PartName{"up", "mlp.w3.weight"},
};

constexpr const char* kEmbedding = "tok_embeddings.weight";

/// What a decoder has that torchtune's Llama and Mistral have not; empty: nothing.
std::string lacking(const DecoderConfig& config)
{
    const auto& traits = config.traits;
    if (!config.windows.empty())
        return "windows of attention";
    if (config.attentionBias || config.outputBias || config.mlpBias)
        return "biases";
    if (traits.queryKeyNorm || traits.postNorms || traits.normOffset != 0.0 || traits.norm != NormKind::Rms)
        return "these norms";
    if (traits.attentionTensors != AttentionTensors::Separate || traits.fusedGate)
        return "fused projections";
    if (traits.learnedPositions || traits.transposed || !traits.gatedMlp || config.embeddingScale != 1.0 ||
        config.attentionSoftcap)
        return "such layers";
    return {};
}

} // namespace

bool hasTorchtuneNames(const WeightFolder& weights)
{
    return weights.find(kEmbedding) != nullptr;
}

Result<ForeignNames> torchtuneNames(const ModelConfig& config, bool perToken, bool languageHead)
{
    const Family& family = *config.family;
    const DecoderConfig& decoder = config.decoder;
    if (const auto what = lacking(decoder); !what.empty())
        return Error{
            ErrorCode::Unsupported,
            fmt::format("torchtune's Llama and Mistral decoders have not {} ({})", what, family.title),
            "config.json", "Use the Hugging Face format"};
    ForeignNames names;
    names[family.tensorName("embedding")] = {kEmbedding};
    names[family.tensorName("final_norm") + ".weight"] = {"norm.scale"};
    names[languageHead ? family.languageHead : family.head(perToken) + ".weight"] = {"output.weight"};
    for (std::int64_t layer = 0; layer < decoder.layers; ++layer)
        for (const auto& [part, torchtune, rows] : kLayerParts) {
            const auto heads = rows == PartName::Rows::Queries ? decoder.heads
                               : rows == PartName::Rows::Keys  ? decoder.keyValueHeads
                                                               : 0;
            names[family.tensorName(part, layer) + ".weight"] = {
                fmt::format("layers.{}.{}", layer, torchtune), heads};
        }
    return names;
}

at::Tensor interleaved(const at::Tensor& rows, std::int64_t heads)
{
    const auto half = rows.size(0) / heads / 2;
    return rows.reshape({heads, 2, half, -1}).transpose(1, 2).reshape(rows.sizes()).contiguous();
}

at::Tensor halved(const at::Tensor& rows, std::int64_t heads)
{
    const auto half = rows.size(0) / heads / 2;
    return rows.reshape({heads, half, 2, -1}).transpose(1, 2).reshape(rows.sizes()).contiguous();
}

} // namespace assay
