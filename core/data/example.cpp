#include "core/data/example.h"

#include "core/base/hash.h"
#include "core/data/dataset.h"
#include "core/data/preference_prompt.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace assay {

namespace {

constexpr std::size_t kIdCharacters = 32;

std::string labelBytes(const Label& label)
{
    std::string bytes(sizeof(float) + 1, '\0');
    std::memcpy(bytes.data(), &label.value, sizeof(float));
    bytes.back() = label.supervised ? 1 : 0;
    return bytes;
}

void addPassage(Sha256& hash, const Passage& passage)
{
    hash.addField(passage.text);
    for (const auto& message : passage.messages) {
        hash.addField(message.role);
        hash.addField(message.content);
    }
}

void addMargin(Sha256& hash, const std::optional<float>& margin)
{
    hash.addField(margin ? labelBytes(Label::of(*margin)) : std::string());
}

void addGroup(Sha256& group, const PreferenceExample& row)
{
    const auto opening = openingOf(row);
    if (!opening.empty())
        return addPassage(group, opening);
    // Without a prompt only the answers tell a row from others; in an order that a swapped pair shares.
    std::vector<std::string> answers;
    for (const auto& candidate : row.candidates) {
        Sha256 one;
        addPassage(one, candidate);
        answers.push_back(one.hex());
    }
    std::sort(answers.begin(), answers.end());
    for (const auto& answer : answers)
        group.addField(answer);
}

std::string idBytes(std::span<const std::int32_t> ids)
{
    return {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()};
}

std::span<const std::int32_t> sharedBeginning(const std::vector<std::vector<std::int32_t>>& lists)
{
    if (lists.empty())
        return {};
    std::size_t shared = lists.front().size();
    for (const auto& list : lists) {
        const auto end = std::mismatch(list.begin(), list.end(), lists.front().begin(), lists.front().end());
        shared = std::min(shared, static_cast<std::size_t>(end.first - list.begin()));
    }
    return {lists.front().data(), shared};
}

} // namespace

void identify(Example& example)
{
    Sha256 hash;
    Sha256 group;
    if (const auto* row = example.stepwise()) {
        hash.addField("stepwise");
        hash.addField(row->prompt);
        for (const auto& step : row->steps) {
            hash.addField(step.text);
            hash.addField(labelBytes(step.label));
        }
        group.addField(row->prompt);
    } else if (const auto* tokens = example.tokenised()) {
        hash.addField("tokenised");
        for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
            hash.add(idBytes({&tokens->ids[i], 1}));
            hash.add(labelBytes(tokens->labels[i]));
        }
        // The prompt of a tokenised row is not marked; what stands before the first supervised position holds
        // it and the first step. Rows with equal first steps are kept on one side.
        const auto first = std::find_if(tokens->labels.begin(), tokens->labels.end(),
                                        [](const Label& label) { return label.supervised; });
        const auto before =
            std::min(static_cast<std::size_t>(first - tokens->labels.begin()), tokens->ids.size());
        group.add(idBytes(std::span(tokens->ids).first(before > 0 ? before : tokens->ids.size())));
    } else if (const auto* preference = example.preference()) {
        hash.addField("preference");
        addPassage(hash, preference->prompt);
        for (const auto& candidate : preference->candidates)
            addPassage(hash, candidate);
        addMargin(hash, preference->margin);
        addGroup(group, *preference);
    } else if (const auto* given = example.tokenisedPreference()) {
        hash.addField("tokenised-preference");
        for (const auto& candidate : given->candidates)
            hash.addField(idBytes(candidate));
        addMargin(hash, given->margin);
        // The prompt is not marked; what all candidates begin with is it.
        group.addField(idBytes(sharedBeginning(given->candidates)));
    }
    example.id = hash.hex().substr(0, kIdCharacters);
    example.group = group.hex().substr(0, kIdCharacters);
}

std::string Dataset::fingerprint() const
{
    Sha256 hash;
    for (std::int64_t i = 0; i < size(); ++i)
        hash.addField(key(i).id);
    return hash.hex();
}

const std::vector<RowProblem>& Dataset::problems() const
{
    static const std::vector<RowProblem> kNone;
    return kNone;
}

} // namespace assay
