#include "app/setting_flags.h"

#include "app/text.h"
#include "core/config/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

namespace {

bool isYesOrNo(std::string_view text)
{
    static constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on", "off", "1", "0"};
    return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
}

std::string_view typeWord(const Field& field)
{
    switch (field.type) {
    case FieldType::Boolean:
        return "[true|false]";
    case FieldType::Integer:
        return "INTEGER";
    case FieldType::Number:
        return "NUMBER";
    case FieldType::Text:
        return "TEXT";
    case FieldType::Choice:
        return "CHOICE";
    case FieldType::Path:
        return "PATH";
    case FieldType::TextList:
        return "TEXT,TEXT,...";
    case FieldType::NumberList:
        return "NUMBER,NUMBER,...";
    }
    return "TEXT";
}

std::string rangeText(const Field& field)
{
    const auto number = [&field](double value) {
        return field.type == FieldType::Integer ? fmt::format("{}", static_cast<std::int64_t>(value))
                                                : fmt::format("{}", value);
    };
    if (field.minimum && field.maximum)
        return fmt::format("{} to {}", number(*field.minimum), number(*field.maximum));
    if (field.minimum)
        return fmt::format("{} or more", number(*field.minimum));
    if (field.maximum)
        return fmt::format("at most {}", number(*field.maximum));
    return {};
}

std::string conditionText(const Field& field)
{
    std::vector<std::string> values;
    for (const auto value : field.condition->values)
        values.push_back(value.empty() ? "empty" : std::string(value));
    return fmt::format("only with --{} {}", field.condition->field, fmt::join(values, " or "));
}

/// "0 to 10; default 0.0001; only with --backbone.source scratch"
std::string factsText(const Field& field)
{
    std::vector<std::string> facts;
    if (!field.choices.empty())
        facts.push_back(fmt::format("one of {}", fmt::join(field.choices, ", ")));
    if (auto range = rangeText(field); !range.empty())
        facts.push_back(fmt::format("{}{}{}{}", range, field.unit.empty() ? "" : " ", field.unit,
                                    field.optional ? ", or none" : ""));
    const auto standard = fieldText(field, defaultValue(field));
    facts.push_back(standard.empty() ? "default empty" : "default " + standard);
    if (field.condition)
        facts.push_back(conditionText(field));
    if (!field.changesResults)
        facts.push_back("does not change results");
    auto text = fmt::format("{}", fmt::join(facts, "; "));
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
}

bool inGroups(const Field& field, std::span<const std::string_view> groups)
{
    return std::find(groups.begin(), groups.end(), field.group()) != groups.end();
}

} // namespace

std::vector<std::string_view> allSettingGroups()
{
    std::vector<std::string_view> groups;
    for (const auto& field : experimentFields())
        if (groups.empty() || groups.back() != field.group())
            groups.push_back(field.group());
    return groups;
}

Result<std::vector<SettingFlag>> takeSettings(std::vector<std::string>& words,
                                              std::span<const std::string_view> groups)
{
    std::vector<SettingFlag> flags;
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const auto equals = word.find('=');
        const Field* field = word.starts_with("--") ? findField(word.substr(2, equals - 2)) : nullptr;
        if (!field || !inGroups(*field, groups)) {
            rest.push_back(words[i]);
            continue;
        }
        SettingFlag flag{std::string(field->id), {}};
        if (std::any_of(flags.begin(), flags.end(),
                        [&flag](const SettingFlag& other) { return other.id == flag.id; }))
            return Error{ErrorCode::Usage, "The flag stands twice", "--" + flag.id};
        if (equals != std::string_view::npos)
            flag.text = word.substr(equals + 1);
        else if (field->type == FieldType::Boolean && (i + 1 == words.size() || !isYesOrNo(words[i + 1])))
            flag.text = "true";
        else if (i + 1 < words.size() && !words[i + 1].starts_with("--"))
            flag.text = words[++i];
        else
            return Error{ErrorCode::Usage, "The flag needs a value", "--" + flag.id, factsText(*field)};
        flags.push_back(std::move(flag));
    }
    words = std::move(rest);
    return flags;
}

Status applySettings(ExperimentConfig& config, std::span<const SettingFlag> flags)
{
    for (const auto& flag : flags) {
        if (auto status = setField(config, flag.id, flag.text); !status.ok()) {
            auto error = status.error();
            error.where = "--" + flag.id;
            return error;
        }
    }
    return {};
}

std::string settingsAsFlags(std::string_view text)
{
    const auto isPart = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    std::string result;
    while (!text.empty()) {
        // A word with the dots and underscores that ids have; a dot at its end closes the sentence.
        auto size =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isPart) - text.begin());
        auto word = text.substr(0, size);
        while (word.ends_with('.'))
            word.remove_suffix(1);
        const bool dashed = result.ends_with('-') || result.ends_with('/') || result.ends_with('"');
        if (!word.empty() && !dashed && findField(word))
            result += "--";
        size = std::max<std::size_t>(size, 1);
        result += text.substr(0, size);
        text.remove_prefix(size);
    }
    return result;
}

std::string settingsHelp(std::span<const std::string_view> groups)
{
    std::string help;
    for (const auto group : groups) {
        help += fmt::format("{}{}:\n", help.empty() ? "" : "\n", groupTitle(group));
        for (const auto& field : experimentFields()) {
            if (field.group() != group)
                continue;
            help += fmt::format("  --{} {}\n", field.id, typeWord(field));
            help += wrapped(fmt::format("{}: {}", field.label, field.help), 110, "        ");
            help += wrapped(factsText(field), 110, "        ");
        }
    }
    return help;
}

} // namespace assay
