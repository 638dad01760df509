#include "core/files/tensor_info.h"

#include <array>
#include <limits>

namespace assay {

namespace {

struct DTypeRow
{
    DType dtype;
    std::string_view name;
    std::int32_t bits;
};

constexpr std::array kDTypes{
    DTypeRow{DType::Bool, "BOOL", 8},
    DTypeRow{DType::U8, "U8", 8},
    DTypeRow{DType::I8, "I8", 8},
    DTypeRow{DType::U16, "U16", 16},
    DTypeRow{DType::I16, "I16", 16},
    DTypeRow{DType::U32, "U32", 32},
    DTypeRow{DType::I32, "I32", 32},
    DTypeRow{DType::U64, "U64", 64},
    DTypeRow{DType::I64, "I64", 64},
    DTypeRow{DType::F16, "F16", 16},
    DTypeRow{DType::BF16, "BF16", 16},
    DTypeRow{DType::F32, "F32", 32},
    DTypeRow{DType::F64, "F64", 64},
    DTypeRow{DType::C64, "C64", 64},
    DTypeRow{DType::F8E4M3, "F8_E4M3", 8},
    DTypeRow{DType::F8E5M2, "F8_E5M2", 8},
    DTypeRow{DType::F8E8M0, "F8_E8M0", 8},
    DTypeRow{DType::F8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    DTypeRow{DType::F8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    DTypeRow{DType::F6E2M3, "F6_E2M3", 6},
    DTypeRow{DType::F6E3M2, "F6_E3M2", 6},
    DTypeRow{DType::F4, "F4", 4},
};

const DTypeRow& rowOf(DType dtype)
{
    return kDTypes.at(static_cast<std::size_t>(dtype));
}

} // namespace

std::string_view dtypeName(DType dtype)
{
    return rowOf(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (const auto& row : kDTypes)
        if (row.name == name)
            return row.dtype;
    return {};
}

std::int32_t dtypeBits(DType dtype)
{
    return rowOf(dtype).bits;
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

std::optional<std::uint64_t> tensorBytes(DType dtype, const std::vector<std::int64_t>& shape)
{
    std::int64_t elements = 1;
    for (const auto size : shape) {
        if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
            return {};
    }
    std::uint64_t bits = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(elements),
                               static_cast<std::uint64_t>(dtypeBits(dtype)), &bits) ||
        bits % 8 != 0 || bits / 8 > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return {};
    return bits / 8;
}

} // namespace assay
