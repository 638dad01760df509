#pragma once

#include <QTableView>

namespace assay {

/// A table whose whole row is under the pointer, not one cell of it.
class RunTableView : public QTableView
{
    Q_OBJECT
public:
    explicit RunTableView(QWidget* parent = nullptr);
    /// Row under the pointer; -1 = none.
    int hoveredRow() const { return m_hoveredRow; }

protected:
    bool viewportEvent(QEvent* event) override;

private:
    int m_hoveredRow = -1;
};

} // namespace assay
