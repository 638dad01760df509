#pragma once

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/nn/parameter.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Read-outs to scores. An object behind an interface: adding one touches no backbone.
class Head
{
public:
    virtual ~Head() = default;
    virtual std::string_view kind() const = 0;
    /// hidden [scores, width] -> [scores, outputs], at least float32.
    virtual at::Tensor forward(const at::Tensor& hidden) const = 0;
    virtual std::int64_t outputs() const = 0;
    virtual Parameters parameters() const = 0;
    /// Logit and probability of "correct" from the raw outputs: [scores, outputs] -> [scores] float64 each.
    virtual std::pair<at::Tensor, at::Tensor> correct(const at::Tensor& scores) const = 0;
};

/// What a head kind needs: its number of outputs, whether it has a bias, and whether it scores single tokens
/// (saved as a token classifier) or whole sequences.
struct HeadKind
{
    std::string_view id, title;
    std::int64_t outputs = 1;
    bool bias = true;
    bool perToken = true;
    bool hiddenLayer = false; ///< a layer and a ReLU in front of the outputs
};
std::span<const HeadKind> headKinds();
const HeadKind* headKind(std::string_view id);
/// The kind of a stored head; null when no kind fits.
const HeadKind* storedHeadKind(std::int64_t outputs, bool perToken, bool hiddenLayer = false);

/// The tensors of a head.
struct HeadWeights
{
    at::Tensor weight{}, bias{}; ///< [outputs, width or hidden], [outputs]; the bias may be undefined
    at::Tensor hiddenWeight{}, hiddenBias{}; ///< [hidden, width], [hidden]; undefined without a hidden layer
};
/// hidden [scores, width] -> [scores, outputs].
at::Tensor headOutputs(const HeadWeights& weights, const at::Tensor& hidden);

std::unique_ptr<Head> makeHead(const HeadKind& kind, HeadWeights weights);
/// New weights, normal with standard deviation 0.02, biases 0; a hidden layer is as wide as the backbone.
std::unique_ptr<Head> newHead(const HeadKind& kind, std::int64_t width, RandomStream& stream,
                              at::ScalarType type, at::Device device = at::kCPU);

} // namespace assay
