#include "core/data/rows/row_faults.h"

#include <fmt/format.h>

namespace assay {

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Error tooLongRow(std::string_view what, std::size_t bytes, std::size_t maximumBytes)
{
    return {ErrorCode::BadData,
            fmt::format("the {} has {} bytes; a row may have {}", what, bytes, maximumBytes), "", ""};
}

} // namespace assay
