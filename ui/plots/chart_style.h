#pragma once

#include "ui/plots/chart_line.h"

class QCPAxis;
class QCustomPlot;

namespace assay::chart {

/// Axes, grid, margins and interactions every chart shares; called once.
void setUp(QCustomPlot* plot);
/// Colours and fonts from the active palette; called again after every palette change.
void restyle(QCustomPlot* plot);
/// Decimals that multiples of the step need: the same on the whole axis, and 2.5 does not read 3.
int tickDecimals(double step);
void setTicks(QCPAxis* axis, TickText text, int count = 5);

} // namespace assay::chart
