#pragma once

#include "core/eval/report.h"

#include <QWidget>

namespace assay {

/// A label check that found something: icon by severity, title, evidence; below, what to do.
class FindingRow : public QWidget
{
    Q_OBJECT
public:
    explicit FindingRow(const Finding& finding, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// The list of checks, worst first, replaced as a whole.
class FindingList : public QWidget
{
    Q_OBJECT
public:
    explicit FindingList(QWidget* parent = nullptr);
    void setFindings(const std::vector<Finding>& findings);
    int count() const { return m_count; }

private:
    int m_count = 0;
};

} // namespace assay
