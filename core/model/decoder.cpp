#include "core/model/decoder.h"

#include "core/base/check.h"
#include "core/model/decoder_layer.h"
#include "core/nn/recompute.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace assay {

namespace {

struct DecoderTensors
{
    Parameter embedding, positions; ///< [vocabulary, width]; [positions, width] or undefined
    std::vector<DecoderLayer> layers;
    DecoderNorm finalNorm;
};

/// [1, width] float64; in blocks, so that a large embedding is never held in float64.
at::Tensor meanOf(const at::Tensor& rows)
{
    constexpr std::int64_t kBlockRows = 4096;
    at::Tensor sum = at::zeros({1, rows.size(1)}, rows.options().dtype(at::kDouble));
    for (std::int64_t at = 0; at < rows.size(0); at += kBlockRows)
        sum += rows.narrow(0, at, std::min(kBlockRows, rows.size(0) - at)).to(at::kDouble).sum(0, true);
    return sum / static_cast<double>(rows.size(0));
}

class Decoder : public Backbone
{
public:
    Decoder(const DecoderConfig& config, DecoderTensors tensors)
        : m_config(config)
        , m_tensors(std::move(tensors))
        , m_frequencies(rotaryFrequencies(config.rotary, rotaryWidth()))
        , m_localFrequencies(config.localRotary ? rotaryFrequencies(*config.localRotary, rotaryWidth())
                                                : std::vector<double>())
    {}

    at::Tensor forward(const BackboneInput& input, const ForwardOptions& options) const override
    {
        at::Tensor x = embedded(input); // [tokens, width]
        const RotaryTable table = rotaryTableOf(m_config.rotary, m_frequencies, input, options);
        const RotaryTable local =
            m_config.localRotary ? rotaryTableOf(*m_config.localRotary, m_localFrequencies, input, options)
                                 : table;
        const auto& layers = m_tensors.layers;
        if (input.record)
            input.record->layers.resize(layers.size());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (options.layers)
                options.layers->push_back(x);
            const RotaryTable& positions = layers[i].rule.window > 0 ? local : table;
            if (options.recompute) {
                // The block runs again after this frame is gone: it owns what it needs.
                const auto owned = [this, i, positions, forest = input.forest, padded = input.padded,
                                    compute = options.compute](const at::Tensor& in) {
                    BackboneInput again;
                    again.forest = forest;
                    again.padded = padded;
                    return m_tensors.layers[i].forward(in, m_config, positions, again, i, compute);
                };
                x = assay::recompute(owned, x);
            } else {
                x = layers[i].forward(x, m_config, positions, input, i, options.compute);
            }
        }
        x = m_tensors.finalNorm.forward(x, m_config, x.scalar_type());
        if (options.layers)
            options.layers->push_back(x);
        return x;
    }

    std::int64_t width() const override { return m_config.width; }
    std::int64_t vocabulary() const override { return m_config.vocabulary; }

    AttentionNeeds attention() const override
    {
        AttentionNeeds needs;
        for (const auto window : m_config.windows)
            if (window > 0 &&
                std::find(needs.windows.begin(), needs.windows.end(), window) == needs.windows.end())
                needs.windows.push_back(window);
        needs.capped = m_config.attentionSoftcap.has_value();
        return needs;
    }

    void addToken(std::int64_t id) override
    {
        const at::NoGradGuard noGradients;
        at::Tensor& rows = m_tensors.embedding.tensor;
        ASSAY_CHECK(id > 0 && id <= rows.size(0), "a new token comes behind those that have an embedding");
        const at::Tensor mean = meanOf(rows.narrow(0, 0, id)).to(rows.scalar_type());
        if (id == rows.size(0))
            rows = at::cat({rows, mean});
        else
            rows.narrow(0, id, 1).copy_(mean);
        m_config.vocabulary = rows.size(0);
    }

    Parameter trainToken(std::int64_t id) override
    {
        const Parameter& all = m_tensors.embedding;
        m_trainedToken = {all.name + "[" + std::to_string(id) + "]",
                          all.tensor.detach().narrow(0, id, 1).detach(), all.decays};
        m_trainedToken.tensor.set_requires_grad(true);
        m_trainedId = id;
        return m_trainedToken;
    }

