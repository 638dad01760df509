#include "core/model/heads.h"

#include "core/nn/projection.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>

#include <array>

namespace assay {

namespace {

constexpr std::array kKinds = {
    HeadKind{"step-classifier", "Step classifier, two outputs", 2, true, true},
    HeadKind{"step-two-layer", "Step classifier, two outputs behind a hidden layer", 2, true, true, true},
    HeadKind{"step-scalar", "Step scalar, one logit", 1, true, true},
    // A bias would add the same to both rewards of a pair: its gradient is zero.
    HeadKind{"pair-scalar", "Pair scalar, one reward", 1, false, false}};

/// Linear layers over the hidden state. Named `score`, as the published checkpoints name them: one layer as
/// the classifiers do, two as a sequence of layers with the ReLU at place 1.
class LinearHead : public Head
{
public:
    LinearHead(const HeadKind& kind, HeadWeights weights)
        : m_kind(kind)
        , m_weights(std::move(weights))
    {}

    std::string_view kind() const override { return m_kind.id; }
    std::int64_t outputs() const override { return m_kind.outputs; }

    at::Tensor forward(const at::Tensor& hidden) const override
    {
        return headOutputs(m_weights, hidden.to(m_weights.weight.scalar_type())); // [scores, outputs]
    }

    Parameters parameters() const override
    {
        Parameters result;
        std::string place;
        if (m_weights.hiddenWeight.defined()) {
            result.push_back({"score.0.weight", m_weights.hiddenWeight, true});
            result.push_back({"score.0.bias", m_weights.hiddenBias, false});
            place = ".2";
        }
        result.push_back({"score" + place + ".weight", m_weights.weight, true});
        if (m_weights.bias.defined())
            result.push_back({"score" + place + ".bias", m_weights.bias, false});
        return result;
    }

    std::pair<at::Tensor, at::Tensor> correct(const at::Tensor& scores) const override
    {
        const at::Tensor wide = scores.to(at::kDouble);
        // Softmax over two outputs is the sigmoid of their difference.
        const at::Tensor logit =
            m_kind.outputs == 2 ? wide.select(1, 1) - wide.select(1, 0) : wide.select(1, 0);
        return {logit, logit.sigmoid()};
    }

private:
    HeadKind m_kind;
    HeadWeights m_weights;
};

} // namespace

std::span<const HeadKind> headKinds()
{
    return kKinds;
}

const HeadKind* headKind(std::string_view id)
{
    for (const auto& kind : kKinds)
        if (kind.id == id)
            return &kind;
    return nullptr;
}

const HeadKind* storedHeadKind(std::int64_t outputs, bool perToken, bool hiddenLayer)
{
    for (const auto& kind : kKinds)
        if (kind.outputs == outputs && kind.perToken == perToken && kind.hiddenLayer == hiddenLayer)
            return &kind;
    return nullptr;
}

at::Tensor headOutputs(const HeadWeights& weights, const at::Tensor& hidden)
{
    if (!weights.hiddenWeight.defined())
        return Projection(weights.weight, weights.bias).forward(hidden);
    const at::Tensor inner = Projection(weights.hiddenWeight, weights.hiddenBias).forward(hidden).relu();
    return Projection(weights.weight, weights.bias).forward(inner);
}

std::unique_ptr<Head> makeHead(const HeadKind& kind, HeadWeights weights)
{
    return std::make_unique<LinearHead>(kind, std::move(weights));
}

std::unique_ptr<Head> newHead(const HeadKind& kind, std::int64_t width, RandomStream& stream,
                              at::ScalarType type, at::Device device)
{
    const auto options = at::TensorOptions().dtype(type).device(device);
    const auto drawn = [&](std::int64_t outputs) {
        constexpr double kDeviation = 0.02;
        at::Tensor weight = at::empty({outputs, width}, at::TensorOptions().dtype(at::kDouble));
        auto* data = weight.data_ptr<double>();
        for (std::int64_t i = 0; i < weight.numel(); ++i)
            data[i] = stream.normal() * kDeviation;
        return weight.to(type).to(device);
    };
    HeadWeights weights;
    if (kind.hiddenLayer) {
        weights.hiddenWeight = drawn(width);
        weights.hiddenBias = at::zeros({width}, options);
    }
    weights.weight = drawn(kind.outputs);
    if (kind.bias)
        weights.bias = at::zeros({kind.outputs}, options);
    return makeHead(kind, std::move(weights));
}

} // namespace assay
