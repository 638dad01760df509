#include "core/text/layout.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <set>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaximumBytes = 1 << 20;

Error jsonError(std::string message)
{
    return {ErrorCode::BadModel, std::move(message), "layout.json", ""};
}

/// A flat object whose keys are taken out one by one, so that what is left over is unknown.
class Fields
{
public:
    explicit Fields(Json object)
        : m_object(std::move(object))
    {}

    Status take(const char* key, std::string& target)
    {
        return read(key, target, &Json::is_string, "a text");
    }
    Status take(const char* key, bool& target)
    {
        return read(key, target, &Json::is_boolean, "true or false");
    }
    Status take(const char* key, std::int32_t& target)
    {
        // As a double, so that 2^64 - 1 is out of range and not -1.
        double number = target;
        TRY_STATUS(read(key, number, &Json::is_number_integer, "a whole number"));
        if (number < std::numeric_limits<std::int32_t>::min() ||
            number > std::numeric_limits<std::int32_t>::max())
            return jsonError(std::string(key) + " is out of range");
        target = static_cast<std::int32_t>(number);
        return {};
    }

    Status take(const char* key, std::optional<std::int32_t>& target)
    {
        if (const auto found = m_object.find(key); found != m_object.end() && found->is_null()) {
            target.reset();
            m_object.erase(found);
            return {};
        }
        auto number = target.value_or(0);
        const bool given = m_object.contains(key);
        TRY_STATUS(take(key, number));
        if (given)
            target = number;
        return {};
    }

    Status nothingLeft() const
    {
        return m_object.empty() ? Status() : jsonError("unknown key " + m_object.begin().key());
    }

private:
    template <typename T>
    Status read(const char* key, T& target, bool (Json::*isKind)() const noexcept, const char* kind)
    {
        const auto found = m_object.find(key);
        if (found == m_object.end())
            return {};
        if (!((*found).*isKind)())
            return jsonError(std::string(key) + " is not " + kind);
        target = found->template get<T>();
        m_object.erase(found);
        return {};
    }

    Json m_object;
};

Result<Json> parseFlatObject(std::string_view json)
{
    if (json.size() > kMaximumBytes)
        return jsonError("too large");
    std::set<std::string> keys;
    std::string fault;
    auto object = Json::parse(
        json,
        [&](int depth, Json::parse_event_t event, Json& value) {
            if (event == Json::parse_event_t::key && !keys.insert(value.get<std::string>()).second)
                fault = "the key " + value.get<std::string>() + " stands twice";
            if (depth > 1)
                fault = "nested deeper than one object";
            return depth <= 1;
        },
        false);
    if (!fault.empty())
        return jsonError(fault);
    if (!object.is_object())
        return jsonError("not a JSON object");
    return object;
}

Json limitJson(std::optional<std::int32_t> tokens)
{
    return tokens ? Json(*tokens) : Json(nullptr);
}

} // namespace

std::string layoutToJson(const LayoutOptions& options)
{
    Json json{{"name", options.name},
              {"step_separator", options.stepSeparator},
              {"prompt_separator", options.promptSeparator},
              {"add_bos", options.addBos},
              {"maximum_tokens", limitJson(options.maximumTokens)},
              {"truncation", truncationId(options.truncation)},
              {"train_on_last_step_only", options.trainOnLastStepOnly},
              {"maximum_prompt_tokens", limitJson(options.maximumPromptTokens)},
              {"maximum_completion_tokens", limitJson(options.maximumCompletionTokens)},
              {"append_eos", options.appendEos},
              {"parse_special", options.parseSpecial}};
    if (options.name == "marker")
        json.update({{"step_tag", options.stepTag},
                     {"conversation", options.conversation},
                     {"system", options.system},
                     {"read_before_tag", options.readBeforeTag}});
    // A separator from the command line can be any bytes; a checkpoint must be written all the same.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<LayoutOptions> layoutFromJson(std::string_view json)
{
    TRY(auto object, parseFlatObject(json));
    Fields fields(std::move(object));
    LayoutOptions options;
    auto truncation = std::string(truncationId(options.truncation));
    TRY_STATUS(fields.take("name", options.name));
    TRY_STATUS(fields.take("step_separator", options.stepSeparator));
    TRY_STATUS(fields.take("prompt_separator", options.promptSeparator));
    TRY_STATUS(fields.take("add_bos", options.addBos));
    TRY_STATUS(fields.take("maximum_tokens", options.maximumTokens));
    TRY_STATUS(fields.take("truncation", truncation));
    TRY_STATUS(fields.take("train_on_last_step_only", options.trainOnLastStepOnly));
    TRY_STATUS(fields.take("maximum_prompt_tokens", options.maximumPromptTokens));
    TRY_STATUS(fields.take("maximum_completion_tokens", options.maximumCompletionTokens));
    TRY_STATUS(fields.take("append_eos", options.appendEos));
    TRY_STATUS(fields.take("parse_special", options.parseSpecial));
    TRY_STATUS(fields.take("step_tag", options.stepTag));
    TRY_STATUS(fields.take("conversation", options.conversation));
    TRY_STATUS(fields.take("system", options.system));
    TRY_STATUS(fields.take("read_before_tag", options.readBeforeTag));
    TRY_STATUS(fields.nothingLeft());
    const auto policy = truncationFromId(truncation);
    if (!policy)
        return jsonError("unknown truncation " + truncation);
    options.truncation = *policy;
    return options;
}

} // namespace assay