    Parameters parameters() const override
    {
        Parameters result{m_tensors.embedding};
        if (m_tensors.positions.tensor.defined())
            result.push_back(m_tensors.positions);
        for (const auto& layer : m_tensors.layers)
            layer.appendParameters(result);
        result.push_back(m_tensors.finalNorm.weight);
        if (m_tensors.finalNorm.bias.tensor.defined())
            result.push_back(m_tensors.finalNorm.bias);
        return result;
    }

private:
    std::int64_t rotaryWidth() const
    {
        return m_config.rotaryWidth > 0 ? m_config.rotaryWidth : m_config.headWidth;
    }

    RotaryTable rotaryTableOf(const RotaryConfig& config, const std::vector<double>& frequencies,
                              const BackboneInput& input, const ForwardOptions& options) const
    {
        if (m_config.traits.learnedPositions)
            return {};
        return rotaryTable(input.positions, frequencies, options.compute, config.amplitude);
    }

    at::Tensor embedded(const BackboneInput& input) const
    {
        at::Tensor x = at::embedding(m_tensors.embedding.tensor, input.ids);
        // The same values once more, but with a gradient for this one row.
        if (m_trainedToken.tensor.defined() && at::GradMode::is_enabled()) {
            const at::Tensor places = (input.ids == m_trainedId).nonzero().squeeze(1);
            x = x.index_copy(0, places, m_trainedToken.tensor.expand({places.size(0), m_config.width}));
        }
        if (m_config.embeddingScale != 1.0)
            x = x * m_config.embeddingScale;
        if (m_tensors.positions.tensor.defined())
            x = x + at::embedding(m_tensors.positions.tensor, input.positions);
        return x;
    }

    DecoderConfig m_config;
    DecoderTensors m_tensors;
    std::vector<double> m_frequencies, m_localFrequencies;
    Parameter m_trainedToken; ///< [1, width], shares storage with its row of the embedding; or undefined
    std::int64_t m_trainedId = -1;
};

/// [outputs, inputs] of a projection, whatever way it is stored.
std::pair<std::int64_t, std::int64_t> projectionShape(const DecoderConfig& config, DecoderPart part)
{
    const auto queries = config.heads * config.headWidth;
    const auto keys = config.keyValueHeads * config.headWidth;
    switch (part) {
    case DecoderPart::Query:
        return {queries, config.width};
    case DecoderPart::Key:
    case DecoderPart::Value:
        return {keys, config.width};
    case DecoderPart::QueryKeyValue:
        return {queries + 2 * keys, config.width};
    case DecoderPart::Output:
        return {config.width, queries};
    case DecoderPart::Gate:
    case DecoderPart::Up:
        return {config.mlpWidth, config.width};
    case DecoderPart::GateUp:
        return {2 * config.mlpWidth, config.width};
    case DecoderPart::Down:
        return {config.width, config.mlpWidth};
    }
    ASSAY_CHECK(false, "a known part");
    return {};
}

bool hasBias(const DecoderConfig& config, DecoderPart part)
{
    if (part == DecoderPart::Output)
        return config.outputBias;
    return part < DecoderPart::Output ? config.attentionBias : config.mlpBias;
}

/// Whether checkpoints of these traits hold the part.
bool holds(const DecoderTraits& traits, DecoderPart part)
{
    const bool separate = traits.attentionTensors == AttentionTensors::Separate;
    switch (part) {
    case DecoderPart::Query:
    case DecoderPart::Key:
    case DecoderPart::Value:
        return separate;
    case DecoderPart::QueryKeyValue:
        return !separate;
    case DecoderPart::Gate:
        return traits.gatedMlp && !traits.fusedGate;
    case DecoderPart::Up:
        return !traits.fusedGate;
    case DecoderPart::GateUp:
        return traits.fusedGate;
    default:
        return true;
    }
}

/// Builds a decoder from any source of tensors: `make(name, shape, part)` returns a Result.
template <typename Make>
class DecoderBuilder
{
public:
    DecoderBuilder(const Family& family, const DecoderConfig& config, Make make)
        : m_family(family)
        , m_config(config)
        , m_make(std::move(make))
    {}

    Result<std::unique_ptr<Backbone>> build()
    {
        DecoderTensors tensors;
        TRY(tensors.embedding, parameter("embedding", m_family.tensorName("embedding"),
                                         {m_config.vocabulary, m_config.width}, true));
        if (m_config.traits.learnedPositions) {
            TRY(tensors.positions, parameter("position", m_family.tensorName("position"),
                                             {m_config.maximumPositions, m_config.width}, true));
        }
        for (std::int64_t i = 0; i < m_config.layers; ++i) {
            TRY(auto made, layer(i));
            tensors.layers.push_back(std::move(made));
        }
        TRY(tensors.finalNorm, norm("final_norm", -1, m_config.width));
        std::unique_ptr<Backbone> decoder = std::make_unique<Decoder>(m_config, std::move(tensors));
        return decoder;
    }

private:
    Result<Parameter> parameter(std::string_view part, const std::string& name,
                                const std::vector<std::int64_t>& shape, bool decays)
    {
        TRY(at::Tensor tensor, m_make(name, shape, part));
        return Parameter{name, std::move(tensor), decays};
    }

