#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay {

/// Truth and supervision are two fields: "not supervised" is never a label value.
struct Label
{
    float value = 0.0F;      ///< in [0, 1]; 1 = correct, fractions are soft labels
    bool supervised = false; ///< whether the loss and the metrics see it

    static Label of(float value) { return {value, true}; }
    static Label none() { return {}; }
    bool operator==(const Label&) const = default;
};

struct Step
{
    std::string text;
    Label label;
};

/// A problem and its solution, step by step.
struct StepwiseExample
{
    std::string prompt;
    std::vector<Step> steps;
    /// 0-based first wrong step as the file declares it, -1 = none wrong; empty if the file says nothing.
    std::optional<int> declaredFirstError;
};

/// A row that comes as token ids with one label per position (-100 in the file = not supervised).
struct TokenisedExample
{
    std::vector<std::int32_t> ids;
    std::vector<Label> labels; ///< [ids]
};

/// One turn of a conversation.
struct Message
{
    std::string role; ///< system, user, assistant, ...
    std::string content;
    bool operator==(const Message&) const = default;
};

/// A plain text, or the turns of a conversation when there are any.
struct Passage
{
    std::string text;
    std::vector<Message> messages;
    bool empty() const { return text.empty() && messages.empty(); }
    bool operator==(const Passage&) const = default;
};

/// Answers to one prompt, best first. A pair is two: chosen and rejected.
struct PreferenceExample
{
    Passage prompt;                  ///< empty where the file repeats the prompt inside each answer
    std::vector<Passage> candidates; ///< best first
    std::optional<float> margin;     ///< pairs only: by how much the first is better
    /// The row gave whole conversations; the prompt is what they begin with (see preference_prompt.h).
    bool promptCut = false;
};

/// A preference that comes as token ids, one list for each candidate, best first.
struct TokenisedPreference
{
    std::vector<std::vector<std::int32_t>> candidates;
    std::optional<float> margin;
};

/// One row of a data set, as plain values.
struct Example
{
    std::string id;       ///< content hash (SHA-256, 32 hex characters): stays when files move
    std::string source;   ///< file the row came from
    std::int64_t row = 0; ///< 0-based row in that file
    /// Prompt group for splits: equal prompts are never on both sides, nor two conversations that open with
    /// the same question. A preference without a prompt is a group of its own.
    std::string group;
    std::variant<StepwiseExample, TokenisedExample, PreferenceExample, TokenisedPreference> content;
    std::vector<std::pair<std::string, std::string>> metadata; ///< unmapped columns, as text

    // Rows are values: what points into one must not outlive it, so a temporary has no such pointer.
    const StepwiseExample* stepwise() const& { return std::get_if<StepwiseExample>(&content); }
    const TokenisedExample* tokenised() const& { return std::get_if<TokenisedExample>(&content); }
    const PreferenceExample* preference() const& { return std::get_if<PreferenceExample>(&content); }
    const TokenisedPreference* tokenisedPreference() const&
    {
        return std::get_if<TokenisedPreference>(&content);
    }
    void stepwise() const&& = delete;
    void tokenised() const&& = delete;
    void preference() const&& = delete;
    void tokenisedPreference() const&& = delete;
};

/// Fills `id` and `group` from the content.
void identify(Example& example);

} // namespace assay
