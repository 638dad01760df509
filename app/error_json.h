#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

namespace assay {

/// {"code", "exit_code", "message", "where", "remedy"}: how every command shows an error as JSON.
nlohmann::ordered_json errorJson(const Error& error);

} // namespace assay
