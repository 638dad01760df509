#include "core/diagnostics/prompt_overlap.h"

#include "core/data/preference_prompt.h"
#include "core/diagnostics/labelled_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

namespace assay {

namespace {

constexpr double kNearDuplicate = 0.8;
constexpr std::size_t kShingleWords = 3;
constexpr std::size_t kMostCompared = 500;
/// What stands in so many of the training prompts is their template, not their problem. Few prompts tell
/// nothing of the kind.
constexpr double kTemplateShare = 0.25;
constexpr std::size_t kTemplatePrompts = 20;

std::uint64_t hashWord(std::uint64_t hash, const std::string& word)
{
    for (const char c : word) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return (hash ^ 0xffULL) * 0x100000001b3ULL; // a separator no UTF-8 word holds
}

/// What a group is about, as one text; empty where a row has none.
std::string promptText(const Example& example)
{
    if (const auto* row = example.stepwise())
        return row->prompt;
    const auto* preference = example.preference();
    if (!preference)
        return {};
    const auto opening = openingOf(*preference);
    auto text = opening.text;
    for (const auto& message : opening.messages)
        text += (text.empty() ? "" : "\n") + message.content;
    return text;
}

/// Distinct prompts of a data set with their first row.
struct Prompt
{
    std::int64_t row = 0;
    std::vector<std::uint64_t> shingles;
};

std::vector<Prompt> distinctPrompts(const Dataset& dataset, const std::stop_token& stop)
{
    std::vector<Prompt> prompts;
    std::unordered_map<std::string, bool> seen;
    for (std::int64_t i = 0; i < dataset.size() && !stop.stop_requested(); ++i) {
        const Example example = dataset.at(i);
        const auto prompt = promptText(example);
        if (!prompt.empty() && seen.emplace(example.group, true).second)
            prompts.push_back({example.row, wordShingles(prompt)});
    }
    return prompts;
}

using Shingles = std::vector<std::uint64_t>;

/// Sorted shingles that stand in a quarter of the prompts or more.
Shingles templateShingles(const std::vector<Prompt>& prompts)
{
    Shingles common;
    if (prompts.size() < kTemplatePrompts)
        return common;
    std::unordered_map<std::uint64_t, std::size_t> frequency;
    for (const auto& prompt : prompts)
        for (const auto shingle : prompt.shingles)
            ++frequency[shingle];
    for (const auto& [shingle, count] : frequency)
        if (double(count) >= kTemplateShare * double(prompts.size()))
            common.push_back(shingle);
    std::sort(common.begin(), common.end());
    return common;
}

Shingles without(const Shingles& shingles, const Shingles& left)
{
    Shingles rest;
    std::set_difference(shingles.begin(), shingles.end(), left.begin(), left.end(), std::back_inserter(rest));
    return rest;
}

/// Finds similar training prompts through their rarest shingles: two sets of similarity s share at least one
/// of the first n - ceil(s n) + 1 elements of both, whatever the common order (prefix filter, Chaudhuri et
/// al., 2006).
class ShingleIndex
{
public:
    explicit ShingleIndex(const std::vector<Prompt>& prompts)
        : m_prompts(prompts)
    {
        for (const auto& prompt : prompts)
            for (const auto shingle : prompt.shingles)
                ++m_frequency[shingle];
        for (std::size_t i = 0; i < prompts.size(); ++i)
            for (const auto shingle : prefix(prompts[i].shingles))
                m_postings[shingle].push_back(i);
    }

