#include "ui/models/run_table_delegate.h"

#include "ui/models/interval_bar.h"
#include "ui/models/run_table_model.h"
#include "ui/models/run_table_view.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/row_paint.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>

#include <algorithm>

namespace assay {

namespace {

void paintText(QPainter* painter, const QRect& rect, const QString& text, const QColor& color,
               const QFont& font, Qt::Alignment alignment = Qt::AlignLeft)
{
    painter->setFont(font);
    painter->setPen(color);
    painter->drawText(rect, int(alignment | Qt::AlignVCenter),
                      QFontMetrics(font).elidedText(text, Qt::ElideRight, rect.width()));
}

QColor statusColor(const BadgeLook& look)
{
    return look.tone == Tone::Plain ? colors().text2 : toneColors(look.tone).text;
}

void paintStatus(QPainter* painter, const QRect& rect, const RunSummary& run)
{
    const BadgeLook look = statusLook(run.status);
    const int size = scaled(15);
    paintIcon(painter, QRectF(rect.left(), rect.center().y() - size / 2, size, size), look.icon,
              statusColor(look));
    paintText(painter, rect.adjusted(size + scaled(4), 0, 0, 0), statusText(run), colors().text,
              textFont(TextSize::Table));
}

void paintMetric(QPainter* painter, const QRect& rect, const RunSummary& run)
{
    const QFont font = textFont(TextSize::Caption);
    QFont light = font;
    light.setWeight(QFont::Normal);
    if (!run.headline) {
        paintText(painter, rect, QStringLiteral("–"), colors().text3, light);
        return;
    }
    const HeadlineMetric& metric = *run.headline;
    const QFontMetrics lightMetrics(light);
    const int titleWidth = lightMetrics.horizontalAdvance(QStringLiteral("Accuracy")) + scaled(6);
    paintText(painter, QRect(rect.left(), rect.top(), titleWidth, rect.height()), shortMetricTitle(metric),
              colors().text2, light);
    const QFont bold = numberFont(TextSize::Table, true);
    const int valueWidth = QFontMetrics(bold).horizontalAdvance(QStringLiteral("0.000")) + scaled(5);
    int x = rect.left() + titleWidth;
    painter->setFont(bold);
    painter->setPen(colors().text);
    painter->drawText(QRect(x, rect.top(), valueWidth, rect.height()), int(Qt::AlignLeft | Qt::AlignVCenter),
                      metricText(metric.value));
    x += valueWidth;
    const QFont small = numberFont(TextSize::Tick);
    const int intervalWidth =
        QFontMetrics(small).horizontalAdvance(QStringLiteral("0.000–0.000")) + scaled(6);
    const int barWidth = rect.right() - x - intervalWidth;
    // Numbers are never elided: the bar goes first, then the interval.
    if (metric.low && metric.high && rect.right() - x >= intervalWidth - scaled(6)) {
        painter->setFont(small);
        painter->setPen(colors().text2);
        painter->drawText(QRect(x, rect.top(), intervalWidth, rect.height()),
                          int(Qt::AlignLeft | Qt::AlignVCenter),
                          metricText(metric.low) + QStringLiteral("–") + metricText(metric.high));
    }
    if (barWidth >= scaled(24))
        paintIntervalBar(painter,
                         QRectF(x + intervalWidth, rect.top(), std::min(barWidth, scaled(40)), rect.height()),
                         metric.value, metric.low, metric.high, metric.baseline);
}

void paintTags(QPainter* painter, const QRect& rect, const std::vector<std::string>& tags)
{
    QFont font = textFont(TextSize::Tick);
    const QFontMetrics metrics(font);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(font);
    int x = rect.left();
    for (const auto& tag : tags) {
        const QString text = QString::fromStdString(tag);
        const int width = std::min(metrics.horizontalAdvance(text) + scaled(11), rect.right() - x);
        if (width < scaled(20))
            break;
        const QRectF box(x + 0.5, rect.center().y() - scaled(9) + 0.5, width - 1, scaled(18) - 1);
        painter->setPen(colors().line2);
        painter->setBrush(colors().surface);
        painter->drawRoundedRect(box, scaled(3), scaled(3));
        painter->setPen(colors().text2);
        painter->drawText(box, Qt::AlignCenter, metrics.elidedText(text, Qt::ElideRight, width - scaled(6)));
        x += width + scaled(4);
    }
}

void paintContent(QPainter* painter, const QRect& rect, const RunSummary& run, const QModelIndex& index,
                  bool selected)
{
    QFont font = textFont(TextSize::Table);
    switch (index.column()) {
    case RunTableModel::StatusColumn:
        paintStatus(painter, rect, run);
        break;
    case RunTableModel::NameColumn:
        if (selected)
            font.setWeight(QFont::DemiBold);
        paintText(painter, rect, QString::fromStdString(run.name), colors().text, font);
        break;
    case RunTableModel::MetricColumn:
        paintMetric(painter, rect, run);
        break;
    case RunTableModel::VerdictColumn:
        if (run.verdictId.empty())
            paintText(painter, rect, QStringLiteral("–"), colors().text3, font);
        else
            paintBadge(
                painter, rect,
                verdictLook(QString::fromStdString(run.verdictId), QString::fromStdString(run.verdictBadge)));
        break;
    case RunTableModel::TagsColumn:
        paintTags(painter, rect, run.tags);
        break;
    case RunTableModel::DurationColumn:
        paintText(painter, rect, index.data().toString(), colors().text, numberFont(TextSize::Table),
                  Qt::AlignRight);
        break;
    default:
        paintText(painter, rect, index.data().toString(), colors().text2, font);
    }
}

/// First and last visible column, so that the selection bar and the ring stand at the row's ends.
bool isFirstVisible(const QStyleOptionViewItem& option, int column)
{
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    return table ? table->horizontalHeader()->visualIndex(column) == 0 : column == 0;
}

} // namespace

void RunTableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    painter->save();
    QStyleOptionViewItem ground(option);
    if (const auto* table = qobject_cast<const RunTableView*>(option.widget))
        ground.state.setFlag(QStyle::State_MouseOver, table->hoveredRow() == index.row());
    paintRowGround(painter, ground, isFirstVisible(option, index.column()));
    const auto* model = qobject_cast<const RunTableModel*>(index.model());
    const RunSummary* run = model ? model->row(index.row()) : nullptr;
    if (!run)
        index.data(Qt::DisplayRole); // asks for the page
    else
        paintContent(painter, option.rect.adjusted(scaled(8), 0, -scaled(6), -1), *run, index,
                     option.state.testFlag(QStyle::State_Selected));
    painter->restore();
}

QSize RunTableDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    return {runColumnWidth(index.column()), scaled(27)};
}

int runColumnWidth(int column)
{
    switch (column) {
    case RunTableModel::StatusColumn:
        return scaled(118); // "Running 100 %"
    case RunTableModel::NameColumn:
        return scaled(126);
    case RunTableModel::TaskColumn:
        return scaled(48);
    case RunTableModel::BackboneColumn:
        return scaled(96);
    case RunTableModel::DataColumn:
        return scaled(86);
    case RunTableModel::MetricColumn:
        return scaled(220);
    case RunTableModel::VerdictColumn:
        return scaled(180);
    case RunTableModel::DurationColumn:
        return scaled(76);
    case RunTableModel::TagsColumn:
        return scaled(62);
    default:
        return scaled(138);
    }
}

} // namespace assay
