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

JsonFormat::JsonFormat(std::string_view id, std::string_view title, JsonRowsReader read,
                       bool (*looksLikeIt)(std::string_view head))
    : m_id(id)
    , m_title(title)
    , m_readSeveral(read)
    , m_sniff(looksLikeIt)
{}

JsonFormat::JsonFormat(std::string_view id, std::string_view title, std::vector<std::string_view> keys,
                       JsonRowsReader read)
    : m_id(id)
    , m_title(title)
    , m_spellings({std::move(keys)})
    , m_readSeveral(read)
{}

bool JsonFormat::sniff(const std::filesystem::path&, std::string_view head) const
{
    if (m_sniff)
        return m_sniff(head);
    const auto found = firstKeys(head);
    return std::any_of(m_spellings.begin(), m_spellings.end(), [&found](const auto& keys) {
        return std::all_of(keys.begin(), keys.end(), [&found](std::string_view key) {
            return std::find(found.begin(), found.end(), key) != found.end();
        });
    });
}

Result<DatasetPtr> JsonFormat::open(const std::filesystem::path& path, const OpenOptions& options) const
{
    return m_readSeveral ? openJsonRows(path, options, m_readSeveral)
                         : openJsonRows(path, options, m_read, m_fault);
}

Result<Example> JsonFormat::readRow(std::string_view json) const
{
    if (!m_read)
        return Error{ErrorCode::Unsupported, "rows of the format " + std::string(m_id) +
                                                 " hold several examples and do not stand alone"};
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
