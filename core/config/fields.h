#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay {

enum class FieldType { Boolean, Integer, Number, Text, Choice, Path, TextList, NumberList };

using FieldValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<double>,
                 std::monostate>; ///< the last is `none` of an optional field

/// The field has a meaning only while another one holds one of these values.
struct FieldCondition
{
    std::string_view field;
    std::vector<std::string_view> values;
};

/// One row of the field table: JSON key, flag, form row and help come from it.
struct Field
{
    std::string_view id; ///< stable: "optimiser.learning_rate"; also the JSON key and, after "--", the flag
    std::string_view label; ///< form label
    FieldType type = FieldType::Text;
    std::string_view unit;                  ///< "tokens", "steps", ...; empty = none
    std::string_view help;                  ///< one or two sentences
    std::optional<double> minimum, maximum; ///< of numbers, or of every number of a list
    bool optional = false;                  ///< may be `none`: the text "none", JSON's null
    std::vector<std::string_view> choices;  ///< Choice only
    std::optional<FieldCondition> condition;
    bool changesResults = true; ///< false: name, tags, how often to save, ...
    std::function<FieldValue(const ExperimentConfig&)> read;
    std::function<void(ExperimentConfig&, FieldValue)> write; ///< value must hold the type's alternative

    std::string_view group() const { return id.substr(0, id.find('.')); }
};

/// All fields, grouped; groups in the order in which a form shows them.
std::span<const Field> experimentFields();
/// Null for an unknown id.
const Field* findField(std::string_view id);
/// Title of a group for form and help: "optimiser" -> "Optimiser".
std::string_view groupTitle(std::string_view group);

/// Whether the field's condition holds.
bool isActive(const ExperimentConfig& config, const Field& field);
FieldValue defaultValue(const Field& field);
bool isDefault(const ExperimentConfig& config, const Field& field);

/// What a flag or a form field shows; lists are comma separated, a line break in a text is written as \n.
/// Paths stand as they are.
std::string fieldText(const Field& field, const FieldValue& value);
/// Parses and range-checks one value. Errors: Usage with what is wrong and what is allowed, where = id.
Result<FieldValue> parseField(const Field& field, std::string_view text);
/// Range check of a typed value; the sentence an error shows.
Status checkField(const Field& field, const FieldValue& value);
/// Sets one field from text. Errors as parseField; an unknown id names the nearest known one.
Status setField(ExperimentConfig& config, std::string_view id, std::string_view text);

/// A setting that keeps the experiment from starting.
struct FieldProblem
{
    std::string id;
    std::string message; ///< what is wrong, what is allowed
};

/// Everything that can be said without opening a file: ranges, needed fields, contradictions.
std::vector<FieldProblem> validate(const ExperimentConfig& config);

} // namespace assay
