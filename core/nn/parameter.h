#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace assay {

/// A trainable tensor under its checkpoint name (Hugging Face spelling).
struct Parameter
{
    std::string name;
    at::Tensor tensor;
    bool decays = true; ///< weight decay applies; false for norms and biases
};

using Parameters = std::vector<Parameter>;

} // namespace assay
