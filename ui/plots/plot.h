#pragma once

#include <QTimer>
#include <qcustomplot.h>

namespace assay {

/// A plot that is drawn once for all changes since the last time, in a turn of the event loop of its own, and
/// not while it is hidden: six of them drawn within one turn are longer than a person may be kept waiting.
class Plot : public QCustomPlot
{
public:
    explicit Plot(QWidget* parent = nullptr);
    ~Plot() override;

    void replotSoon();
    /// Only the layer "cursor", which has a buffer of its own.
    void replotCursorSoon();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    enum class Stale { Nothing, Cursor, All };

    void enqueue();
    void draw();

    QTimer m_turn;
    Stale m_stale = Stale::Nothing;
};

} // namespace assay
