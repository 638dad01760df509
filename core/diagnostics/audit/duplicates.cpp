#include "core/diagnostics/audit/duplicates.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace assay {

namespace {

constexpr std::int64_t kRowsBetweenStops = 4096;

std::uint64_t chained(std::uint64_t before, std::string_view text)
{
    // The length keeps "ab" + "c" apart from "a" + "bc".
    std::string bytes(reinterpret_cast<const char*>(&before), sizeof(before));
    bytes += std::to_string(text.size());
    bytes += ':';
    bytes += text;
    return std::hash<std::string>{}(bytes);
}

std::string_view bytesOf(const std::vector<std::int32_t>& ids)
{
    return {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(std::int32_t)};
}

/// A labelled thing: what it is, and which way it is labelled.
struct Unit
{
    std::uint64_t key = 0;
    bool positive = false;
};

std::vector<Unit> unitsOf(const Example& example)
{
    std::vector<Unit> units;
    if (const auto* row = example.stepwise()) {
        auto key = chained(0, row->prompt);
        for (const auto& step : row->steps) {
            key = chained(key, step.text);
            if (step.label.supervised)
                units.push_back({key, step.label.value >= 0.5F});
        }
    } else if (const auto* given = example.tokenised()) {
        std::uint64_t key = 0;
        std::vector<std::int32_t> piece;
        for (std::size_t i = 0; i < std::min(given->ids.size(), given->labels.size()); ++i) {
            piece.push_back(given->ids[i]);
            if (!given->labels[i].supervised)
                continue;
            key = chained(key, bytesOf(piece));
            units.push_back({key, given->labels[i].value >= 0.5F});
            piece.clear();
        }
    }
    return units;
}

struct Kind
{
    std::int64_t positive = 0, negative = 0;
};

} // namespace

DuplicateCount countDuplicates(const Dataset& dataset, const std::stop_token& stop)
{
    DuplicateCount count;
    std::unordered_map<std::uint64_t, Kind> kinds;
    std::int64_t seen = 0;
    for (; seen < dataset.size(); ++seen) {
        if (seen % kRowsBetweenStops == 0 && stop.stop_requested())
            break;
        for (const auto& unit : unitsOf(dataset.at(seen))) {
            auto& kind = kinds[unit.key];
            count.repeated += kind.positive + kind.negative > 0 ? 1 : 0;
            ++(unit.positive ? kind.positive : kind.negative);
            ++count.labelled;
        }
    }
    for (const auto& [key, kind] : kinds)
        if (kind.positive > 0 && kind.negative > 0)
            count.conflicting += kind.positive + kind.negative;
    if (count.conflicting == 0)
        return count;
    for (std::int64_t i = 0; i < seen; ++i) {
        const auto units = unitsOf(dataset.at(i));
        if (std::any_of(units.begin(), units.end(), [&kinds](const Unit& unit) {
                const auto& kind = kinds.at(unit.key);
                return kind.positive > 0 && kind.negative > 0;
            }))
            count.rows.push_back(dataset.key(i).row);
    }
    return count;
}

} // namespace assay
