#include "core/data/formats/json_format.h"

#include <algorithm>

namespace assay {

JsonFormat::JsonFormat(std::string_view id, std::string_view title, std::vector<std::string_view> keys,
                       JsonRowReader read, JsonRowFault fault)
    : m_id(id)
    , m_title(title)
    , m_spellings({std::move(keys)})
    , m_read(read)
    , m_fault(fault)
{}

JsonFormat::JsonFormat(std::string_view id, std::string_view title, JsonRowReader read,
                       std::vector<std::vector<std::string_view>> spellings)
    : m_id(id)
    , m_title(title)
    , m_spellings(std::move(spellings))
    , m_read(read)
{}

bool JsonFormat::sniff(const std::filesystem::path&, std::string_view head) const
{
    const auto found = firstKeys(head);
    return std::any_of(m_spellings.begin(), m_spellings.end(), [&found](const auto& keys) {
        return std::all_of(keys.begin(), keys.end(), [&found](std::string_view key) {
            return std::find(found.begin(), found.end(), key) != found.end();
        });
    });
}

Result<DatasetPtr> JsonFormat::open(const std::filesystem::path& path, const OpenOptions& options) const
{
    return openJsonRows(path, options, m_read, m_fault);
}

Result<Example> JsonFormat::readRow(std::string_view json) const
{
    JsonParser parser;
    TRY(const auto element, parser.parse(json));
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS)
        return Error{ErrorCode::BadData, "the row is no JSON object"};
    TRY(auto example, m_read(object));
    identify(example);
    return example;
}

} // namespace assay
