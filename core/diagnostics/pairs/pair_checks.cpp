#include "core/diagnostics/pairs/pair_checks.h"

#include "core/diagnostics/pairs/pair_rules.h"

#include <fmt/format.h>

namespace assay {

namespace {

PairCensus addSide(Report& report, const Dataset& dataset, std::span<const LaidOut> laidOut,
                   std::string_view side)
{
    const auto add = [&report](std::optional<Finding> finding) {
        if (finding)
            report.findings.push_back(std::move(*finding));
    };
    const auto pairs = answerPairs(dataset);
    const auto census = takePairCensus(dataset, pairs, laidOut);
    add(identicalSidesRule(pairs, side));
    add(equalInLayoutRule(dataset, pairs, laidOut, side));
    add(emptyAnswerRule(pairs, side));
    add(contradictoryPairsRule(pairs, side));
    add(duplicatePairsRule(pairs, side));
    add(lengthBiasRule(census, side));
    add(lengthRulerNote(census, side));
    add(someMarginsRule(census, side));
    add(longPairsRule(dataset, laidOut, side));
    return census;
}

Table censusTable(const PairCensus& train, const PairCensus* evaluation)
{
    Table table{"pair_census", "Pairs", {"", "train"}, {}};
    if (evaluation)
        table.columns.emplace_back("evaluation");
    const auto row = [&](const char* name, auto text) {
        std::vector<std::string> cells{name, text(train)};
        if (evaluation)
            cells.push_back(text(*evaluation));
        table.rows.push_back(std::move(cells));
    };
    row("rows", [](const PairCensus& c) { return std::to_string(c.rows); });
    row("pairs", [](const PairCensus& c) { return std::to_string(c.pairs); });
    row("chosen longer", [](const PairCensus& c) { return std::to_string(c.longer); });
    row("equally long", [](const PairCensus& c) { return std::to_string(c.equallyLong); });
    row("longest wins", [](const PairCensus& c) { return fmt::format("{:.3f}", c.longestWins()); });
    row("shortest wins", [](const PairCensus& c) { return fmt::format("{:.3f}", c.shortestWins()); });
    row("mean length chosen", [](const PairCensus& c) { return fmt::format("{:.1f}", c.betterLength); });
    row("mean length rejected", [](const PairCensus& c) { return fmt::format("{:.1f}", c.worseLength); });
    row("with a margin", [](const PairCensus& c) { return std::to_string(c.withMargin); });
    row("dropped as too long", [](const PairCensus& c) { return std::to_string(c.dropped); });
    row("cut", [](const PairCensus& c) { return std::to_string(c.cut); });
    return table;
}

} // namespace

bool holdsPreferences(const Dataset& dataset)
{
    if (dataset.size() == 0)
        return false;
    const Example first = dataset.at(0);
    return first.preference() || first.tokenisedPreference();
}

Report checkPairs(const LabelCheckInput& input)
{
    Report report;
    const auto train =
        input.train ? addSide(report, *input.train, input.trainRows, "training") : PairCensus();
    if (!input.evaluation) {
        report.tables.push_back(censusTable(train, nullptr));
        return report;
    }
    const auto evaluation = addSide(report, *input.evaluation, input.evaluationRows, "evaluation");
    if (auto few = tooFewPairsRule(evaluation))
        report.findings.push_back(std::move(*few));
    report.tables.push_back(censusTable(train, &evaluation));
    return report;
}

} // namespace assay
