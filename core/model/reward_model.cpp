#include "core/model/reward_model.h"

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/model/saved_form.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

namespace assay {

namespace {

/// Mean over the positions of each read-out, or the positions themselves when it is one each.
at::Tensor pooled(const at::Tensor& hidden, const ReadOutRows& readOuts)
{
    const at::Tensor rows = hidden.index_select(0, readOuts.rows); // [positions, width]
    if (!readOuts.readOut.defined())
        return rows;
    return at::zeros({readOuts.readOuts, rows.size(1)}, rows.options()).index_add(0, readOuts.readOut, rows) *
           readOuts.inverseCount.to(rows.scalar_type());
}

at::Tensor dropped(const at::Tensor& x, const HeadDropout& dropout)
{
    at::Generator generator = at::detail::createCPUGenerator(dropout.seed);
    const at::Tensor keep =
        at::rand(x.sizes(), generator, at::TensorOptions().dtype(at::kFloat)) >= dropout.share;
    return x * (keep.to(x.device(), x.scalar_type()) / (1.0 - dropout.share));
}

} // namespace

RewardModel::RewardModel(ModelConfig config, std::unique_ptr<Backbone> backbone, std::unique_ptr<Head> head,
                         bool frozenBackbone, std::optional<std::int64_t> newToken)
    : m_config(std::move(config))
    , m_backbone(std::move(backbone))
    , m_head(std::move(head))
    , m_frozenBackbone(frozenBackbone)
{
    for (auto& parameter : m_backbone->parameters())
        parameter.tensor.set_requires_grad(!frozenBackbone);
    for (auto& parameter : m_head->parameters())
        parameter.tensor.set_requires_grad(true);
    if (frozenBackbone && newToken)
        m_newRows.push_back(m_backbone->trainToken(*newToken));
}

at::Tensor RewardModel::scores(const BackboneInput& input, const ReadOutRows& readOuts,
                               const ForwardOptions& options, const std::optional<HeadDropout>& dropout) const
{
    at::Tensor hidden = pooled(m_backbone->forward(input, options), readOuts); // [readOuts, width]
    if (readOuts.scoreReadOut.defined())
        hidden = hidden.index_select(0, readOuts.scoreReadOut);
    if (dropout && dropout->share > 0.0)
        hidden = dropped(hidden, *dropout);
    return m_head->forward(hidden);
}

Parameters RewardModel::parameters() const
{
    Parameters result = m_backbone->parameters();
    for (auto& parameter : m_head->parameters())
        result.push_back(std::move(parameter));
    return result;
}

Parameters RewardModel::trainable() const
{
    if (!m_frozenBackbone)
        return parameters();
    Parameters result = m_newRows;
    for (auto& parameter : m_head->parameters())
        result.push_back(std::move(parameter));
    return result;
}

std::string RewardModel::storedName(const std::string& parameter) const
{
    return storedNameIn(*m_config.family, headKind(m_head->kind())->perToken, parameter);
}

RewardModel::Saved RewardModel::saved() const
{
    SavedForm form;
    form.perToken = headKind(m_head->kind())->perToken;
    return savedModel(*this, form);
}

std::string RewardModel::headHash() const
{
    Sha256 hash;
    for (const auto& parameter : m_head->parameters()) {
        const at::Tensor tensor = parameter.tensor.detach().cpu().contiguous();
        const auto bytes = tensorBytesOf(tensor);
        hash.addField(parameter.name);
        hash.addField({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return hash.hex();
}

std::span<const std::byte> tensorBytesOf(const at::Tensor& tensor)
{
    ASSAY_CHECK(tensor.is_contiguous() && tensor.device().is_cpu(), "bytes of a contiguous CPU tensor");
    return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

DType fileType(at::ScalarType type)
{
    switch (type) {
    case at::kFloat:
        return DType::F32;
    case at::kDouble:
        return DType::F64;
    case at::kHalf:
        return DType::F16;
    case at::kBFloat16:
        return DType::BF16;
    case at::kLong:
        return DType::I64;
    default:
        break;
    }
    ASSAY_CHECK(false, "no file type for this tensor");
    return DType::F32;
}

} // namespace assay
