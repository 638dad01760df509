#pragma once

#include "core/base/result.h"
#include "core/files/weight_folder.h"
#include "core/model/ledger.h"
#include "core/model/torchtune.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace assay {

/// Asked before every tensor, with the share of the folder's tensors that are behind it, [0, 1]; loading ends
/// with Cancelled when it says false.
using LoadGoOn = std::function<bool(double share)>;

/// Hands out the tensors of a model folder by name and shape, strictly: float types only, exact shapes,
/// finite values, and at the end nothing may be left that would change what the model computes.
class WeightLoader
{
public:
    WeightLoader(const WeightFolder& folder, at::ScalarType type, at::Device device = at::kCPU)
        : m_folder(folder)
        , m_type(type)
        , m_device(device)
    {}

    /// From now on names are ours, and the folder has those of another program.
    void useForeignNames(ForeignNames names) { m_foreign = std::move(names); }

    bool foreign() const { return !m_foreign.empty(); }

    bool has(const std::string& name) const { return m_folder.find(storedName(name)) != nullptr; }
    /// Empty when there is no such tensor.
    std::vector<std::int64_t> shape(const std::string& name) const;
    /// Name of the file that errors are about when no tensor tells.
    std::string firstFile() const;
    /// `storedAs`: the name in the file, if it differs from ours. Errors: BadModel with file, tensor and
    /// shapes.
    Result<at::Tensor> take(const std::string& name, const std::vector<std::int64_t>& shape,
                            const std::string& storedAs = {});
    /// Records a tensor that is in the file but has no part in the model.
    void leave(const std::string& name, const std::string& reason);
    /// Errors: BadModel naming the first tensor that nobody took or left.
    Status finish() const;

    Ledger& ledger() { return m_ledger; }

    void watch(LoadGoOn goOn);

private:
    const std::string& storedName(const std::string& name) const
    {
        const auto foreign = m_foreign.find(name);
        return foreign == m_foreign.end() ? name : foreign->second.name;
    }

    ForeignNames m_foreign;
    const WeightFolder& m_folder;
    at::ScalarType m_type;
    at::Device m_device;
    Ledger m_ledger;
    std::set<std::string> m_seen;
    LoadGoOn m_goOn;
    double m_tensors = 1.0; ///< of the folder, for whoever watches
};

} // namespace assay
