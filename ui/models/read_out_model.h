#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/plots/chart_line.h"

#include <QAbstractTableModel>

#include <functional>
#include <vector>

namespace assay {

/// The table beside the plots: every series at the cursor, at its last point and at its best one.
class ReadOutModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Series, Cursor, Last, Best, ColumnCount };
    enum Role {
        GroupRole = Qt::UserRole, ///< true for a heading row
        LineRole                  ///< const ChartLine* of the sample to draw, null = none
    };

    explicit ReadOutModel(QObject* parent = nullptr);

    /// `evaluations` and `run` are read, not kept.
    void setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations);
    /// The optimiser step under the cursor; negative = no cursor.
    void setCursorStep(double step);
    double cursorStep() const { return m_cursorStep; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Tab-separated text of the whole table, for the clipboard.
    QString text() const;
    /// "loss 0.264  accuracy 0.904 ..." for the one-line bar of a narrow window.
    QString line() const;
    /// "Base rate 0.901. Trivial loss 0.323. ..."
    QString footnote() const { return m_footnote; }

private:
    enum class Better { Lower, Higher, Neither };
    struct Row
    {
        QString name;
        bool group = false;
        ChartLine sample;         ///< look of the series in the plots; no colour = not drawn there
        std::vector<double> x, y; ///< by optimiser step
        std::function<QString(double)> text;
        Better better = Better::Neither;
        QString shortName;       ///< in the one-line bar, empty = not there
        QString undefinedReason; ///< why the last value is missing
    };
    void addMetric(const char* id, const QString& name, Better better,
                   const std::vector<EvaluationRecord>& evaluations, std::function<QString(double)> text);
    void addSeries(const QString& name, Better better, const std::vector<SeriesPoint>& points,
                   std::function<QString(double)> text);
    QString cell(const Row& row, int column) const;

    std::vector<Row> m_rows;
    double m_cursorStep = -1.0;
    QString m_footnote;
};

} // namespace assay
