#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Element types a safetensors file can name.
enum class DType : std::uint8_t {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    BF16,
    F32,
    F64,
    C64,
    F8E4M3,
    F8E5M2,
    F8E8M0,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    F6E2M3,
    F6E3M2,
    F4
};

/// The type's word in a safetensors header, for example `BF16`.
std::string_view dtypeName(DType dtype);
/// Empty for a word the format does not know.
std::optional<DType> dtypeFromName(std::string_view name);
/// Bits of one element (4 and 6 occur).
std::int32_t dtypeBits(DType dtype);

/// Where a tensor lies and how to read it; no data.
struct TensorInfo
{
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape; ///< empty = a scalar
    std::uint64_t begin = 0;         ///< bytes, counted from the first byte after the header
    std::uint64_t end = 0;

    std::uint64_t bytes() const { return end - begin; }
};

/// The shape as people write it: `[24, 48]`.
std::string shapeText(const std::vector<std::int64_t>& shape);

/// Bytes of a tensor, or empty when a dimension is negative, the product overflows or a sub-byte type does
/// not fill whole bytes.
std::optional<std::uint64_t> tensorBytes(DType dtype, const std::vector<std::int64_t>& shape);

} // namespace assay
