#include "core/diagnostics/labelled_steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace assay {

namespace {

/// FNV-1a, folded to 31 bits: an identity for counting, not a security measure.
std::int32_t wordHash(std::string_view word)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : word) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return static_cast<std::int32_t>((hash ^ (hash >> 32)) & 0x7fffffffULL);
}

bool isWordByte(unsigned char c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

std::vector<std::string> plainWords(std::string_view text)
{
    std::vector<std::string> words;
    bool inside = false;
    for (const char raw : text) {
        const auto c = static_cast<unsigned char>(raw);
        if (!isWordByte(c)) {
            inside = false;
            continue;
        }
        if (!inside)
            words.emplace_back();
        inside = true;
        words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : raw;
    }
    return words;
}

std::int32_t characterCount(std::string_view text)
{
    return static_cast<std::int32_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<LabelledStep> labelledSteps(const Example& example, const LaidOut& row, std::int32_t index)
{
    std::map<std::int32_t, std::vector<std::int32_t>> tokensOfStep;
    for (const auto& sequence : row.sequences) {
        // Rows given as ids mark only the labelled positions; what lies before one, back to the last, is its
        // step.
        std::vector<std::int32_t> given;
        for (std::size_t i = 0; i < sequence.step.size(); ++i) {
            if (example.tokenised())
                given.push_back(sequence.ids[i]);
            else if (sequence.step[i] >= 0)
                tokensOfStep[sequence.step[i]].push_back(sequence.ids[i]);
            if (example.tokenised() && sequence.step[i] >= 0)
                tokensOfStep[sequence.step[i]] = std::exchange(given, {});
        }
    }
    const auto* text = example.stepwise();
    std::vector<LabelledStep> steps;
    for (std::size_t score = 0; score < row.scores.size(); ++score) {
        LabelledStep step;
        step.example = index;
        step.position = std::max(row.scoreStep[score], 0);
        const auto target = score * std::size_t(row.targets.outputs);
        step.label = row.targets.value[target];
        step.supervised = row.targets.mask[target] != 0;
        if (const auto found = tokensOfStep.find(row.scoreStep[score]); found != tokensOfStep.end()) {
            step.tokenIds = found->second;
            step.tokens = static_cast<std::int32_t>(found->second.size());
        }
        if (text && std::size_t(step.position) < text->steps.size())
            step.characters = characterCount(text->steps[std::size_t(step.position)].text);
        steps.push_back(std::move(step));
    }
    return steps;
}

std::vector<LabelledStep> labelledSteps(const Example& example, std::int32_t index)
{
    std::vector<LabelledStep> steps;
    const auto* row = example.stepwise();
    for (std::size_t i = 0; row && i < row->steps.size(); ++i) {
        LabelledStep step;
        step.example = index;
        step.position = static_cast<std::int32_t>(i);
        step.characters = characterCount(row->steps[i].text);
        for (const auto& word : plainWords(row->steps[i].text))
            step.tokenIds.push_back(wordHash(word));
        step.tokens = static_cast<std::int32_t>(step.tokenIds.size());
        step.label = row->steps[i].label.value;
        step.supervised = row->steps[i].label.supervised;
        steps.push_back(std::move(step));
    }
    return steps;
}

} // namespace assay
