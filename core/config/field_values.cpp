// Text <-> values <-> checks for the field table.
#include "core/base/nearest_word.h"
#include "core/base/utf8.h"
#include "core/config/fields.h"
#include "core/config/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace assay {

namespace {

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\n')
            result += "\\n";
        else if (c == '\t')
            result += "\\t";
        else if (c == '\\')
            result += "\\\\";
        else
            result += c;
    }
    return result;
}

std::string unescaped(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() &&
            (text[i + 1] == 'n' || text[i + 1] == 't' || text[i + 1] == '\\')) {
            ++i;
            result += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : '\\';
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string numberText(double value)
{
    return fmt::format("{}", value);
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

std::optional<double> parseNumber(std::string_view text)
{
    text = trimmed(text);
    double value = 0.0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    text = trimmed(text);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (!trimmed(text).empty()) {
        const auto comma = text.find(',');
        parts.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos)
            break;
        text.remove_prefix(comma + 1);
    }
    return parts;
}

std::string rangeText(const Field& field)
{
    const bool integer = field.type == FieldType::Integer;
    const auto show = [integer](double value) {
        return integer ? fmt::format("{}", static_cast<std::int64_t>(value)) : numberText(value);
    };
    if (field.minimum && field.maximum)
        return fmt::format("Enter {} to {}", show(*field.minimum), show(*field.maximum));
    if (field.minimum)
        return fmt::format("Enter {} or more", show(*field.minimum));
    if (field.maximum)
        return fmt::format("Enter at most {}{}", show(*field.maximum), field.optional ? ", or none" : "");
    return "Enter a number";
}

Error wrong(const Field& field, std::string message, std::string remedy)
{
    return Error{ErrorCode::Usage, std::move(message), std::string(field.id), std::move(remedy)};
}

/// How many numbers a list must have; 0 = any.
std::size_t listLength(const Field& field)
{
    return field.id == "optimiser.betas" ? 2 : 0;
}

Status checkNumber(const Field& field, double value)
{
    if (!std::isfinite(value))
        return wrong(field, "Is not a finite number", rangeText(field));
    if (field.minimum && value < *field.minimum)
        return wrong(field, fmt::format("{} is too small", numberText(value)), rangeText(field));
    if (field.maximum && value > *field.maximum)
        return wrong(field, fmt::format("{} is too large", numberText(value)), rangeText(field));
    return {};
}

/// Settings are kept as JSON, which has no other bytes.
Status checkText(const Field& field, std::span<const std::string> texts)
{
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return isUtf8(text); }))
        return {};
    const bool path = field.type == FieldType::Path;
    return wrong(field, path ? "The name of this file or folder is not UTF-8" : "The text is not UTF-8",
                 path ? "Rename it, or make a link to it with a plain name" : "Write it in UTF-8");
}

} // namespace

std::string fieldText(const Field& field, const FieldValue& value)
{
    if (field.type == FieldType::Path)
        return std::get<std::string>(value);
    struct Visitor
    {
        std::string operator()(std::monostate) const { return "none"; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return numberText(v); }
        std::string operator()(const std::string& v) const { return escaped(v); }
        std::string operator()(const std::vector<std::string>& v) const
        {
            return fmt::format("{}", fmt::join(v, ","));
        }
        std::string operator()(const std::vector<double>& v) const
        {
            return fmt::format("{}", fmt::join(v, ","));
        }
    };
    return std::visit(Visitor{}, value);
}

Status checkField(const Field& field, const FieldValue& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return field.optional ? Status() : wrong(field, "Needs a value", rangeText(field));
    switch (field.type) {
    case FieldType::Integer:
        return checkNumber(field, static_cast<double>(std::get<std::int64_t>(value)));
    case FieldType::Number:
        return checkNumber(field, std::get<double>(value));
    case FieldType::NumberList:
        if (const auto count = listLength(field);
            count > 0 && std::get<std::vector<double>>(value).size() != count)
            return wrong(field,
                         fmt::format("{} numbers are wanted, and here are {}", count,
                                     std::get<std::vector<double>>(value).size()),
                         fmt::format("Enter numbers with commas between, for example {}",
                                     fieldText(field, defaultValue(field))));
        for (const double number : std::get<std::vector<double>>(value))
            TRY_STATUS(checkNumber(field, number));
        return {};
    case FieldType::Choice: {
        const auto& text = std::get<std::string>(value);
        if (std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end())
            return wrong(field, fmt::format("\"{}\" is not one of the choices", text),
                         fmt::format("Choose {}", fmt::join(field.choices, ", ")));
        return {};
    }
    case FieldType::Text:
    case FieldType::Path:
        return checkText(field, {&std::get<std::string>(value), 1});
    case FieldType::TextList:
        return checkText(field, std::get<std::vector<std::string>>(value));
    case FieldType::Boolean:
        return {};
    }
    return {};
}

Result<FieldValue> parseField(const Field& field, std::string_view text)
{
    if (field.optional && trimmed(text) == "none")
        return FieldValue(std::monostate{});
    std::optional<FieldValue> value;
    switch (field.type) {
    case FieldType::Boolean:
        if (text == "true" || text == "yes" || text == "on" || text == "1")
            value = true;
        else if (text == "false" || text == "no" || text == "off" || text == "0")
            value = false;
        else
            return wrong(field, fmt::format("\"{}\" is not a yes or no", text), "Enter true or false");
        break;
    case FieldType::Integer:
        if (const auto number = parseInteger(text))
            value = *number;
        else
            return wrong(field, fmt::format("\"{}\" is not a whole number", text), rangeText(field));
        break;
    case FieldType::Number:
        if (const auto number = parseNumber(text))
            value = *number;
        else
            return wrong(field, fmt::format("\"{}\" is not a number", text), rangeText(field));
        break;
    case FieldType::NumberList: {
        std::vector<double> numbers;
        for (const auto part : split(text)) {
            const auto number = parseNumber(part);
            if (!number)
                return wrong(field, fmt::format("\"{}\" is not a number", part),
                             "Separate numbers with commas");
            numbers.push_back(*number);
        }
        value = std::move(numbers);
        break;
    }
    case FieldType::TextList: {
        std::vector<std::string> words;
        for (const auto part : split(text))
            words.emplace_back(part);
        value = std::move(words);
        break;
    }
    case FieldType::Text:
        value = unescaped(text);
        break;
    case FieldType::Choice:
    case FieldType::Path:
        value = std::string(text);
        break;
    }
    TRY_STATUS(checkField(field, *value));
    return std::move(*value);
}

