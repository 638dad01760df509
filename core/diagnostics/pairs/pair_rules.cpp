#include "core/diagnostics/pairs/pair_rules.h"

#include "core/diagnostics/label_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace assay {

namespace {

constexpr double kBiased = 0.9;         ///< share of pairs in which one length rule holds
constexpr double kManyDuplicates = 0.1; ///< share of pairs that repeat another
constexpr double kManyDropped = 0.05;
constexpr std::int64_t kFewestPairs = 20;

double percent(double share)
{
    return 100.0 * share;
}

double share(std::size_t part, std::size_t whole)
{
    return whole > 0 ? double(part) / double(whole) : 0.0;
}

bool isBlank(const std::string& text)
{
    return text.find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

/// Adds a row once; pairs of one row come one after another.
void addRow(std::vector<std::int64_t>& rows, std::int64_t row)
{
    if (rows.empty() || rows.back() != row)
        rows.push_back(row);
}

bool hasEqualSequences(const LaidOut& row)
{
    for (std::size_t i = 0; i < row.sequences.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (row.sequences[i].ids == row.sequences[j].ids)
                return true;
    return false;
}

using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

} // namespace

std::optional<Finding> identicalSidesRule(std::span<const AnswerPair> pairs, std::string_view side)
{
    std::vector<std::int64_t> rows;
    for (const auto& pair : pairs)
        if (pair.better == pair.worse)
            addRow(rows, pair.row);
    if (rows.empty())
        return std::nullopt;
    return Finding{
        .id = "identical-sides",
        .severity = Severity::Red,
        .title = "Chosen equals rejected",
        .evidence = fmt::format("{} of {} pairs in {} have chosen equal to rejected; row numbers {} "
                                "(from 0).",
                                rows.size(), pairs.size(), side, listRows(rows)),
        .cause = "Both sides were made from one answer, or a filter cut what differs.",
        .remedy = "Remove these rows: their loss is ln 2 whatever the model says, and nothing can be "
                  "learned from them.",
        .rows = rows,
        .number = double(rows.size())};
}

std::optional<Finding> equalInLayoutRule(const Dataset& dataset, std::span<const AnswerPair> pairs,
                                         std::span<const LaidOut> laidOut, std::string_view side)
{
    std::set<std::int64_t> equalAsText;
    for (const auto& pair : pairs)
        if (pair.better == pair.worse)
            equalAsText.insert(pair.row);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < laidOut.size(); ++i) {
        const auto row = dataset.key(static_cast<std::int64_t>(i)).row;
        if (!equalAsText.contains(row) && hasEqualSequences(laidOut[i]))
            rows.push_back(row);
    }
    if (rows.empty())
        return std::nullopt;
    return Finding{
        .id = "equal-in-layout",
        .severity = Severity::Red,
        .title = "Chosen and rejected become the same tokens",
        .evidence =
            fmt::format("{} of {} rows in {} have candidates that differ as texts and have the same tokens; "
                        "row numbers {} (from 0).",
                        rows.size(), laidOut.size(), side, listRows(rows)),
        .cause =
            "The chat template, the tokenizer's normaliser or its unknown token takes away what differs.",
        .remedy =
            "Remove these rows, or choose a template and a tokenizer that keep the difference: their loss is "
            "ln 2 whatever the model says.",
        .rows = rows,
        .number = double(rows.size())};
}

std::optional<Finding> emptyAnswerRule(std::span<const AnswerPair> pairs, std::string_view side)
{
    std::vector<std::int64_t> rows;
    std::int64_t better = 0;
    for (const auto& pair : pairs) {
        if (!pair.isText || pair.better == pair.worse || (!isBlank(pair.better) && !isBlank(pair.worse)))
            continue;
        better += isBlank(pair.better) ? 1 : 0;
        addRow(rows, pair.row);
    }
    if (rows.empty())
        return std::nullopt;
    return Finding{.id = "empty-answer",
                   .severity = Severity::Warning,
                   .title = "Answers without text",
                   .evidence =
                       fmt::format("{} of {} pairs in {} have an empty side, {} of them the chosen one; "
                                   "rows {}.",
                                   rows.size(), pairs.size(), side, better, listRows(rows)),
                   .cause = "An answer was lost, or saying nothing was preferred.",
                   .remedy = "Look at these rows; remove them if an answer is missing.",
                   .rows = rows,
                   .number = double(rows.size())};
}

std::optional<Finding> contradictoryPairsRule(std::span<const AnswerPair> pairs, std::string_view side)
{
    std::map<Key, std::int64_t> seen;
    for (const auto& pair : pairs)
        seen.emplace(Key{pair.prompt, pair.better, pair.worse}, pair.row);
    std::vector<std::int64_t> rows;
    std::string listed;
    std::size_t contradictions = 0;
    constexpr std::size_t kListed = 10;
    for (const auto& pair : pairs) {
        const auto other = seen.find(Key{pair.prompt, pair.worse, pair.better});
        // Each contradiction once: at the pair that is larger in order.
        if (other == seen.end() || pair.better <= pair.worse)
            continue;
        if (contradictions++ < kListed)
            listed += fmt::format("{}{} and {}", listed.empty() ? "" : ", ", other->second + 1, pair.row + 1);
        rows.push_back(other->second);
        rows.push_back(pair.row);
    }
    if (contradictions == 0)
        return std::nullopt;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return Finding{.id = "contradictory-pairs",
                   .severity = Severity::Warning,
                   .title = "Pairs contradict each other",
                   .evidence =
                       fmt::format("{} pairs in {} prefer what another pair of the same prompt rejects; "
                                   "rows {}{}.",
                                   contradictions, side, listed, contradictions > kListed ? ", ..." : ""),
                   .cause = "Two people disagreed, or sides were swapped.",
                   .remedy = "Decide which order holds; both together teach nothing.",
                   .rows = rows,
                   .number = double(contradictions)};
}

std::optional<Finding> duplicatePairsRule(std::span<const AnswerPair> pairs, std::string_view side)
{
    std::map<Key, std::int64_t> seen;
    std::vector<std::int64_t> rows;
    for (const auto& pair : pairs)
        if (!seen.emplace(Key{pair.prompt, pair.better, pair.worse}, pair.row).second)
            rows.push_back(pair.row);
    if (rows.empty())
        return std::nullopt;
    const double part = share(rows.size(), pairs.size());
    return Finding{.id = "duplicate-pairs",
                   .severity = part >= kManyDuplicates ? Severity::Warning : Severity::Note,
                   .title = "Pairs stand more than once",
                   .evidence = fmt::format("{} of {} pairs in {} ({:.1f} %) repeat an earlier one; rows {}.",
                                           rows.size(), pairs.size(), side, percent(part), listRows(rows)),
                   .cause = "Files were joined, or rows were drawn with replacement.",
                   .remedy = "Remove the copies: they count as evidence that is not there.",
                   .rows = rows,
                   .number = part};
}

std::optional<Finding> lengthBiasRule(const PairCensus& census, std::string_view side)
{
    const double longer = census.shareLonger();
    if (census.pairs == 0 || (longer < kBiased && longer > 1.0 - kBiased))
        return std::nullopt;
    const bool longest = longer >= kBiased;
    const double accuracy = longest ? census.longestWins() : census.shortestWins();
    // Answers that are all of one length favour neither ruler.
    if (accuracy < kBiased)
        return std::nullopt;
    return Finding{
        .id = "length-bias",
        .severity = Severity::Warning,
        .title = fmt::format("Chosen is {} {}", accuracy >= 1.0 ? "always" : "almost always",
                             longest ? "longer" : "shorter"),
        .evidence = fmt::format("In {} of {} pairs in {} chosen is {}; the accuracy of the length rule ({} "
                                "answer wins) is {:.3f}.",
                                longest ? census.longer : census.pairs - census.longer - census.equallyLong,
                                census.pairs, side, longest ? "longer" : "shorter",
                                longest ? "the longest" : "the shortest", accuracy),
        .cause = "The answers come from two sources that differ in length.",
        .remedy = "A model that only counts does as well: add pairs of similar length, or read every result "
                  "beside the length rule.",
        .rows = {},
        .number = accuracy};
}

std::optional<Finding> lengthRulerNote(const PairCensus& census, std::string_view side)
{
    if (census.pairs == 0 || lengthBiasRule(census, side))
        return std::nullopt;
    return Finding{
        .id = "length-ruler",
        .severity = Severity::Note,
        .title = fmt::format("Chosen is longer in {:.1f} % of the pairs", percent(census.shareLonger())),
        .evidence = fmt::format("In {} \"the longest answer wins\" reaches accuracy {:.3f}, \"the "
                                "shortest\" {:.3f}; mean lengths {:.0f} and {:.0f}.",
                                side, census.longestWins(), census.shortestWins(), census.betterLength,
                                census.worseLength),
        .cause = {},
        .remedy = "Read pair accuracy beside these numbers.",
        .rows = {},
        .number = census.shareLonger()};
}

std::optional<Finding> someMarginsRule(const PairCensus& census, std::string_view side)
{
    if (census.withMargin == 0 || census.withMargin == census.rows)
        return std::nullopt;
    return Finding{.id = "margin-on-some-rows",
                   .severity = Severity::Warning,
                   .title = "Only some rows have a margin",
                   .evidence = fmt::format("{} of {} rows in {} have one; the others are taken as 0.",
                                           census.withMargin, census.rows, side),
                   .cause = "Files with and without margins were joined.",
                   .remedy = "Give every row a margin, or none.",
                   .rows = {},
                   .number = double(census.withMargin)};
}

std::optional<Finding> longPairsRule(const Dataset& dataset, std::span<const LaidOut> laidOut,
                                     std::string_view side)
{
    std::vector<std::int64_t> rows;
    std::size_t dropped = 0;
    std::int32_t longest = 0;
    for (std::size_t i = 0; i < laidOut.size(); ++i) {
        const auto& cut = laidOut[i].cut;
        if (cut.lengths.empty())
            continue;
        rows.push_back(dataset.key(static_cast<std::int64_t>(i)).row);
        dropped += cut.dropped ? 1 : 0;
        longest = std::max(longest, *std::max_element(cut.lengths.begin(), cut.lengths.end()));
    }
    if (rows.empty())
        return std::nullopt;
    const double part = share(dropped, laidOut.size());
    auto severity = part >= kManyDropped ? Severity::Warning : Severity::Note;
    std::string title = dropped > 0 ? "Long pairs are dropped" : "Long pairs are cut";
    if (dropped == laidOut.size()) {
        severity = Severity::Red;
        title = fmt::format("Every pair of {} is dropped as too long", side);
    }
    return Finding{.id = "truncation-loss",
                   .severity = severity,
                   .title = std::move(title),
                   .evidence = fmt::format("{} of {} rows in {} are over the limit (longest {} tokens): {} "
                                           "dropped ({:.1f} %), {} cut; rows {}.",
                                           rows.size(), laidOut.size(), side, longest, dropped, percent(part),
                                           rows.size() - dropped, listRows(rows)),
                   .cause = "A side has more tokens than the maximum length.",
                   .remedy = "Raise the maximum length, or cut the prompt from the left.",
                   .rows = rows,
                   .number = part};
}

std::optional<Finding> tooFewPairsRule(const PairCensus& evaluation)
{
    if (evaluation.pairs == 0 || evaluation.pairs >= kFewestPairs)
        return std::nullopt;
    return Finding{.id = "too-few-pairs",
                   .severity = Severity::Warning,
                   .title = "Too few pairs to evaluate on",
                   .evidence = fmt::format("{} evaluation pairs; below {} no verdict is possible.",
                                           evaluation.pairs, kFewestPairs),
                   .cause = "The evaluation split is small.",
                   .remedy = "Evaluate on more prompts.",
                   .rows = {},
                   .number = double(evaluation.pairs)};
}

} // namespace assay
