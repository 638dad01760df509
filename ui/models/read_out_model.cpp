#include "ui/models/read_out_model.h"

#include "ui/number_text.h"

#include <QFont>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

const QString kNone = QStringLiteral("–");

QString metric3(double value)
{
    return metricText(value);
}

QString metric2(double value)
{
    return metricText(value, 2);
}

QString percent1(double value)
{
    return percentText(value, 1);
}

QString percent0(double value)
{
    return percentText(value);
}

/// "21.4 k" from 10,000 on.
QString pace(double value)
{
    if (value >= 10000.0)
        return metricText(value / 1000.0, 1) + QChar(0x00a0) + QLatin1Char('k');
    return countText(std::llround(value));
}

} // namespace

ReadOutModel::ReadOutModel(QObject* parent)
    : QAbstractTableModel(parent)
{}

void ReadOutModel::setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations)
{
    std::vector<Row> before = std::exchange(m_rows, {});
    const auto group = [this](const QString& name) {
        Row row;
        row.name = name;
        row.group = true;
        m_rows.push_back(std::move(row));
    };
    const auto look = [this](ColorOf color, Dash dash, const QString& shortName) {
        m_rows.back().sample.color = color;
        m_rows.back().sample.dash = dash;
        m_rows.back().shortName = shortName;
    };
    constexpr ColorOf accent = [](const Palette& p) { return p.accent; };
    constexpr ColorOf second = [](const Palette& p) { return p.run[7]; };
    constexpr ColorOf train = [](const Palette& p) { return p.text3; };

    const bool pairs = run.details.summary.task == "Pairs";
    group(evaluations.empty() ? tr("Evaluation")
          : pairs             ? tr("Evaluation, %1 pairs").arg(countText(evaluations.back().readOuts))
                              : tr("Evaluation, %1 steps").arg(countText(evaluations.back().readOuts)));
    addMetric("loss", tr("Loss"), Better::Lower, evaluations, metric3);
    look(accent, Dash::Solid, tr("loss"));
    addMetric("skill", tr("Skill"), Better::Higher, evaluations, metric3);
    if (pairs) {
        addMetric("pair_accuracy", tr("Pair accuracy"), Better::Higher, evaluations, metric3);
        look(accent, Dash::Solid, tr("pair accuracy"));
        addMetric("tie_rate", tr("Tied pairs"), Better::Lower, evaluations, percent1);
        look(second, Dash::Dashed, tr("tied"));
        addMetric("margin_mean", tr("Mean margin"), Better::Higher, evaluations, metric3);
        look(accent, Dash::Solid, tr("margin"));
        addMetric("gain_over_length", tr("Gain over length"), Better::Higher, evaluations, metric3);
        addMetric("accuracy_chosen_longer", tr("Acc. if longer"), Better::Higher, evaluations, metric3);
        addMetric("accuracy_chosen_shorter", tr("Acc. if shorter"), Better::Higher, evaluations, metric3);
        addMetric("reward_mean", tr("Mean reward"), Better::Neither, evaluations, metric3);
        addMetric("reward_deviation", tr("Spread of rewards"), Better::Neither, evaluations, metric3);
    } else {
        addMetric("accuracy", tr("Accuracy"), Better::Higher, evaluations, metric3);
        look(accent, Dash::Solid, tr("accuracy"));
        addMetric("balanced_accuracy", tr("Bal. acc."), Better::Higher, evaluations, metric3);
        look(second, Dash::Dashed, tr("balanced"));
        addMetric("auroc", tr("AUROC"), Better::Higher, evaluations, metric3);
        look(accent, Dash::Solid, tr("AUROC"));
        addMetric("auprc_negative", tr("AUPRC, wrong"), Better::Higher, evaluations, metric3);
        addMetric("mcc", tr("MCC"), Better::Higher, evaluations, metric3);
        addMetric("first_error_f1", tr("First-error F1"), Better::Higher, evaluations, metric3);
        addMetric("predicted_positive_rate", tr("Predicted correct"), Better::Neither, evaluations, percent1);
        addMetric("tie_rate", tr("Tied scores"), Better::Lower, evaluations, percent1);
    }
    group(tr("Training"));
    addSeries(tr("Loss"), Better::Lower, run.loss, metric3);
    look(train, Dash::Solid, {});
    addSeries(tr("Gradient norm"), Better::Lower, run.gradientNorm, metric2);
    look(train, Dash::Solid, tr("gradient norm"));
    addSeries(tr("Clipped"), Better::Neither, run.clipped, percent0);
    addSeries(tr("Learning rate"), Better::Neither, run.learningRate, rateText);
    look(second, Dash::Dashed, {});
    addSeries(tr("Tokens/s"), Better::Higher, run.tokensPerSecond, pace);

    QStringList notes;
    if (!evaluations.empty()) {
        const auto note = [&](const char* id, const QString& word) {
            const Metric* metric = evaluations.back().report.metric(id);
            if (metric && metric->value)
                notes << QStringLiteral("%1 %2.").arg(word, metricText(metric->value));
        };
        note("base_rate", tr("Base rate"));
        note("trivial_loss", tr("Trivial loss"));
        note("baseline_accuracy_longest", tr("Taking the longest answer reaches"));
        if (const Metric* wrong = evaluations.back().report.metric("auprc_negative"); wrong && wrong->chance)
            notes << tr("Chance level of AUPRC for wrong steps %1.").arg(metricText(wrong->chance));
    }
    m_footnote = notes.join(QLatin1Char(' '));
    // The list of rows is fixed for a task; only their values change, so the selection of the view stays.
    if (before.size() != m_rows.size()) {
        beginResetModel();
        endResetModel();
    } else {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

void ReadOutModel::addMetric(const char* id, const QString& name, Better better,
                             const std::vector<EvaluationRecord>& evaluations,
                             std::function<QString(double)> text)
{
    Row row;
    row.name = name;
    row.better = better;
    row.text = std::move(text);
    for (const auto& evaluation : evaluations) {
        const Metric* metric = evaluation.report.metric(id);
        double value = metric && metric->value ? *metric->value : std::nan("");
        if (!metric && std::string_view(id) == "loss")
            value = evaluation.loss;
        row.x.push_back(static_cast<double>(evaluation.step));
        row.y.push_back(value);
        row.undefinedReason =
            metric && !metric->value ? QString::fromStdString(metric->undefinedReason) : QString();
    }
    m_rows.push_back(std::move(row));
}

void ReadOutModel::addSeries(const QString& name, Better better, const std::vector<SeriesPoint>& points,
                             std::function<QString(double)> text)
{
    Row row;
    row.name = name;
    row.better = better;
    row.text = std::move(text);
    for (const auto& point : points) {
        row.x.push_back(point.step);
        row.y.push_back(point.last);
    }
    m_rows.push_back(std::move(row));
}

void ReadOutModel::setCursorStep(double step)
{
    if (step == m_cursorStep)
        return;
    m_cursorStep = step;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, Cursor), index(rowCount() - 1, Cursor), {Qt::DisplayRole});
}

int ReadOutModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ReadOutModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ReadOutModel::cell(const Row& row, int column) const
{
    if (column == Series)
        return row.name;
    if (row.group || row.y.empty())
        return row.group ? QString() : kNone;
    if (column == Cursor) {
        if (m_cursorStep < 0.0)
            return kNone;
        const auto after = std::upper_bound(row.x.begin(), row.x.end(), m_cursorStep);
        if (after == row.x.begin())
            return kNone;
        const double value = row.y[static_cast<std::size_t>(after - row.x.begin()) - 1];
        return std::isnan(value) && !row.undefinedReason.isEmpty() ? kNone : row.text(value);
    }
    if (column == Last) {
        if (std::isnan(row.y.back()) && !row.undefinedReason.isEmpty())
            return kNone;
        return row.text(row.y.back());
    }
    if (row.better == Better::Neither)
        return kNone;
    double best = std::nan("");
    for (const double value : row.y)
        if (std::isfinite(value) &&
            (std::isnan(best) || (row.better == Better::Lower ? value < best : value > best)))
            best = value;
    return std::isnan(best) ? kNone : row.text(best);
}

QVariant ReadOutModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cell(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == Series ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::ToolTipRole:
        return row.undefinedReason.isEmpty()
                   ? QVariant()
                   : QVariant(tr("%1 is undefined: %2").arg(row.name, row.undefinedReason));
    case GroupRole:
        return row.group;
    case LineRole:
        return QVariant::fromValue(static_cast<const void*>(row.sample.color ? &row.sample : nullptr));
    default:
        return {};
    }
}

QVariant ReadOutModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == Series ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Series:
        return tr("Series");
    case Cursor:
        return tr("Cursor");
    case Last:
        return tr("Last");
    case Best:
        return tr("Best");
    default:
        return {};
    }
}

QString ReadOutModel::text() const
{
    QStringList lines{
        QStringLiteral("%1\t%2\t%3\t%4").arg(tr("Series"), tr("Cursor"), tr("Last"), tr("Best"))};
    for (const auto& row : m_rows) {
        if (row.group)
            lines << row.name;
        else
            lines << QStringList{row.name, cell(row, Cursor), cell(row, Last), cell(row, Best)}.join(
                QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

QString ReadOutModel::line() const
{
    QStringList parts;
    for (const auto& row : m_rows)
        if (!row.shortName.isEmpty())
            parts << row.shortName + QChar(0x00a0) + cell(row, m_cursorStep < 0.0 ? Last : Cursor);
    return parts.join(QStringLiteral("   "));
}

} // namespace assay
