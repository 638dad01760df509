#include "ui/plots/chart_annotations.h"

#include <qcustomplot.h>

#include <utility>

namespace assay {

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
    m_baselines = std::move(baselines);
    drawBaselines();
}

void ChartAnnotations::setMarks(std::vector<ChartMark> marks)
{
    m_marks = std::move(marks);
    drawMarks();
}

void ChartAnnotations::setNotes(std::vector<ChartNote> notes)
{
    m_notes = std::move(notes);
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
        text->setFont(textFont(TextSize::Tick));
        text->setColor(colors().text2);
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
        text->setFont(textFont(TextSize::Tick));
        text->setColor(colors().text2);
        text->setPadding(QMargins(2, 1, 8, 1));
        text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        text->position->setTypeY(QCPItemPosition::ptPlotCoords);
        text->position->setCoords(1.0, baseline.value);
        m_texts.push_back(text);
    }
}

void ChartAnnotations::placeTexts()
{
    const double height = QFontMetrics(textFont(TextSize::Tick)).height() + 2;
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        const double y = m_lines[i]->point1->pixelPosition().y();
        bool below = y - height < m_plot->axisRect()->top();
        for (std::size_t j = 0; j < m_texts.size(); ++j) {
            const double other = m_lines[j]->point1->pixelPosition().y();
            if (j != i && (other < y || (other == y && j < i)) && y - other < height)
                below = true;
        }
        m_texts[i]->setPositionAlignment(Qt::AlignRight | (below ? Qt::AlignTop : Qt::AlignBottom));
    }
}

void ChartAnnotations::drawMarks()
{
    for (auto* text : std::exchange(m_markTexts, {}))
        m_plot->removeItem(text);
    for (const auto& mark : m_marks) {
        auto* text = new QCPItemText(m_plot);
        text->setText(QStringLiteral("▼ ") + mark.text);
        text->setFont(textFont(TextSize::Tick));
        text->setColor(colors().err);
        text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        text->position->setTypeX(QCPItemPosition::ptPlotCoords);
        text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        text->position->setCoords(mark.x, 0.0);
        m_markTexts.push_back(text);
    }
}

} // namespace assay
