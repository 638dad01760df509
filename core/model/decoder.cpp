#include "core/model/decoder.h"

#include "core/nn/norm.h"
#include "core/nn/projection.h"
#include "core/nn/recompute.h"
#include "core/nn/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace assay {

namespace {

/// Weight and optional bias of one projection, with their names.
struct ProjectionTensors
{
    Parameter weight, bias;
    Projection projection() const { return {weight.tensor, bias.tensor}; }
};

constexpr std::array kProjectionParts = {"query", "key", "value", "output", "gate", "up", "down"};

struct Layer
{
    Parameter attentionNorm, mlpNorm;
    std::array<ProjectionTensors, kProjectionParts.size()> projections; ///< in the order of kProjectionParts
    const Projection projection(std::size_t part) const { return projections[part].projection(); }
};

std::pair<std::int64_t, std::int64_t> projectionShape(const DecoderConfig& config, std::size_t part)
{
    const auto queries = config.heads * config.headWidth;
    const auto keys = config.keyValueHeads * config.headWidth;
    switch (part) {
    case 0:
        return {queries, config.width};
    case 1:
    case 2:
        return {keys, config.width};
    case 3:
        return {config.width, queries};
    case 4:
    case 5:
        return {config.mlpWidth, config.width};
    default:
        return {config.width, config.mlpWidth};
    }
}

class Decoder : public Backbone
{
public:
    Decoder(const DecoderConfig& config, Parameter embedding, std::vector<Layer> layers, Parameter finalNorm)
        : m_config(config)
        , m_embedding(std::move(embedding))
        , m_layers(std::move(layers))
        , m_finalNorm(std::move(finalNorm))
        , m_frequencies(rotaryFrequencies(config.rotary, config.headWidth))
    {}

    at::Tensor forward(const BackboneInput& input, const ForwardOptions& options) const override
    {
        at::Tensor x = at::embedding(m_embedding.tensor, input.ids); // [tokens, width]
        const RotaryTable table = rotaryTable(input.positions, m_frequencies, options.compute);
        if (input.record)
            input.record->layers.resize(m_layers.size());
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            if (options.layers)
                options.layers->push_back(x);
            const auto block = [this, i, &table, &input, compute = options.compute](const at::Tensor& in) {
                return layerForward(i, in, table, input, compute);
            };
            if (options.recompute) {
                // The block runs again after this frame is gone: it owns what it needs.
                const auto owned = [this, i, table, forest = input.forest, padded = input.padded,
                                    compute = options.compute](const at::Tensor& in) {
                    BackboneInput again;
                    again.forest = forest;
                    again.padded = padded;
                    return layerForward(i, in, table, again, compute);
                };
                x = assay::recompute(owned, x);
            } else {
                x = block(x);
            }
        }
        x = rmsNorm(x, m_finalNorm.tensor, m_config.normEpsilon, x.scalar_type());
        if (options.layers)
            options.layers->push_back(x);
        return x;
    }

    std::int64_t width() const override { return m_config.width; }
    std::int64_t vocabulary() const override { return m_config.vocabulary; }

    Parameters parameters() const override
    {
        Parameters result{m_embedding};
        for (const auto& layer : m_layers) {
            result.push_back(layer.attentionNorm);
            for (const auto& projection : layer.projections) {
                result.push_back(projection.weight);
                if (projection.bias.tensor.defined())
                    result.push_back(projection.bias);
            }
            result.push_back(layer.mlpNorm);
        }
        result.push_back(m_finalNorm);
        return result;
    }

private:
    at::Tensor layerForward(std::size_t index, const at::Tensor& x, const RotaryTable& table,
                            const BackboneInput& input, at::ScalarType compute) const
    {
        const Layer& layer = m_layers[index];
        const auto split = [this](const at::Tensor& t) {
            return t.view({t.size(0), -1, m_config.headWidth});
        };
        const at::Tensor normal = rmsNorm(x, layer.attentionNorm.tensor, m_config.normEpsilon, compute);
        const at::Tensor queries =
            rotate(split(layer.projection(0).forward(normal)), table); // [tokens, heads, headWidth]
        at::Tensor keys =
            rotate(split(layer.projection(1).forward(normal)), table); // [tokens, keyValueHeads, headWidth]
        at::Tensor values = split(layer.projection(2).forward(normal));
        if (input.past && !input.past->layers.empty()) {
            keys = at::cat({input.past->layers[index].keys, keys});
            values = at::cat({input.past->layers[index].values, values});
        }
        if (input.record)
            input.record->layers[index] = {keys, values};
        at::Tensor attended;
        if (input.padded)
            attended = attendPadded(queries, keys, values, *input.padded);
        else if (input.past || input.record)
            attended = attendAfterPrefix(queries, keys, values);
        else
            attended = attendForest(queries, keys, values, input.forest);
        const at::Tensor after = x + layer.projection(3).forward(attended.reshape({attended.size(0), -1}));
        const at::Tensor inner = rmsNorm(after, layer.mlpNorm.tensor, m_config.normEpsilon, compute);
        return after + layer.projection(6).forward(at::silu(layer.projection(4).forward(inner)) *
                                                   layer.projection(5).forward(inner));
    }

