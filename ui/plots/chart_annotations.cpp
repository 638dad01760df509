#include "ui/plots/chart_annotations.h"

#include <qcustomplot.h>

#include <utility>

namespace assay {

namespace {

/// Looks of a text in the plot: on top of the curves, with enough of the ground behind it to be read there.
void dress(QCPItemText* text, const QColor& color)
{
    text->setLayer(QStringLiteral("names"));
    text->setFont(textFont(TextSize::Tick));
    text->setColor(color);
    QColor ground = colors().surface;
    ground.setAlphaF(0.8F);
    text->setBrush(ground);
}

} // namespace

ChartAnnotations::ChartAnnotations(QCustomPlot* plot)
    : m_plot(plot)
    , m_now(new QCPItemLine(plot))
{
    for (auto* end : {m_now->start, m_now->end}) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    m_now->setVisible(false);
    QObject::connect(plot, &QCustomPlot::beforeReplot, plot, [this] { placeTexts(); });
}

void ChartAnnotations::setBaselines(std::vector<ChartBaseline> baselines)
{
    if (std::exchange(m_baselines, std::move(baselines)) != m_baselines)
        drawBaselines();
}

void ChartAnnotations::setMarks(std::vector<ChartMark> marks)
{
    if (std::exchange(m_marks, std::move(marks)) != m_marks)
        drawMarks();
}

void ChartAnnotations::setNotes(std::vector<ChartNote> notes)
{
    if (std::exchange(m_notes, std::move(notes)) != m_notes)
        drawNotes();
}

void ChartAnnotations::setNow(std::optional<double> x)
{
    m_now->setVisible(x.has_value());
    if (x) {
        m_now->start->setCoords(*x, 0.0);
        m_now->end->setCoords(*x, 1.0);
    }
}

void ChartAnnotations::restyle()
{
    m_now->setPen(QPen(colors().line2, 1));
    drawBaselines();
    drawMarks();
    drawNotes();
}

void ChartAnnotations::drawNotes()
{
    for (auto* text : std::exchange(m_noteTexts, {}))
        m_plot->removeItem(text);
    for (const auto& note : m_notes) {
        auto* text = new QCPItemText(m_plot);
        text->setText(note.text);
        dress(text, colors().text2);
        text->setBrush(Qt::NoBrush); // beside its curve, not on one
        text->setPadding(QMargins(4, 2, 4, 2));
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
        text->position->setCoords(note.x, note.y);
        m_noteTexts.push_back(text);
    }
}

void ChartAnnotations::drawBaselines()
{
    for (auto* line : std::exchange(m_lines, {}))
        m_plot->removeItem(line);
    for (auto* text : std::exchange(m_texts, {}))
        m_plot->removeItem(text);
    for (const auto& baseline : m_baselines) {
        auto* line = new QCPItemStraightLine(m_plot);
        QPen pen(colors().text2, 1);
        pen.setDashPattern(baseline.dotted ? QVector<qreal>{2, 2} : QVector<qreal>{4, 3});
        line->setPen(pen);
        line->point1->setCoords(0, baseline.value);
        line->point2->setCoords(1, baseline.value);
        m_lines.push_back(line);

        auto* text = new QCPItemText(m_plot);
        text->setText(baseline.text);
        dress(text, colors().text2);
        text->setPadding(QMargins(3, 0, 3, 0));
        text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        text->position->setTypeY(QCPItemPosition::ptPlotCoords);
        text->position->setCoords(0.985, baseline.value);
        m_texts.push_back(text);
    }
}

void ChartAnnotations::placeTexts()
{
    const QFontMetrics metrics(textFont(TextSize::Tick));
    const double height = metrics.height() + 2;
    const QRect inside = m_plot->axisRect()->rect();
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        const double y = m_lines[i]->point1->pixelPosition().y();
        bool noRoomAbove = y - height<inside.top(), noRoomBelow = y + height> inside.bottom();
        for (std::size_t j = 0; j < m_texts.size(); ++j) {
            const double other = m_lines[j]->point1->pixelPosition().y();
            noRoomAbove =
                noRoomAbove || (j != i && (other < y || (other == y && j < i)) && y - other < height);
            noRoomBelow = noRoomBelow || (j != i && other > y && other - y < 2 * height);
        }
        const double width = metrics.horizontalAdvance(m_texts[i]->text()) + 6;
        const double left = m_texts[i]->position->pixelPosition().x() - width;
        const bool fewerBelow =
            pointsIn({left, y, width, height}) < pointsIn({left, y - height, width, height});
        const bool below = noRoomAbove || (fewerBelow && !noRoomBelow);
        m_texts[i]->setPositionAlignment(Qt::AlignRight | (below ? Qt::AlignTop : Qt::AlignBottom));
    }
}

std::int64_t ChartAnnotations::pointsIn(const QRectF& area) const
{
    std::int64_t count = 0;
    for (int i = 0; i < m_plot->graphCount(); ++i) {
        const QCPGraph* graph = m_plot->graph(i);
        if (graph->pen().style() == Qt::NoPen)
            continue; // an edge of a band
        const auto& data = *graph->data();
        const auto end = data.findEnd(graph->keyAxis()->pixelToCoord(area.right()));
        for (auto at = data.findBegin(graph->keyAxis()->pixelToCoord(area.left())); at != end; ++at)
            if (area.contains(graph->coordsToPixels(at->key, at->value)))
                ++count;
    }
    return count;
}

void ChartAnnotations::drawMarks()
{
    for (auto* text : std::exchange(m_markTexts, {}))
        m_plot->removeItem(text);
    for (const auto& mark : m_marks) {
        auto* text = new QCPItemText(m_plot);
        text->setText(QStringLiteral("▼ ") + mark.text);
        dress(text, colors().err);
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        text->position->setTypeX(QCPItemPosition::ptPlotCoords);
        text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        text->position->setCoords(mark.x, 0.0);
        m_markTexts.push_back(text);
    }
}

} // namespace assay
