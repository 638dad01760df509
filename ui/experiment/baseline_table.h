#pragma once

#include "core/eval/report.h"

#include <QWidget>

#include <vector>

namespace assay {

/// What predictors that do not read reach on the evaluation rows: accuracy, balanced accuracy, AUROC.
class BaselineTable : public QWidget
{
    Q_OBJECT
public:
    explicit BaselineTable(QWidget* parent = nullptr);
    /// Takes the metrics `baseline_...` of the report; hides itself when there is none.
    void setReport(const Report& report);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row
    {
        QString name;
        const Metric* accuracy = nullptr;
        const Metric* balanced = nullptr;
        const Metric* auroc = nullptr;
    };
    std::vector<Row> rows() const;

    Report m_report;
};

} // namespace assay
