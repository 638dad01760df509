#include "core/model/heads/head_declaration.h"

#include "core/base/check.h"
#include "core/base/durable_file.h"
#include "core/base/embedded_file.h"
#include "core/base/json_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kLargestDeclaration = 1 << 20;

/// Reads the keys of one object and refuses those that nobody asked for.
class Keys
{
public:
    /// `json` must outlive it.
    Keys(const Json& json, std::string where)
        : m_json(json)
        , m_where(std::move(where))
    {}

    Result<std::string> text(const std::string& key)
    {
        m_read.push_back(key);
        const auto found = m_json.find(key);
        if (found == m_json.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
            return error(key, "must be a text that is not empty");
        return found->get<std::string>();
    }

    Result<std::vector<std::string>> texts(const std::string& key)
    {
        m_read.push_back(key);
        std::vector<std::string> result;
        if (!m_json.contains(key))
            return result;
        const Json& list = m_json[key];
        const bool fits = list.is_array() && std::all_of(list.begin(), list.end(),
                                                         [](const Json& item) { return item.is_string(); });
        if (!fits)
            return error(key, "must be a list of texts");
        return list.get<std::vector<std::string>>();
    }

    Result<Keys> object(const std::string& key)
    {
        m_read.push_back(key);
        if (!m_json.contains(key) || !m_json[key].is_object())
            return error(key, "must be an object");
        return Keys(m_json[key], m_where + ": " + key);
    }

    /// Keys as in the `layout.json` of a checkpoint.
    Result<LayoutOptions> layout(const std::string& key)
    {
        TRY(const auto found, object(key));
        auto options = layoutFromJson(found.m_json.dump());
        if (!options)
            return error(key, options.error().message);
        if (const auto made = makeLayout(*options, nullptr); !made)
            return error(key, made.error().message);
        return options;
    }

    Status nothingElse() const
    {
        for (const auto& [key, value] : m_json.items())
            if (std::find(m_read.begin(), m_read.end(), key) == m_read.end())
                return error(key, "is no key of a head declaration");
        return {};
    }

    Error error(const std::string& key, const std::string& message) const
    {
        return Error{ErrorCode::BadModel, fmt::format("\"{}\" {}", key, message), m_where,
                     "The declarations in resources/heads show what one looks like"};
    }

private:
    const Json& m_json;
    std::string m_where;
    std::vector<std::string> m_read;
};

} // namespace

Result<HeadDeclaration> parseHeadDeclaration(std::string_view text, const std::string& where)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return Error{ErrorCode::BadModel,
                     json.is_discarded() ? jsonFault(std::string(text)) : std::string("is not a JSON object"),
                     where, "The declarations in resources/heads show what one looks like"};
    Keys keys(json, where);
    HeadDeclaration declaration;
    TRY(declaration.id, keys.text("id"));
    TRY(declaration.title, keys.text("title"));
    TRY(declaration.architectures, keys.texts("architectures"));
    TRY(const auto head, keys.text("head"));
    if (head == "token-choice") {
        declaration.tokenChoice = true;
        TRY(auto tokens, keys.object("tokens"));
        TRY(declaration.wrongToken, tokens.text("wrong"));
        TRY(declaration.correctToken, tokens.text("correct"));
        TRY_STATUS(tokens.nothingElse());
    } else if (head == "two-layer") {
        TRY(auto tensors, keys.object("tensors"));
        TRY(declaration.hidden, tensors.text("hidden"));
        TRY(declaration.output, tensors.text("output"));
        TRY_STATUS(tensors.nothingElse());
    } else {
        return keys.error("head", "must be token-choice or two-layer");
    }
    TRY(declaration.layout, keys.layout("layout"));
    TRY_STATUS(keys.nothingElse());
    return declaration;
}

std::span<const HeadDeclaration> headDeclarations()
{
    static const std::vector<HeadDeclaration> kDeclarations = [] {
        std::vector<HeadDeclaration> result;
        for (const auto& file : embeddedHeads()) {
            auto declaration = parseHeadDeclaration(file.content, std::string(file.name));
            CHECK(declaration.ok(), file.name);
            result.push_back(std::move(declaration).value());
        }
        return result;
    }();
    return kDeclarations;
}

Result<HeadDeclaration> findHeadDeclaration(const std::string& name)
{
    std::vector<std::string> known;
    for (const auto& declaration : headDeclarations()) {
        if (declaration.id == name)
            return declaration;
        known.push_back(declaration.id);
    }
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(name, unknown))
        return Error{
            ErrorCode::NotFound, fmt::format("there is no head declaration \"{}\"", name), "head.declaration",
            fmt::format("Known: auto, none, {}; or the path of a declaration", fmt::join(known, ", "))};
    TRY(const auto text, readFile(name, kLargestDeclaration));
    return parseHeadDeclaration(text, name);
}

} // namespace assay