Status setField(ExperimentConfig& config, std::string_view id, std::string_view text)
{
    const Field* field = findField(id);
    if (!field) {
        std::vector<std::string_view> ids;
        for (const auto& known : experimentFields())
            ids.push_back(known.id);
        const auto slip = didYouMean(id, ids);
        return Error{ErrorCode::Usage, fmt::format("There is no setting \"{}\"", id), std::string(id),
                     slip.empty() ? "`assay train --help` lists all" : slip};
    }
    TRY(auto value, parseField(*field, text));
    field->write(config, std::move(value));
    return {};
}

bool isActive(const ExperimentConfig& config, const Field& field)
{
    if (!field.condition)
        return true;
    const Field* other = findField(field.condition->field);
    CHECK(other, "condition names an unknown field");
    const std::string current = fieldText(*other, other->read(config));
    const auto& values = field.condition->values;
    return std::find(values.begin(), values.end(), current) != values.end();
}

FieldValue defaultValue(const Field& field)
{
    static const ExperimentConfig kDefaults;
    return field.read(kDefaults);
}

bool isDefault(const ExperimentConfig& config, const Field& field)
{
    return field.read(config) == defaultValue(field);
}

std::vector<FieldProblem> validate(const ExperimentConfig& config)
{
    std::vector<FieldProblem> problems;
    for (const auto& field : experimentFields()) {
        if (!isActive(config, field))
            continue;
        if (const auto status = checkField(field, field.read(config)); !status.ok())
            problems.push_back(
                {std::string(field.id), status.error().message + ". " + status.error().remedy + "."});
    }
    const auto problem = [&problems](std::string id, std::string message) {
        problems.push_back({std::move(id), std::move(message)});
    };
    // A layout refuses such a limit row by row, as a checker of single rows wants it; a run is refused here.
    for (const auto& [id, tokens] :
         {std::pair("layout.maximum_tokens", config.layout.maximumTokens),
          std::pair("layout.maximum_prompt_tokens", config.layout.maximumPromptTokens),
          std::pair("layout.maximum_completion_tokens", config.layout.maximumCompletionTokens)})
        if (tokens && *tokens < 1 && isActive(config, *findField(id)))
            problem(id, fmt::format("{} leaves nothing of a row. Enter 1 or more, or none.", *tokens));
    const auto& backbone = config.backbone;
    if (config.data.train.empty())
        problem("data.train", "No training data. Choose a file.");
    if (backbone.source == "folder" && backbone.folder.empty())
        problem("backbone.folder", "No model folder. Choose one, or train from scratch.");
    if (backbone.source == "checkpoint" && backbone.checkpoint.empty())
        problem("backbone.checkpoint", "No checkpoint. Name a run, or the folder of a checkpoint.");
    if (config.schedule.stopEarly && config.evaluation.everySteps == 0)
        problem("schedule.stop_early", "Needs evaluations during training: set evaluation.every_steps.");
    if (backbone.source == "scratch") {
        if (backbone.width % std::max<std::int64_t>(1, backbone.heads) != 0)
            problem("backbone.heads",
                    fmt::format("{} heads do not divide the width {}.", backbone.heads, backbone.width));
        else if ((backbone.width / std::max<std::int64_t>(1, backbone.heads)) % 2 != 0)
            problem("backbone.heads", "The size of a head must be even for rotary positions.");
        if (backbone.heads % std::max<std::int64_t>(1, backbone.keyValueHeads) != 0)
            problem("backbone.key_value_heads", fmt::format("{} key/value heads do not divide the {} heads.",
                                                            backbone.keyValueHeads, backbone.heads));
    }
    const bool pairs = taskOf(config) == Task::Pairs;
    if (pairs != (headKindOf(config) == "pair-scalar"))
        problem(config.head.kind == "auto" ? "objective.name" : "head.kind",
                fmt::format("The layout {} {}. Take auto, or change the layout.", config.layout.name,
                            pairs ? "scores whole answers: it needs the head pair-scalar with bradley-terry"
                                  : "scores steps: it needs a step head and its loss"));
    else if (const auto needed = objectiveFor(headKindOf(config)); needed != objectiveOf(config))
        problem("objective.name", fmt::format("The head {} needs {}.", headKindOf(config), needed));
    if (config.schedule.maximumSteps > 0 && config.schedule.warmupSteps >= config.schedule.maximumSteps)
        problem("schedule.warmup_steps",
                fmt::format("Longer than the run ({} steps). Enter 0 to {}.", config.schedule.maximumSteps,
                            config.schedule.maximumSteps - 1));
    const auto& device = config.compute.device;
    const bool cuda = device.starts_with("cuda:") && device.size() > 5 &&
                      device.find_first_not_of("0123456789", 5) == std::string::npos;
    if (device != "auto" && device != "cpu" && !cuda)
        problem("compute.device", fmt::format("\"{}\" is no device. Enter auto, cpu or cuda:0.", device));
    return problems;
}

} // namespace assay
