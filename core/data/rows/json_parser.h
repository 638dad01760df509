#pragma once

#include "core/base/result.h"

#include <simdjson.h>

#include <string>
#include <string_view>

namespace assay {

/// A JSON value parsed strictly: UTF-8, at most 64 levels deep, no lone surrogates, no key twice in one
/// object. The element lives until the parser's next call.
class JsonParser
{
public:
    JsonParser();
    /// Errors: BadData with the reason.
    Result<simdjson::dom::element> parse(std::string_view json);

private:
    simdjson::dom::parser m_parser;
    std::string m_padded;
};

} // namespace assay
