#include "core/model/weight_loader.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay {

namespace {

std::optional<at::ScalarType> floatType(DType type)
{
    switch (type) {
    case DType::F32:
        return at::kFloat;
    case DType::F16:
        return at::kHalf;
    case DType::BF16:
        return at::kBFloat16;
    case DType::F64:
        return at::kDouble;
    default:
        return std::nullopt;
    }
}

} // namespace

std::vector<std::int64_t> WeightLoader::shape(const std::string& name) const
{
    const TensorInfo* info = m_folder.find(storedName(name));
    return info ? info->shape : std::vector<std::int64_t>();
}

std::string WeightLoader::firstFile() const
{
    return m_folder.files().empty() ? std::string("model.safetensors")
                                    : m_folder.files().front()->path().filename().string();
}

void WeightLoader::watch(LoadGoOn goOn)
{
    m_goOn = std::move(goOn);
    m_tensors = std::max(1.0, double(m_folder.tensors().size()));
}

Result<at::Tensor> WeightLoader::take(const std::string& name, const std::vector<std::int64_t>& shape,
                                      const std::string& storedAs)
{
    const std::string& stored = storedAs.empty() ? storedName(name) : storedAs;
    const TensorInfo* info = m_folder.find(stored);
    if (!info)
        return Error{ErrorCode::BadModel, fmt::format("the tensor {} of the model is missing", stored),
                     firstFile(), "The folder is incomplete, or its config.json belongs to another model"};
    const auto file = m_folder.fileOf(stored).filename().string();
    if (m_goOn && !m_goOn(double(m_seen.size()) / m_tensors))
        return Error{ErrorCode::Cancelled, "stopped while weights were read", file};
    if (info->shape != shape)
        return Error{ErrorCode::BadModel,
                     fmt::format("the tensor {} has shape {}, but config.json asks for {}", stored,
                                 shapeText(info->shape), shapeText(shape)),
                     file};
    const auto type = floatType(info->dtype);
    if (!type)
        return Error{ErrorCode::BadModel,
                     fmt::format("the tensor {} has type {}; weights must be F32, F16, BF16 or F64", stored,
                                 dtypeName(info->dtype)),
                     file};
    at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(*type));
    TRY_STATUS(m_folder.read(
        stored, {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(info->bytes())}));
    if (!tensor.isfinite().all().item<bool>())
        return Error{ErrorCode::BadModel,
                     fmt::format("the tensor {} holds a value that is not finite", stored), file,
                     "The file is damaged, or the training that made it diverged"};
    const auto foreign = m_foreign.find(name);
    const auto heads = foreign == m_foreign.end() ? 0 : foreign->second.interleavedHeads;
    if (heads > 0)
        tensor = halved(tensor, heads);
    m_seen.insert(stored);
    m_ledger.push_back({name, stored == name ? "loaded" : "mapped",
                        fmt::format("{} {}{}{}", dtypeName(info->dtype), shapeText(shape),
                                    stored == name ? "" : " from " + stored,
                                    heads > 0 ? ", rows of every head from pairs to halves" : "")});
    return tensor.to(m_type).to(m_device);
}

void WeightLoader::leave(const std::string& name, const std::string& reason)
{
    if (!has(name) || m_seen.contains(name))
        return;
    m_seen.insert(name);
    m_ledger.push_back({name, "unused", reason});
}

Status WeightLoader::finish() const
{
    for (const auto& tensor : m_folder.tensors())
        if (!m_seen.contains(tensor.name))
            return Error{ErrorCode::BadModel,
                         fmt::format("the tensor {} has no place in the model that config.json describes",
                                     tensor.name),
                         m_folder.fileOf(tensor.name).filename().string(),
                         "config.json belongs to another model, or the family needs support for it"};
    return {};
}

} // namespace assay
