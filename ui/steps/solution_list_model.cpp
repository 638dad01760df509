#include "ui/steps/solution_list_model.h"

#include "ui/number_text.h"
#include "ui/steps/pairs/margin_bar.h"
#include "ui/steps/solution.h"

#include <QPointer>

namespace assay {

SolutionListModel::SolutionListModel(Loader loader, QObject* parent)
    : PagedModel(parent)
    , m_loader(std::move(loader))
{}

int SolutionListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1;
}

QVariant SolutionListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    const SolutionSummary* solution = wantedRow(index.row());
    if (!solution)
        return {};
    const QString prompt = QString::fromStdString(solution->prompt).simplified();
    if (role != Qt::AccessibleTextRole)
        return prompt;
    if (solution->margin)
        return QStringLiteral("Pair %1, %2, margin %3. %4")
            .arg(countText(solution->ordinal), pairOutcomeText(pairOutcome(*solution->margin)),
                 metricText(*solution->margin, 2), prompt);
    const auto tag = solutionTag(solution->firstTrueError, solution->firstPredictedError);
    return QStringLiteral("Solution %1, %2. %3. %4")
        .arg(countText(solution->ordinal), tag.text(), prompt,
             ribbonDescription(*solution, m_shownThreshold));
}

void SolutionListModel::setQuery(const SolutionQuery& query)
{
    m_query = query;
    setVisibleRows(0, 0);
    refresh();
}

SolutionQuery SolutionListModel::query(int offset, int limit) const
{
    SolutionQuery query = m_query;
    query.offset = offset;
    query.limit = limit;
    return query;
}

void SolutionListModel::refresh()
{
    const auto [offset, limit] = refreshRange();
    const auto generation = ++m_generation;
    m_loader(query(offset, limit), [self = QPointer(this), generation, first = offset,
                                    threshold = m_query.threshold](Result<SolutionPage> page) {
        if (!self || generation != self->m_generation)
            return;
        if (page.ok()) {
            self->m_error.reset();
            self->m_loadedOnce = true;
            self->m_subsetCounts = page->subsetCounts;
            self->m_shownThreshold = threshold;
            self->adopt(first, std::move(page->rows), static_cast<int>(page->matching));
        } else {
            self->m_error = page.error();
        }
        Q_EMIT self->loaded();
    });
}

void SolutionListModel::clear()
{
    ++m_generation;
    m_query = {};
    m_subsetCounts.clear();
    m_error.reset();
    m_loadedOnce = false;
    adopt(0, {}, 0);
    Q_EMIT loaded();
}

void SolutionListModel::requestRows(int offset, int limit)
{
    m_loader(query(offset, limit),
             [self = QPointer(this), generation = m_generation, offset](Result<SolutionPage> page) {
                 if (self && page.ok() && generation == self->m_generation)
                     self->addRows(offset, std::move(page->rows));
             });
}

} // namespace assay