    DecoderConfig m_config;
    Parameter m_embedding;
    std::vector<Layer> m_layers;
    Parameter m_finalNorm;
    std::vector<double> m_frequencies;
};

bool hasBias(const DecoderConfig& config, std::size_t part)
{
    return part < 4 ? config.attentionBias : config.mlpBias;
}

/// Builds a decoder from any source of tensors: `make(name, shape, part)` returns a Result.
template <typename Make>
Result<std::unique_ptr<Backbone>> buildDecoder(const Family& family, const DecoderConfig& config, Make make)
{
    const auto parameter = [&](std::string_view part, const std::string& name,
                               const std::vector<std::int64_t>& shape, bool decays) -> Result<Parameter> {
        TRY(at::Tensor tensor, make(name, shape, part));
        return Parameter{name, std::move(tensor), decays};
    };
    TRY(auto embedding,
        parameter("embedding", family.tensorName("embedding"), {config.vocabulary, config.width}, true));
    std::vector<Layer> layers(static_cast<std::size_t>(config.layers));
    for (std::int64_t i = 0; i < config.layers; ++i) {
        Layer& layer = layers[static_cast<std::size_t>(i)];
        TRY(layer.attentionNorm,
            parameter("norm", family.tensorName("attention_norm", i), {config.width}, false));
        for (std::size_t part = 0; part < kProjectionParts.size(); ++part) {
            const auto [rows, columns] = projectionShape(config, part);
            const std::string name = family.tensorName(kProjectionParts[part], i);
            TRY(layer.projections[part].weight,
                parameter(kProjectionParts[part], name + ".weight", {rows, columns}, true));
            if (hasBias(config, part)) {
                TRY(layer.projections[part].bias, parameter("bias", name + ".bias", {rows}, false));
            }
        }
        TRY(layer.mlpNorm, parameter("norm", family.tensorName("mlp_norm", i), {config.width}, false));
    }
    TRY(auto finalNorm, parameter("norm", family.tensorName("final_norm"), {config.width}, false));
    std::unique_ptr<Backbone> decoder =
        std::make_unique<Decoder>(config, std::move(embedding), std::move(layers), std::move(finalNorm));
    return decoder;
}

} // namespace

Result<std::unique_ptr<Backbone>> loadDecoder(const Family& family, const DecoderConfig& config,
                                              WeightLoader& loader, bool withPrefix)
{
    return buildDecoder(
        family, config,
        [&](const std::string& name, const std::vector<std::int64_t>& shape, std::string_view) {
            return loader.take(name, shape, withPrefix ? std::string() : name.substr(family.prefix.size()));
        });
}

std::unique_ptr<Backbone> newDecoder(const Family& family, const DecoderConfig& config, RandomStream& stream,
                                     at::ScalarType type, at::Device device)
{
    const double outputScale = 1.0 / std::sqrt(2.0 * static_cast<double>(config.layers));
    auto decoder =
        buildDecoder(family, config,
                     [&](const std::string&, const std::vector<std::int64_t>& shape,
                         std::string_view part) -> Result<at::Tensor> {
                         const auto options = at::TensorOptions().dtype(type).device(device);
                         if (part == "norm")
                             return at::ones(shape, options);
                         if (part == "bias")
                             return at::zeros(shape, options);
                         const double scale = part == "output" || part == "down" ? outputScale : 1.0;
                         at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
                         auto* data = tensor.data_ptr<double>();
                         for (std::int64_t i = 0; i < tensor.numel(); ++i)
                             data[i] = stream.normal() * config.initialDeviation * scale;
                         return tensor.to(type).to(device);
                     });
    ASSAY_CHECK(decoder.ok(), "a new decoder needs no file");
    return std::move(decoder).value();
}

} // namespace assay
