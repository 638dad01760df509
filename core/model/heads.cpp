#include "core/model/heads.h"

#include "core/nn/projection.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>

#include <array>

namespace assay {

namespace {

constexpr std::array kKinds = {HeadKind{"step-classifier", "Step classifier, two outputs", 2, true, true},
                               HeadKind{"step-scalar", "Step scalar, one logit", 1, true, true},
                               // A bias would add the same to both rewards of a pair: its gradient is zero.
                               HeadKind{"pair-scalar", "Pair scalar, one reward", 1, false, false}};

/// One linear layer over the hidden state. Named `score`, as the published classifier checkpoints name it.
class LinearHead : public Head
{
public:
    LinearHead(const HeadKind& kind, at::Tensor weight, at::Tensor bias)
        : m_kind(kind)
        , m_weight{"score.weight", std::move(weight), true}
        , m_bias{"score.bias", std::move(bias), false}
    {}

    std::string_view kind() const override { return m_kind.id; }
    std::int64_t outputs() const override { return m_kind.outputs; }

    at::Tensor forward(const at::Tensor& hidden) const override
    {
        const auto type = m_weight.tensor.scalar_type();
        return Projection(m_weight.tensor, m_bias.tensor).forward(hidden.to(type)); // [scores, outputs]
    }

    Parameters parameters() const override
    {
        Parameters result{m_weight};
        if (m_bias.tensor.defined())
            result.push_back(m_bias);
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
    Parameter m_weight, m_bias;
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

const HeadKind* storedHeadKind(std::int64_t outputs, bool perToken)
{
    for (const auto& kind : kKinds)
        if (kind.outputs == outputs && kind.perToken == perToken)
            return &kind;
    return nullptr;
}

std::unique_ptr<Head> makeHead(const HeadKind& kind, at::Tensor weight, at::Tensor bias)
{
    return std::make_unique<LinearHead>(kind, std::move(weight), std::move(bias));
}

std::unique_ptr<Head> newHead(const HeadKind& kind, std::int64_t width, RandomStream& stream,
                              at::ScalarType type, at::Device device)
{
    constexpr double kDeviation = 0.02;
    at::Tensor weight = at::empty({kind.outputs, width}, at::TensorOptions().dtype(at::kDouble));
    auto* data = weight.data_ptr<double>();
    for (std::int64_t i = 0; i < weight.numel(); ++i)
        data[i] = stream.normal() * kDeviation;
    return makeHead(kind, weight.to(type).to(device),
                    kind.bias ? at::zeros({kind.outputs}, at::TensorOptions().dtype(type).device(device))
                              : at::Tensor());
}

} // namespace assay
