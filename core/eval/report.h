#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A number with its interval, or the reason why there is none. Undefined is said, never zero.
struct Metric
{
    std::string id;    ///< stable: auroc, balanced_accuracy, ...
    std::string title; ///< on screen: "AUROC"
    std::optional<double> value;
    std::optional<double> low, high; ///< 95 % interval
    std::optional<double> chance;    ///< what a constant or chance reaches on the same labels
    std::string undefinedReason;
};

enum class Severity { Note, Warning, Red };

/// Something a person must know, with evidence, likely cause and remedy.
struct Finding
{
    std::string id; ///< stable: more-than-one-label-per-step, one-class-only, ...
    Severity severity = Severity::Note;
    std::string title;
    std::string evidence;
    std::string cause;
    std::string remedy;
    std::vector<std::int64_t> rows; ///< 0-based rows of the data set that show it (some)
    double number = 0.0;            ///< the figure the rule looked at
};

struct Table
{
    std::string id, title;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

struct Curve
{
    std::string id, title;
    std::vector<double> x, y;
};

/// What a diagnostic returns, the store keeps and the screens draw.
struct Report
{
    std::vector<Metric> metrics;
    std::vector<Table> tables;
    std::vector<Curve> curves;
    std::vector<Finding> findings;

    const Metric* metric(std::string_view id) const
    {
        for (const auto& m : metrics)
            if (m.id == id)
                return &m;
        return nullptr;
    }
    /// The first finding that blocks a start; null when there is none.
    const Finding* firstRed() const
    {
        for (const auto& finding : findings)
            if (finding.severity == Severity::Red)
                return &finding;
        return nullptr;
    }
};

} // namespace assay
