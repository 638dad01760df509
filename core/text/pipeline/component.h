#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One object of a tokenizer file with the path to it; every getter names what is wrong and where.
class Component
{
public:
    Component(const nlohmann::json& json, std::string path)
        : m_json(&json)
        , m_path(std::move(path))
    {}

    const nlohmann::json& json() const { return *m_json; }
    const std::string& path() const { return m_path; }
    /// A field that is there and not null.
    bool has(std::string_view key) const;

    /// Errors (all): BadModel naming the path.
    Result<std::string> type() const;
    Result<std::string> text(std::string_view key) const;
    Result<std::string> textOr(std::string_view key, std::string missing) const;
    Result<bool> flagOr(std::string_view key, bool missing) const;
    Result<std::int64_t> number(std::string_view key) const;
    Result<std::int64_t> numberOr(std::string_view key, std::int64_t missing) const;
    Result<Component> object(std::string_view key) const;
    /// The objects of a list.
    Result<std::vector<Component>> objects(std::string_view key) const;

    Error refuse(std::string_view message) const;
    /// A kind of component that is not known here.
    Error unknownType(std::string_view kind, std::string_view type) const;

private:
    const nlohmann::json* field(std::string_view key) const;

    const nlohmann::json* m_json;
    std::string m_path;
};

/// A token id; none for anything else.
std::optional<std::int32_t> tokenIdFrom(const nlohmann::json& json);

} // namespace assay
