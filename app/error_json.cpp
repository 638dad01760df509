#include "app/error_json.h"

#include "app/exit_codes.h"

#include <nlohmann/json.hpp>

namespace assay {

nlohmann::ordered_json errorJson(const Error& error)
{
    return {{"code", errorCodeName(error.code)},
            {"exit_code", exitCodeOf(error.code)},
            {"message", error.message},
            {"where", error.where},
            {"remedy", error.remedy}};
}

} // namespace assay
