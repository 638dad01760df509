#include "core/text/layouts/preference_layout.h"

#include "core/text/chat/chat_template.h"
#include "core/text/layouts/row_error.h"
#include "core/text/layouts/sequence_edit.h"

#include <algorithm>

namespace assay {

namespace {

enum class EosRule {
    Token, ///< the id behind every answer, if the options ask for it
    Text   ///< its spelling behind an answer that does not end with it
};

using Candidates = std::vector<Sequence>;

std::int32_t length(const Sequence& sequence)
{
    return static_cast<std::int32_t>(sequence.ids.size());
}

/// Whether two candidates have the same tokens that had not before.
bool becameEqual(const Candidates& before, const Candidates& after)
{
    for (std::size_t i = 0; i < after.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (after[i].ids == after[j].ids && before[i].ids != before[j].ids)
                return true;
    return false;
}

/// Every candidate read at its last token; the first is the best.
LaidOut readAtEnds(Candidates candidates, float margin)
{
    LaidOut out;
    const auto count = static_cast<std::int32_t>(candidates.size());
    for (std::int32_t i = 0; i < count; ++i) {
        const auto size = length(candidates[static_cast<std::size_t>(i)]);
        out.readOuts.push_back({i, {{size - 1, size}}, Pooling::Last});
        out.scores.push_back({i, -1});
        out.scoreStep.push_back(-1);
        out.targets.value.push_back(i == 0 ? 1.0F : 0.0F);
        out.targets.mask.push_back(1);
        out.targets.rank.push_back(static_cast<float>(i));
    }
    out.targets.groupOffsets = {0, count};
    out.targets.margin = {margin};
    out.sequences = std::move(candidates);
    return out;
}

/// The row without its candidates, everything counted as cut.
LaidOut dropped(const Candidates& candidates)
{
    LaidOut out;
    out.cut.dropped = true;
    for (const auto& candidate : candidates)
        out.cut.tokens += length(candidate);
    out.cut.readOuts = static_cast<std::int32_t>(candidates.size());
    out.cut.labelsCorrect = 1;
    out.cut.labelsWrong = out.cut.readOuts - 1;
    return out;
}

class PreferenceLayout : public Layout
{
public:
    PreferenceLayout(LayoutOptions options, TokenizerPtr tokenizer, EosRule eosRule)
        : m_options(std::move(options))
        , m_tokenizer(std::move(tokenizer))
        , m_eosRule(eosRule)
    {
        if (m_tokenizer && m_tokenizer->special().eos)
            m_eosText = m_tokenizer->piece(*m_tokenizer->special().eos);
    }

    const LayoutOptions& options() const override { return m_options; }

    Result<LaidOut> layOut(const Example& example, bool) const override
    {
        TRY_STATUS(checkLimits(example, m_options));
        if (const auto* given = example.tokenisedPreference())
            return limit(givenCandidates(*given), example, given->margin);
        const auto* row = example.preference();
        if (!row)
            return rowError(example, "the row has steps, and this layout takes preferences",
                            "Choose the layout stepwise or trl-stepwise");
        TRY_STATUS(checkText(example, *row));
        Candidates candidates;
        for (const auto& candidate : row->candidates) {
            if (candidate.messages.empty()) {
                candidates.push_back(encode(*row, candidate.text));
            } else {
                TRY(auto conversation, encodeConversation(example, *row, candidate));
                candidates.push_back(std::move(conversation));
            }
            if (candidates.back().ids.empty())
                return rowError(
                    example,
                    "candidate " + std::to_string(candidates.size() - 1) +
                        " has no token to read: its text is empty, and neither BOS nor EOS is added",
                    "Remove the row, or let the layout append EOS");
        }
        return limit(std::move(candidates), example, row->margin);
    }

private:
    Status checkText(const Example& example, const PreferenceExample& row) const
    {
        if (!m_tokenizer)
            return rowError(example, "the row is text, and there is no tokenizer",
                            "Choose a model with a tokenizer");
        if (row.candidates.size() < 2)
            return rowError(example, "a preference needs two candidates");
        for (const auto& candidate : row.candidates)
            if (!candidate.messages.empty() && !m_tokenizer->chatTemplate())
                return rowError(
                    example,
                    "the row is a conversation; messages need a chat template, and the tokenizer has none",
                    "Add a chat_template.jinja to the model's folder, or give prompt, chosen and rejected "
                    "as texts");
        return {};
    }

    static Candidates givenCandidates(const TokenisedPreference& given)
    {
        Candidates candidates;
        for (const auto& ids : given.candidates)
            appendTokens(candidates.emplace_back(), ids, TokenRole::Given);
        return candidates;
    }

    /// The text of a candidate with what the EOS rule puts behind it.
    std::string withEosText(const PreferenceExample& row, const std::string& answer) const
    {
        auto text = row.prompt.text + answer;
        // A cut prompt is part of the answer in the file, so the end is looked for in both.
        const auto& end = row.promptCut ? text : answer;
        return m_eosRule == EosRule::Text && !end.ends_with(m_eosText) ? text + m_eosText : text;
    }

    Sequence encode(const PreferenceExample& row, const std::string& answer) const
    {
        Sequence sequence;
        const auto& special = m_tokenizer->special();
        if (m_options.addBos && special.bos)
            appendTokens(sequence, {&*special.bos, 1}, TokenRole::Bos);
        const auto promptBytes = static_cast<std::int32_t>(row.prompt.text.size());
        const auto answerEnd = promptBytes + static_cast<std::int32_t>(answer.size());
        const auto text = withEosText(row, answer);
        const auto pieces =
            m_options.parseSpecial ? m_tokenizer->encodeParsed(text) : m_tokenizer->encodeWithOffsets(text);
        for (const auto& piece : pieces) {
            // A token that reaches into the answer belongs to it: cutting the prompt must not take it.
            const auto role = piece.begin >= answerEnd && text.size() > static_cast<std::size_t>(answerEnd)
                                  ? TokenRole::Eos
                              : piece.begin < promptBytes && piece.end <= promptBytes ? TokenRole::Prompt
                                                                                      : TokenRole::Answer;
            appendTokens(sequence, {&piece.id, 1}, role);
        }
        if (m_eosRule == EosRule::Token && m_options.appendEos && special.eos)
            appendTokens(sequence, {&*special.eos, 1}, TokenRole::Eos);
        return sequence;
    }

    /// The whole conversation through the chat template, which alone says where BOS and EOS stand. Its
    /// special tokens are parsed, as the field's programs do; so are spellings of them in a message.
    Result<Sequence> encodeConversation(const Example& example, const PreferenceExample& row,
                                        const Passage& candidate) const
    {
        auto messages = row.prompt.messages;
        const auto render = [&](bool openAnswer) {
            return m_tokenizer->chatTemplate()->render(messages, openAnswer);
        };
        auto prompt = messages.empty() ? Result<std::string>(std::string()) : render(true);
        messages.insert(messages.end(), candidate.messages.begin(), candidate.messages.end());
        const auto text = render(false);
        if (!text)
            return templateError(example, text.error());
        // A template may refuse a prompt alone, or write it otherwise; then nothing of the text is known to
        // be prompt.
        const bool begins = prompt.ok() && text->starts_with(*prompt);
        const auto promptBytes = begins ? static_cast<std::int32_t>(prompt->size()) : 0;
        Sequence sequence;
        for (const auto& piece : m_tokenizer->encodeParsed(*text))
            appendTokens(sequence, {&piece.id, 1},
                         piece.end <= promptBytes ? TokenRole::Prompt : TokenRole::Answer);
        return sequence;
    }

    static bool isConversation(const Example& example)
    {
        const auto* row = example.preference();
        return row && std::any_of(row->candidates.begin(), row->candidates.end(),
                                  [](const Passage& candidate) { return !candidate.messages.empty(); });
    }

    /// Applies `maximumTokens` by the chosen policy. Errors: BadData with the policy `fail`, and for a
    /// conversation that would be cut on the left.
    Result<LaidOut> limit(Candidates candidates, const Example& example, std::optional<float> margin) const
    {
        std::vector<std::int32_t> lengths;
        for (const auto& candidate : candidates)
            lengths.push_back(length(candidate));
        const auto longest = *std::max_element(lengths.begin(), lengths.end());
        if (!m_options.maximumTokens || longest <= *m_options.maximumTokens)
            return readAtEnds(std::move(candidates), margin.value_or(0.0F));
        if (m_options.truncation == Truncation::Fail)
            return rowError(example,
                            "a candidate has " + std::to_string(longest) + " tokens, the limit is " +
                                std::to_string(*m_options.maximumTokens),
                            "Raise the maximum length, or choose a truncation that cuts or drops");
        if (m_options.truncation == Truncation::CutPromptLeft && isConversation(example))
            return rowError(example,
                            "a candidate has " + std::to_string(longest) + " tokens, the limit is " +
                                std::to_string(*m_options.maximumTokens) +
                                ", and a conversation cannot be cut on the left: its beginning belongs to "
                                "the chat template",
                            "Raise the maximum length, or choose cut-right or drop-row");
        auto kept = cut(candidates, longest - *m_options.maximumTokens);
        auto out = kept.empty() || becameEqual(candidates, kept) ? dropped(candidates)
                                                                 : readAtEnds(kept, margin.value_or(0.0F));
        for (std::size_t i = 0; !out.empty() && i < kept.size(); ++i)
            out.cut.tokens += lengths[i] - length(kept[i]);
        out.cut.lengths = std::move(lengths);
        return out;
    }

    /// The candidates cut to the limit; none when the policy drops the row. `over`: tokens the longest has
    /// too many.
    Candidates cut(Candidates candidates, std::int32_t over) const
    {
        for (auto& candidate : candidates) {
            if (m_options.truncation == Truncation::CutRight) {
                const auto tooMany = std::max(0, length(candidate) - *m_options.maximumTokens);
                removeTokens(candidate, length(candidate) - tooMany, tooMany);
            } else if (m_options.truncation == Truncation::CutPromptLeft &&
                       countTokens(candidate, TokenRole::Prompt) >= over) {
                // The same from each, or the candidates would answer different prompts.
                removeTokens(candidate, countTokens(candidate, TokenRole::Bos), over);
            } else {
                return {};
            }
        }
        return candidates;
    }

    LayoutOptions m_options;
    TokenizerPtr m_tokenizer;
    EosRule m_eosRule;
    std::string m_eosText;
};

/// What no layout for pairs uses; what it reports and stores is what it does.
LayoutOptions withoutSteps(LayoutOptions options)
{
    options.stepSeparator.clear();
    options.promptSeparator.clear();
    options.trainOnLastStepOnly = false;
    return options;
}

} // namespace

LayoutPtr makePairwiseLayout(LayoutOptions options, TokenizerPtr tokenizer)
{
    return std::make_shared<PreferenceLayout>(withoutSteps(std::move(options)), std::move(tokenizer),
                                              EosRule::Token);
}

LayoutPtr makeTrlPairwiseLayout(LayoutOptions options, TokenizerPtr tokenizer)
{
    options = withoutSteps(std::move(options));
    options.appendEos = true;
    options.parseSpecial = true;
    options.truncation = Truncation::DropRow;
    return std::make_shared<PreferenceLayout>(std::move(options), std::move(tokenizer), EosRule::Text);
}

} // namespace assay