    Result<DecoderNorm> norm(const char* part, std::int64_t layer, std::int64_t size)
    {
        DecoderNorm result;
        const std::string name = m_family.tensorName(part, layer);
        TRY(result.weight, parameter("norm", name + ".weight", {size}, false));
        if (m_config.traits.norm == NormKind::Layer) {
            TRY(result.bias, parameter("bias", name + ".bias", {size}, false));
        }
        return result;
    }

    Result<DecoderLayer> layer(std::int64_t index)
    {
        DecoderLayer result;
        result.rule = {m_config.attentionScale, m_config.attentionSoftcap, m_config.window(index)};
        TRY(result.attentionNorm, norm("attention_norm", index, m_config.width));
        for (std::size_t i = 0; i < kDecoderParts.size(); ++i) {
            const auto part = static_cast<DecoderPart>(i);
            if (!holds(m_config.traits, part))
                continue;
            const auto [rows, columns] = projectionShape(m_config, part);
            const std::string name = m_family.tensorName(kDecoderParts[i], index);
            auto& tensors = result.parts[i];
            tensors.transposed = m_config.traits.transposed;
            const auto shape = tensors.transposed ? std::vector{columns, rows} : std::vector{rows, columns};
            TRY(tensors.weight, parameter(kDecoderParts[i], name + ".weight", shape, true));
            if (hasBias(m_config, part)) {
                TRY(tensors.bias, parameter("bias", name + ".bias", {rows}, false));
            }
        }
        TRY(result.mlpNorm, norm("mlp_norm", index, m_config.width));
        if (m_config.traits.postNorms) {
            TRY(result.postAttentionNorm, norm("post_attention_norm", index, m_config.width));
            TRY(result.postMlpNorm, norm("post_mlp_norm", index, m_config.width));
        }
        if (m_config.traits.queryKeyNorm) {
            TRY(result.queryNorm, norm("query_norm", index, m_config.headWidth));
            TRY(result.keyNorm, norm("key_norm", index, m_config.headWidth));
        }
        return result;
    }

    const Family& m_family;
    const DecoderConfig& m_config;
    Make m_make;
};

} // namespace

Result<std::unique_ptr<Backbone>> loadDecoder(const Family& family, const DecoderConfig& config,
                                              WeightLoader& loader, bool withPrefix)
{
    const auto take = [&](const std::string& name, const std::vector<std::int64_t>& shape,
                          std::string_view part) -> Result<at::Tensor> {
        TRY(auto tensor,
            loader.take(name, shape, withPrefix ? std::string() : name.substr(family.prefix.size())));
        const bool product =
            std::find(kDecoderParts.begin(), kDecoderParts.end(), part) != kDecoderParts.end();
        if (config.traits.transposed && product) {
            auto& entry = loader.ledger().back();
            entry.action = "transposed";
            entry.detail += ", stored with inputs first and read so";
        }
        return tensor;
    };
    return DecoderBuilder(family, config, take).build();
}

std::unique_ptr<Backbone> newDecoder(const Family& family, const DecoderConfig& config, RandomStream& stream,
                                     at::ScalarType type, at::Device device)
{
    const double outputScale = 1.0 / std::sqrt(2.0 * static_cast<double>(config.layers));
    const auto draw = [&](const std::string&, const std::vector<std::int64_t>& shape,
                          std::string_view part) -> Result<at::Tensor> {
        const auto options = at::TensorOptions().dtype(type).device(device);
        if (part == "norm")
            return at::full(shape, 1.0 - config.traits.normOffset, options);
        if (part == "bias")
            return at::zeros(shape, options);
        const double scale = part == "output" || part == "down" ? outputScale : 1.0;
        at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
        auto* data = tensor.data_ptr<double>();
        for (std::int64_t i = 0; i < tensor.numel(); ++i)
            data[i] = stream.normal() * config.initialDeviation * scale;
        return tensor.to(type).to(device);
    };
    auto decoder = DecoderBuilder(family, config, draw).build();
    ASSAY_CHECK(decoder.ok(), "a new decoder needs no file");
    return std::move(decoder).value();
}

} // namespace assay
