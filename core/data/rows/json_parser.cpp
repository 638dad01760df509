#include "core/data/rows/json_parser.h"

#include "core/base/json_fault.h"
#include "core/base/utf8.h"
#include "core/data/rows/row_faults.h"

#include <algorithm>
#include <vector>

namespace assay {

namespace {

constexpr std::size_t kMaximumDepth = 64;

Error badData(std::string message)
{
    return {ErrorCode::BadData, std::move(message), "", ""};
}

/// Checks what simdjson lets pass: keys that stand twice, and text with half a surrogate pair.
Status checkElement(const simdjson::dom::element& element)
{
    simdjson::dom::array list;
    simdjson::dom::object object;
    std::string_view text;
    if (element.get(list) == simdjson::SUCCESS) {
        for (const auto child : list)
            TRY_STATUS(checkElement(child));
    } else if (element.get(object) == simdjson::SUCCESS) {
        std::vector<std::string_view> keys;
        for (const auto& [key, child] : object) {
            keys.push_back(key);
            if (!isUtf8(key))
                return badData("a key has half a surrogate pair");
            TRY_STATUS(checkElement(child));
        }
        std::sort(keys.begin(), keys.end());
        if (const auto twice = std::adjacent_find(keys.begin(), keys.end()); twice != keys.end())
            return badData("the key " + std::string(twice->substr(0, 40)) + " stands twice in one object");
    } else if (element.get(text) == simdjson::SUCCESS && !isUtf8(text)) {
        return badData("a text has half a surrogate pair");
    }
    return {};
}

std::string reasonOf(simdjson::error_code code, std::string_view json)
{
    if (code == simdjson::DEPTH_ERROR)
        return "nested deeper than " + std::to_string(kMaximumDepth) + " levels";
    if (const auto fault = firstInvalidUtf8(json))
        return "not valid UTF-8 (byte " + std::to_string(*fault + 1) + ")";
    // The parser for speed does not say where; the slow one looks once more.
    const auto fault = jsonFault(json);
    return fault.empty() ? std::string("not valid JSON: ") + simdjson::error_message(code) : fault;
}

} // namespace

JsonParser::JsonParser()
{
    const auto code = m_parser.allocate(1 << 16, kMaximumDepth);
    CHECK(code == simdjson::SUCCESS, simdjson::error_message(code));
}

Result<simdjson::dom::element> JsonParser::parse(std::string_view json)
{
    if (isBlank(json))
        return badData("there is no JSON value");
    m_padded.assign(json);
    m_padded.resize(json.size() + simdjson::SIMDJSON_PADDING);
    simdjson::dom::element element;
    if (const auto code = m_parser.parse(m_padded.data(), json.size(), false).get(element);
        code != simdjson::SUCCESS)
        return badData(reasonOf(code, json));
    if (const auto checked = checkElement(element); !checked.ok()) {
        const auto fault = jsonFault(json); // names the byte, where it finds the fault as well
        return fault.empty() ? checked.error() : badData(fault);
    }
    return element;
}

} // namespace assay
