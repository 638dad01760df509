#pragma once

#include "ui/theme.h"

#include <QString>

#include <optional>
#include <utility>
#include <vector>

namespace assay {

/// A colour looked up while painting.
using ColorOf = QColor (*)(const Palette&);

enum class Dash { Solid, Dashed, Dotted };
enum class Marker { None, Circle, Square, Triangle, Diamond };
enum class TickText { Number, Count, Percent, Rate, Duration };

/// One line of a chart. Values may be NaN: the line is interrupted there.
struct ChartLine
{
    QString name; ///< in the legend; empty = not there
    ColorOf color = nullptr;
    Dash dash = Dash::Solid;
    Marker marker = Marker::None;
    double width = 1.5;
    double opacity = 1.0;
    bool rightAxis = false;
    bool followed = true;          ///< the cursor marks its value with a circle
    std::vector<double> x, y;      ///< ascending x; equal x draw a vertical stroke
    std::vector<double> low, high; ///< interval band, empty = none

    /// Value at the last point not after `at`; NaN before the first one.
    double valueAt(double at) const;
};

/// A horizontal line that a curve has to be seen against: base rate, chance, trivial loss, a null baseline.
struct ChartBaseline
{
    QString text; ///< with its value
    double value = 0.0;
    bool dotted = false; ///< null baselines; base rate, chance and trivial loss are dashed

    bool operator==(const ChartBaseline&) const = default;
};

/// A value that cannot be drawn, marked at the upper edge.
struct ChartMark
{
    double x = 0.0;
    QString text; ///< "NaN"

    bool operator==(const ChartMark&) const = default;
};

/// Range of values to show so that everything visible, all baselines and the limits fit, with a little air
/// around.
std::pair<double, double> valueRange(const std::vector<ChartLine>& lines,
                                     const std::vector<ChartBaseline>& baselines, bool rightAxis,
                                     double fromX, double toX, std::optional<double> lowerLimit,
                                     std::optional<double> upperLimit);

/// Words at a point of a chart: a curve that is named where it is rather than in the legend.
struct ChartNote
{
    double x = 0.0, y = 0.0;
    QString text;

    bool operator==(const ChartNote&) const = default;
};

} // namespace assay
