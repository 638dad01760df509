#include "ui/plots/plot.h"

#include <algorithm>
#include <deque>

namespace assay {

namespace {

/// The plots that wait for their turn, the first of them with its timer started. Only the GUI thread draws.
std::deque<Plot*>& waiting()
{
    static std::deque<Plot*> plots;
    return plots;
}

} // namespace

Plot::Plot(QWidget* parent)
    : QCustomPlot(parent)
{
    m_turn.setSingleShot(true);
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &Plot::draw);
}

Plot::~Plot()
{
    auto& plots = waiting();
    const bool first = !plots.empty() && plots.front() == this;
    plots.erase(std::remove(plots.begin(), plots.end(), this), plots.end());
    if (first && !plots.empty())
        plots.front()->m_turn.start();
}

void Plot::replotSoon()
{
    m_stale = Stale::All;
    enqueue();
}

void Plot::replotCursorSoon()
{
    m_stale = std::max(m_stale, Stale::Cursor);
    enqueue();
}

void Plot::enqueue()
{
    auto& plots = waiting();
    if (!isVisible() || std::find(plots.begin(), plots.end(), this) != plots.end())
        return; // a hidden plot is drawn when it is shown
    plots.push_back(this);
    if (plots.size() == 1)
        m_turn.start();
}

void Plot::draw()
{
    auto& plots = waiting();
    plots.pop_front();
    if (!plots.empty())
        plots.front()->m_turn.start();
    if (!isVisible())
        return;
    const Stale stale = std::exchange(m_stale, Stale::Nothing);
    if (stale == Stale::All)
        replot(rpQueuedRefresh);
    else if (stale == Stale::Cursor)
        layer(QStringLiteral("cursor"))->replot();
}

// QCustomPlot draws at once here, also for every size that a window being pulled passes through.
void Plot::resizeEvent(QResizeEvent*)
{
    setViewport(rect());
    replotSoon();
}

void Plot::showEvent(QShowEvent* event)
{
    QCustomPlot::showEvent(event);
    if (m_stale != Stale::Nothing)
        enqueue();
}

} // namespace assay
