#include "core/store/solutions.h"

#include "core/store/filter/filter.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

/// |probability - label| from which an error counts as confident.
constexpr double kConfident = 0.9;
constexpr std::size_t kPromptCharacters = 200;

const std::array<std::string, 5> kSubsets = {"all", "disagreements", "false-positives", "false-alarms",
                                             "confident-errors"};

/// Beginning of a text, cut between characters.
std::string beginning(const std::string& text)
{
    if (text.size() <= kPromptCharacters)
        return text;
    std::size_t end = kPromptCharacters;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end);
}

/// "steps where label = 0" is how people say it.
std::string_view withoutPreamble(std::string_view filter)
{
    constexpr std::string_view preamble = "steps where ";
    return filter.substr(0, preamble.size()) == preamble ? filter.substr(preamble.size()) : filter;
}

} // namespace

SolutionSummary summaryOf(Database& database, std::int64_t example)
{
    SolutionSummary row;
    Statement s = database.prepare("SELECT id, prompt FROM examples WHERE number = ?");
    if (s.bind(example).step()) {
        row.exampleId = s.text(0);
        row.prompt = beginning(s.text(1));
    }
    return row;
}

bool SolutionList::Entry::in(const std::string& subset) const
{
    if (subset == kSubsets[1])
        return falsePositive || falseAlarm;
    if (subset == kSubsets[2])
        return falsePositive;
    if (subset == kSubsets[3])
        return falseAlarm;
    return subset == kSubsets[4] ? confidentError : true;
}

void SolutionList::load(Database& database, const SolutionQuery& query)
{
    const auto predictions =
        database.integer("SELECT count(*) FROM evaluation_examples WHERE evaluation = ?", query.evaluation);
    if (m_evaluation == query.evaluation && m_predictions == predictions && m_threshold == query.threshold &&
        m_filter == query.filter)
        return;
    auto filter = parseFilter(withoutPreamble(query.filter), stepFilterLanguage());
    if (!filter.ok())
        throw StoreFailure(filter.error());
    m_evaluation = -1;
    m_entries.clear();
    // The text of examples is read only when the filter asks for it.
    const bool needsText = filter->sql.find("x.") != std::string::npos;
    Statement s =
        database.prepare("SELECT a.*, o.ordinal FROM (SELECT p.example AS example, "
                         "min(CASE WHEN p.supervised AND p.label < 0.5 THEN p.step END), "
                         "min(CASE WHEN p.probability < ?1 THEN p.step END), "
                         "max(CASE WHEN p.supervised THEN abs(p.probability - p.label) END), "
                         "max(p.supervised AND p.label < 0.5 AND p.probability >= ?1), "
                         "max(p.supervised AND p.label >= 0.5 AND p.probability < ?1), "
                         "max(p.supervised AND (p.label < 0.5) = (p.probability >= ?1) AND abs(p.probability "
                         "- p.label) >= ?2), "
                         "max(" +
                         filter->sql + ") FROM predictions p " +
                         (needsText ? "CROSS JOIN examples x ON x.number = p.example " : "") +
                         "WHERE p.evaluation = ? GROUP BY p.example) a "
                         "CROSS JOIN evaluation_examples o ON o.evaluation = ? AND o.example = a.example");
    s.bind(query.threshold).bind(kConfident);
    for (const auto& value : filter->values)
        s.bind(value);
    s.bind(query.evaluation).bind(query.evaluation);
    const auto step = [&](int column) { return s.isNull(column) ? -1 : static_cast<int>(s.integer(column)); };
    while (s.step())
        m_entries.push_back({s.integer(0), s.integer(8), step(1), step(2), s.optionalReal(3).value_or(0.0),
                             s.boolean(7), s.boolean(4), s.boolean(5), s.boolean(6)});
    m_evaluation = query.evaluation;
    m_predictions = predictions;
    m_threshold = query.threshold;
    m_filter = query.filter;
}

SolutionPage SolutionList::page(Database& database, const SolutionQuery& query)
{
    if (std::find(kSubsets.begin(), kSubsets.end(), query.subset) == kSubsets.end())
        throw StoreFailure({ErrorCode::Usage, "there is no such subset of solutions", query.subset});
    load(database, query);
    SolutionPage page;
    std::vector<const Entry*> chosen;
    for (const auto& subset : kSubsets)
        page.subsetCounts.push_back(
            std::count_if(m_entries.begin(), m_entries.end(),
                          [&](const Entry& entry) { return entry.hit && entry.in(subset); }));
    for (const auto& entry : m_entries)
        if (entry.hit && entry.in(query.subset))
            chosen.push_back(&entry);
    const auto never = [](int step) { return step < 0 ? std::numeric_limits<int>::max() : step; };
    std::sort(chosen.begin(), chosen.end(), [&](const Entry* a, const Entry* b) {
        if (query.sort == "largest-error" && a->largestError != b->largestError)
            return a->largestError > b->largestError;
        if (query.sort == "first-error" && a->firstTrueError != b->firstTrueError)
            return never(a->firstTrueError) < never(b->firstTrueError);
        return a->ordinal < b->ordinal;
    });
    page.matching = static_cast<std::int64_t>(chosen.size());
    const auto begin = std::clamp<std::int64_t>(query.offset, 0, page.matching);
    const auto end = std::min(page.matching, begin + std::max<std::int64_t>(0, query.limit));
    for (auto i = begin; i < end; ++i) {
        const Entry& entry = *chosen[static_cast<std::size_t>(i)];
        auto row = summaryOf(database, entry.example);
        row.ordinal = entry.ordinal;
        row.firstTrueError = entry.firstTrueError;
        row.firstPredictedError = entry.firstPredictedError;
        row.largestError = entry.largestError;
        Statement steps =
            database.prepare("SELECT probability, label, supervised FROM predictions WHERE evaluation = ? "
                             "AND example = ? ORDER BY read_out, output");
        steps.bind(query.evaluation).bind(entry.example);
        while (steps.step()) {
            row.probabilities.push_back(steps.real(0));
            row.labels.push_back(steps.real(1));
            row.supervised.push_back(steps.boolean(2));
        }
        page.rows.push_back(std::move(row));
    }
    return page;
}

} // namespace assay
