#pragma once

#include "core/base/result.h"
#include "core/files/safetensors.h"
#include "core/model/backbone.h"
#include "core/model/heads.h"
#include "core/model/ledger.h"
#include "core/model/model_config.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// Where read-outs are taken from the hidden states, and which of them each score uses.
struct ReadOutRows
{
    at::Tensor rows;    ///< [positions] int64, flat tokens of all read-outs
    at::Tensor readOut; ///< [positions] int64, which read-out each belongs to; undefined when it is one each
    at::Tensor
        inverseCount; ///< [readOuts, 1], 1 / positions of the read-out (mean pooling); undefined likewise
    std::int64_t readOuts = 0;
    at::Tensor scoreReadOut; ///< [scores] int64; undefined when score i uses read-out i
};

/// Dropout before the head: a mask drawn from its own generator, a function of (seed, step, micro-batch)
/// only.
struct HeadDropout
{
    double share = 0.0;
    std::uint64_t seed = 0;
};

/// Backbone + head.
class RewardModel
{
public:
    /// `newToken`: its embedding trains even if the backbone is frozen.
    RewardModel(ModelConfig config, std::unique_ptr<Backbone> backbone, std::unique_ptr<Head> head,
                bool frozenBackbone, std::optional<std::int64_t> newToken = std::nullopt);

    /// [scores, outputs] in at least float32.
    at::Tensor scores(const BackboneInput& input, const ReadOutRows& readOuts, const ForwardOptions& options,
                      const std::optional<HeadDropout>& dropout = std::nullopt) const;

    const Backbone& backbone() const { return *m_backbone; }
    const Head& head() const { return *m_head; }
    const ModelConfig& config() const { return m_config; }
    /// All parameters, backbone first.
    Parameters parameters() const;
    /// Those that train: requires_grad is set on exactly these.
    Parameters trainable() const;
    bool frozenBackbone() const { return m_frozenBackbone; }

    /// `model.safetensors` content as sources; the tensors stay alive as long as the returned holder.
    struct Saved
    {
        std::vector<at::Tensor> tensors;
        std::vector<TensorSource> sources;
        std::string configJson;
    };
    Saved saved() const;
    /// Its name in a checkpoint: heads have other names in some families.
    std::string storedName(const std::string& parameter) const;
    /// SHA-256 over the bytes of the head's tensors.
    std::string headHash() const;

private:
    ModelConfig m_config;
    std::unique_ptr<Backbone> m_backbone;
    std::unique_ptr<Head> m_head;
    bool m_frozenBackbone;
    Parameters m_newRows; ///< of a frozen backbone, that train nevertheless
};

/// The bytes of a contiguous CPU tensor.
std::span<const std::byte> tensorBytesOf(const at::Tensor& tensor);
/// The file type of a tensor's element type.
DType fileType(at::ScalarType type);

} // namespace assay
