#include "core/run/recorded_data.h"

#include <filesystem>
#include <string>

namespace assay {

Status checkRecordedData(std::initializer_list<std::string_view> paths)
{
    for (const auto path : paths) {
        std::error_code ignored;
        if (!path.empty() && !std::filesystem::exists(path, ignored))
            return Error{ErrorCode::NotFound, "the run recorded this data file, and nothing is there now",
                         std::string(path), "Bring the file back to this place; a link to it will do"};
    }
    return {};
}

} // namespace assay
