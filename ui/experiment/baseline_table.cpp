#include "ui/experiment/baseline_table.h"

#include "ui/number_text.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <utility>

namespace assay {

namespace {

constexpr int kRow = 20, kColumn = 58;
constexpr int kBarFrom = 400; ///< a narrower table has no bars: names and numbers come first

constexpr std::array<std::pair<const char*, const char*>, 5> kBaselines{
    {{"always_true", "Always correct"},
     {"position", "Position"},
     {"length", "Length"},
     {"position_length", "Position and length"},
     {"bag", "Bag of tokens"}}};

QString cellText(const Metric* metric)
{
    return metricText(metric ? metric->value : std::nullopt);
}

} // namespace

BaselineTable::BaselineTable(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Null baselines on the evaluation set"));
}

std::vector<BaselineTable::Row> BaselineTable::rows() const
{
    std::vector<Row> result;
    for (const auto& [id, name] : kBaselines) {
        const std::string word = id;
        Row row{tr(name), m_report.metric("baseline_accuracy_" + word),
                m_report.metric("baseline_balanced_accuracy_" + word),
                m_report.metric("baseline_auroc_" + word)};
        if (row.accuracy || row.balanced || row.auroc)
            result.push_back(row);
    }
    return result;
}

void BaselineTable::setReport(const Report& report)
{
    m_report.metrics = report.metrics;
    QStringList words;
    for (const auto& row : rows())
        words << tr("%1: accuracy %2, balanced accuracy %3, AUROC %4")
                     .arg(row.name, cellText(row.accuracy), cellText(row.balanced), cellText(row.auroc));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize BaselineTable::sizeHint() const
{
    return {scaled(300), scaled(kRow) * (static_cast<int>(rows().size()) + 1)};
}

void BaselineTable::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    const bool bars = width() >= scaled(kBarFrom);
    const int bar = bars ? scaled(86) : 0, column = scaled(kColumn);
    const int right = width() - bar - (bars ? scaled(10) : 0);
    const auto cell = [&](int y, int fromRight, const QString& text) {
        painter.drawText(QRect(right - (fromRight + 1) * column, y, column, scaled(kRow)),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(textFont(TextSize::Tick));
    painter.setPen(p.text3);
    cell(0, 2, tr("accuracy"));
    cell(0, 1, tr("bal. acc."));
    cell(0, 0, tr("AUROC"));
    int y = scaled(kRow);
    for (const auto& row : rows()) {
        painter.setFont(textFont(TextSize::Table));
        painter.setPen(p.text);
        painter.drawText(QRect(0, y, right - 3 * column, scaled(kRow)), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(row.name, Qt::ElideRight, right - 3 * column));
        painter.setFont(numberFont(TextSize::Table));
        cell(y, 2, cellText(row.accuracy));
        cell(y, 1, cellText(row.balanced));
        cell(y, 0, cellText(row.auroc));
        const QRect track(width() - bar, y + scaled(8), bar, scaled(5));
        painter.fillRect(track, p.sunken);
        if (bars && row.auroc && row.auroc->value) {
            // Filled from chance: a predictor that knows nothing has no bar, whichever way it errs.
            const double strength = std::clamp(std::abs(*row.auroc->value - 0.5) * 2.0, 0.0, 1.0);
            painter.fillRect(QRectF(track.left(), track.top(), track.width() * strength, track.height()),
                             p.text2);
        }
        y += scaled(kRow);
    }
}

} // namespace assay
