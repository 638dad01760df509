#include "core/store/pair_list.h"

#include "core/store/filter/filter.h"
#include "core/store/solutions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

/// Rejected preferred with a probability of at least 0.9: a margin of -ln 9 or less.
const double kConfidentMargin = -std::log(9.0);

const std::array<std::string, 5> kSubsets = {"all", "wrong-pairs", "ties", "confident-errors",
                                             "chosen-longer"};

} // namespace

bool PairList::Entry::in(const std::string& subset) const
{
    if (subset == kSubsets[1])
        return margin() < 0.0;
    if (subset == kSubsets[2])
        return margin() == 0.0;
    if (subset == kSubsets[3])
        return margin() <= kConfidentMargin;
    return subset == kSubsets[4] ? chosenCharacters > rejectedCharacters : true;
}

void PairList::load(Database& database, const SolutionQuery& query)
{
    const auto examples =
        database.integer("SELECT count(*) FROM evaluation_examples WHERE evaluation = ?", query.evaluation);
    if (m_evaluation == query.evaluation && m_examples == examples && m_filter == query.filter)
        return;
    const auto filter = parseFilter(query.filter, pairFilterLanguage());
    if (!filter.ok())
        throw StoreFailure(filter.error());
    m_evaluation = -1;
    m_entries.clear();
    Statement s = database.prepare(
        "SELECT c.example, o.ordinal, c.score, r.score, length(json_extract(x.steps, '$[0]')), "
        "length(json_extract(x.steps, '$[1]')), (" +
        filter->sql +
        ") FROM predictions c "
        "CROSS JOIN predictions r ON r.evaluation = c.evaluation AND r.example = c.example AND "
        "r.read_out = 1 AND r.output = c.output "
        "CROSS JOIN evaluation_examples o ON o.evaluation = c.evaluation AND o.example = c.example "
        "CROSS JOIN examples x ON x.number = c.example "
        "WHERE c.evaluation = ? AND c.read_out = 0 AND c.output = 0 AND c.step < 0 AND "
        "c.score IS NOT NULL AND r.score IS NOT NULL");
    for (const auto& value : filter->values)
        s.bind(value);
    s.bind(query.evaluation);
    while (s.step())
        m_entries.push_back({s.integer(0), s.integer(1), s.real(2), s.real(3), s.isNull(4) ? 0 : s.integer(4),
                             s.isNull(5) ? 0 : s.integer(5), s.boolean(6)});
    m_evaluation = query.evaluation;
    m_examples = examples;
    m_filter = query.filter;
}

bool PairList::before(const Entry& a, const Entry& b, const std::string& sort)
{
    const double left = a.margin(), right = b.margin();
    if (sort == "lowest-margin" && left != right)
        return left < right;
    if (sort == "highest-margin" && left != right)
        return left > right;
    if (sort == "closest" && std::abs(left) != std::abs(right))
        return std::abs(left) < std::abs(right);
    if (sort == "longest-chosen" && a.chosenCharacters != b.chosenCharacters)
        return a.chosenCharacters > b.chosenCharacters;
    return a.ordinal < b.ordinal;
}

SolutionPage PairList::page(Database& database, const SolutionQuery& query)
{
    if (std::find(kSubsets.begin(), kSubsets.end(), query.subset) == kSubsets.end())
        throw StoreFailure({ErrorCode::Usage, "there is no such subset of pairs", query.subset});
    load(database, query);
    SolutionPage page;
    for (const auto& subset : kSubsets)
        page.subsetCounts.push_back(
            std::count_if(m_entries.begin(), m_entries.end(),
                          [&](const Entry& entry) { return entry.hit && entry.in(subset); }));
    std::vector<const Entry*> chosen;
    for (const auto& entry : m_entries)
        if (entry.hit && entry.in(query.subset))
            chosen.push_back(&entry);
    std::sort(chosen.begin(), chosen.end(),
              [&](const Entry* a, const Entry* b) { return before(*a, *b, query.sort); });
    page.matching = static_cast<std::int64_t>(chosen.size());
    const auto begin = std::clamp<std::int64_t>(query.offset, 0, page.matching);
    const auto end = std::min(page.matching, begin + std::max<std::int64_t>(0, query.limit));
    for (auto i = begin; i < end; ++i) {
        const Entry& entry = *chosen[static_cast<std::size_t>(i)];
        auto row = summaryOf(database, entry.example);
        row.ordinal = entry.ordinal;
        row.margin = entry.margin();
        page.rows.push_back(std::move(row));
    }
    return page;
}

} // namespace assay