    std::optional<PromptPair> mostSimilar(std::int64_t evaluationRow,
                                          const std::vector<std::uint64_t>& shingles) const
    {
        std::optional<PromptPair> best;
        std::unordered_map<std::size_t, bool> compared;
        for (const auto shingle : prefix(shingles)) {
            const auto found = m_postings.find(shingle);
            if (found == m_postings.end())
                continue;
            for (const auto candidate : found->second) {
                // Prompts from one template resemble thousands; one pair is enough to tell.
                if (best && compared.size() >= kMostCompared)
                    return best;
                if (!compared.emplace(candidate, true).second)
                    continue;
                const double similarity = jaccard(shingles, m_prompts[candidate].shingles);
                if (similarity >= kNearDuplicate && (!best || similarity > best->similarity))
                    best = PromptPair{evaluationRow, m_prompts[candidate].row, similarity};
            }
        }
        return best;
    }

private:
    std::vector<std::uint64_t> prefix(const std::vector<std::uint64_t>& shingles) const
    {
        std::vector<std::pair<std::int32_t, std::uint64_t>> ordered;
        for (const auto shingle : shingles) {
            const auto found = m_frequency.find(shingle);
            ordered.emplace_back(found == m_frequency.end() ? 0 : found->second, shingle);
        }
        std::sort(ordered.begin(), ordered.end());
        const auto needed =
            static_cast<std::size_t>(std::ceil(kNearDuplicate * double(shingles.size()) - 1e-9));
        const std::size_t length = shingles.empty() ? 0 : shingles.size() - needed + 1;
        std::vector<std::uint64_t> result;
        for (std::size_t i = 0; i < std::min(length, ordered.size()); ++i)
            result.push_back(ordered[i].second);
        return result;
    }

    const std::vector<Prompt>& m_prompts;
    std::unordered_map<std::uint64_t, std::int32_t> m_frequency;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> m_postings;
};

} // namespace

std::vector<std::uint64_t> wordShingles(const std::string& text)
{
    const auto words = plainWords(text);
    std::vector<std::uint64_t> shingles;
    const std::size_t length = std::min(kShingleWords, words.size());
    for (std::size_t i = 0; length > 0 && i + length <= words.size(); ++i) {
        std::uint64_t hash = 0xcbf29ce484222325ULL;
        for (std::size_t k = 0; k < length; ++k)
            hash = hashWord(hash, words[i + k]);
        shingles.push_back(hash);
    }
    std::sort(shingles.begin(), shingles.end());
    shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
    return shingles;
}

double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b)
{
    std::size_t common = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        common += a[i] == b[k] ? 1 : 0;
        const bool advanceA = a[i] <= b[k], advanceB = b[k] <= a[i];
        i += advanceA ? 1 : 0;
        k += advanceB ? 1 : 0;
    }
    const std::size_t all = a.size() + b.size() - common;
    return all == 0 ? 0.0 : double(common) / double(all);
}

PromptOverlap promptOverlap(const Dataset& train, const Dataset& evaluation, const std::stop_token& stop)
{
    std::unordered_map<std::string, std::int64_t> trainRow;
    for (std::int64_t i = 0; i < train.size(); ++i) {
        auto key = train.key(i);
        trainRow.emplace(std::move(key.group), key.row);
    }
    auto prompts = distinctPrompts(train, stop);
    const auto common = templateShingles(prompts);
    for (auto& prompt : prompts)
        prompt.shingles = without(prompt.shingles, common);
    const ShingleIndex index(prompts);
    PromptOverlap overlap;
    overlap.evaluationRows = evaluation.size();
    overlap.templateRuns = static_cast<std::int64_t>(common.size());
    std::unordered_map<std::string, std::optional<PromptPair>>
        ofGroup; // candidates of one prompt share the search
    for (std::int64_t i = 0; i < evaluation.size() && !stop.stop_requested(); ++i) {
        const Example example = evaluation.at(i);
        if (const auto found = trainRow.find(example.group); found != trainRow.end()) {
            overlap.equal.push_back({example.row, found->second, 1.0});
            continue;
        }
        const auto prompt = promptText(example);
        if (prompt.empty())
            continue;
        const auto [entry, fresh] = ofGroup.emplace(example.group, std::nullopt);
        if (fresh)
            entry->second = index.mostSimilar(example.row, without(wordShingles(prompt), common));
        if (entry->second) {
            overlap.nearDuplicates.push_back(*entry->second);
            overlap.nearDuplicates.back().evaluationRow = example.row;
        }
    }
    return overlap;
}

} // namespace assay
