#pragma once

#include "core/eval/report.h"

#include <QWidget>

namespace assay {

/// A table of a report as it is: names at the left, values at the right. For what has no picture of its own.
class ReportTable : public QWidget
{
    Q_OBJECT
public:
    explicit ReportTable(const Table& table, QWidget* parent = nullptr);
};

} // namespace assay
