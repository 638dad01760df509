#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/preference_prompt.h"

#include <string>

namespace assay {

namespace {

Error badPassage(std::string_view what, std::string_view reason)
{
    return {ErrorCode::BadData, "`" + std::string(what) + "` " + std::string(reason), "", ""};
}

/// The names that ShareGPT files have for roles.
std::string roleOf(std::string_view name)
{
    if (name == "human")
        return "user";
    return name == "gpt" ? "assistant" : std::string(name);
}

/// One turn: {role, content} or {from, value}. What else a turn may carry (tool calls, weights, parts) would
/// change what the model sees, so it is refused and not left out.
Result<Message> readMessage(const simdjson::dom::object& object, const std::string& what)
{
    simdjson::dom::element ignored;
    const bool shareGpt = object.at_key("from").get(ignored) == simdjson::SUCCESS;
    const std::string_view roleKey = shareGpt ? "from" : "role", textKey = shareGpt ? "value" : "content";
    Message message;
    for (const auto& [key, value] : object) {
        if (key != roleKey && key != textKey && !value.is_null())
            return badPassage(what, "has the key " + std::string(key.substr(0, 40)) + ", which is not read");
    }
    const auto role = textValue(object, roleKey);
    const auto text = textValue(object, textKey);
    if (!role.ok())
        return badPassage(what, "is no message: " + role.error().message);
    if (!text.ok())
        return badPassage(what, "is no message: " + text.error().message);
    message.role = roleOf(*role);
    message.content = *text;
    return message;
}

/// A text, a list of messages, or one message.
Result<Passage> readPassage(const simdjson::dom::object& row, std::string_view key)
{
    TRY(const auto value, requiredValue(row, key));
    Passage passage;
    std::string_view text;
    simdjson::dom::object single;
    simdjson::dom::array list;
    if (value.get(text) == simdjson::SUCCESS) {
        passage.text = text;
    } else if (value.get(single) == simdjson::SUCCESS) {
        TRY(auto message, readMessage(single, std::string(key)));
        passage.messages.push_back(std::move(message));
    } else if (value.get(list) == simdjson::SUCCESS) {
        for (const auto element : list) {
            const auto what = std::string(key) + "[" + std::to_string(passage.messages.size()) + "]";
            simdjson::dom::object object;
            if (element.get(object) != simdjson::SUCCESS)
                return badPassage(what, "is no message");
            TRY(auto message, readMessage(object, what));
            passage.messages.push_back(std::move(message));
        }
        if (passage.messages.empty())
            return badPassage(key, "is a conversation without a message");
    } else {
        return badPassage(key, "is neither a text nor a list of messages");
    }
    return passage;
}

/// Column of the prompt, empty when the answers hold it.
Result<std::string_view> promptColumn(const simdjson::dom::object& row)
{
    std::string_view found;
    for (const std::string_view key : {"prompt", "conversations"}) {
        simdjson::dom::element value;
        if (row.at_key(key).get(value) != simdjson::SUCCESS || value.is_null())
            continue;
        if (!found.empty())
            return badPassage(key, "stands beside `prompt`; only one can be the prompt");
        found = key;
    }
    return found;
}

Result<Example> readPreference(const simdjson::dom::object& row)
{
    PreferenceExample pair;
    for (const std::string_view key : {"chosen", "rejected"}) {
        TRY(auto passage, readPassage(row, key));
        pair.candidates.push_back(std::move(passage));
    }
    const bool messages = !pair.candidates[0].messages.empty();
    if (messages == pair.candidates[1].messages.empty())
        return badPassage("rejected", messages ? "is a text and `chosen` a conversation"
                                               : "is a conversation and `chosen` a text");
    TRY(const auto column, promptColumn(row));
    if (column.empty()) {
        cutPrompt(pair);
    } else {
        TRY(pair.prompt, readPassage(row, column));
        if (!pair.prompt.empty() && messages == pair.prompt.messages.empty())
            return badPassage(column, messages ? "is a text and `chosen` a conversation"
                                               : "is a conversation and `chosen` a text");
    }
    TRY(pair.margin, marginValue(row));
    Example example;
    example.content = std::move(pair);
    example.metadata = otherColumns(row, {"prompt", "conversations", "chosen", "rejected", "margin"});
    return example;
}

} // namespace

const DatasetFormat& preferenceFormat()
{
    static const JsonFormat kFormat("preference", "Pairs (chosen, rejected, with or without prompt)",
                                    {"chosen", "rejected"}, readPreference);
    return kFormat;
}

} // namespace assay
