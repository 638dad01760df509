#pragma once

#include "ui/plots/chart_line.h"

class QCPAxis;
class QCustomPlot;

namespace assay::chart {

/// Axes, grid, margins and interactions every chart shares; called once.
void setUp(QCustomPlot* plot);
/// Colours and fonts from the active palette; called again after every palette change.
void restyle(QCustomPlot* plot);
void setTicks(QCPAxis* axis, TickText text, int count = 5);

} // namespace assay::chart
