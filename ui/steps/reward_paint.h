#pragma once

#include "core/store/records.h"

#include <QFont>
#include <QRectF>
#include <QSizeF>

#include <optional>
#include <span>

class QPainter;

namespace assay {

// The pieces every picture of step rewards is made of. Each value has two channels: the colour of the reward
// scale, and a hatch, slash or direction, so that nothing rests on colour alone. Below the threshold =
// predicted wrong.

enum class LabelKind { Correct, Wrong, None };

/// A soft label counts by the side of one half it is on.
LabelKind labelKind(double label, bool supervised);

/// Lines from lower left to upper right, drawn by hand because brush patterns ignore the device pixel ratio.
void paintHatch(QPainter* painter, const QRectF& rect, const QColor& color, double spacing);
/// A ribbon cell: reward colour, with a slash below the threshold; without a value an outlined empty cell.
void paintRewardCell(QPainter* painter, const QRectF& rect, std::optional<double> probability,
                     double threshold);
/// A bar that grows left (hatched) or right of the threshold mark on a track from 0 to 1.
void paintRewardBar(QPainter* painter, const QRectF& rect, std::optional<double> probability,
                    double threshold);
/// Filled circle, filled diamond or dotted ring around `center`.
void paintLabelShape(QPainter* painter, const QPointF& center, double radius, LabelKind kind);
/// The label as left edge of a row: solid, striped or dotted.
void paintLabelEdge(QPainter* painter, const QRectF& rect, LabelKind kind);
/// A flag on a pole whose foot is at `foot`.
void paintFlag(QPainter* painter, const QPointF& foot, double height, const QColor& color, bool filled);

/// Size of a "first error, ..." tag in the given font.
QSizeF errorTagSize(const QFont& font, const QString& text);
/// The label's tag is filled, the model's outlined.
void paintErrorTag(QPainter* painter, const QRectF& rect, const QFont& font, const QString& text,
                   bool filled);

/// A solution as a row of cells with a marker under every step labelled wrong and a dot under every step
/// without label; cells shrink to fit the width.
void paintRibbon(QPainter* painter, const QRectF& rect, const SolutionSummary& solution, double threshold);

/// The scale from "0 wrong" over the threshold to "correct 1" as a strip.
void paintRewardScale(QPainter* painter, const QRectF& rect, double threshold);

} // namespace assay
