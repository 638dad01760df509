#pragma once

#include <QAbstractTableModel>
#include <QTimer>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay {

/// Table over a long SQL result of which only the pages near the visible rows are kept. The row count is
/// known from the first page on; a row that is not loaded yet reads as empty and asks for its page. Rows have
/// a stable id: selection and current index follow the id through every refresh, never the row number.
template <typename Row>
class PagedModel : public QAbstractTableModel
{
public:
    static constexpr int kPageRows = 200;

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : m_count; }

    /// Null while the row's page is not loaded.
    const Row* row(int number) const
    {
        const auto page = m_pages.find(number / kPageRows);
        if (number < 0 || page == m_pages.end())
            return nullptr;
        const auto within = static_cast<std::size_t>(number % kPageRows);
        return within < page->second.size() ? &page->second[within] : nullptr;
    }

    /// Row of an id among the loaded rows; -1 if it is not there.
    int rowOf(const std::string& id) const
    {
        const auto found = m_rowOfId.find(id);
        return found == m_rowOfId.end() ? -1 : found->second;
    }

    /// The rows a view shows now; a refresh loads their pages first.
    void setVisibleRows(int first, int last)
    {
        m_firstVisible = std::max(0, first);
        m_lastVisible = std::max(m_firstVisible, last);
    }

protected:
    virtual const std::string& idOf(const Row& row) const = 0;
    /// Asks for rows [offset, offset + limit) without changing what is shown until they come.
    virtual void requestRows(int offset, int limit) = 0;

    /// Rows that a refresh has to load: whole pages around the visible rows.
    std::pair<int, int> refreshRange() const
    {
        const int first = m_firstVisible / kPageRows * kPageRows;
        const int pages = std::min(m_lastVisible / kPageRows - first / kPageRows + 1, 4);
        return {first, pages * kPageRows};
    }

    /// For data(): notes that the row is missing and loads its page from the event loop.
    const Row* wantedRow(int number) const
    {
        const Row* found = row(number);
        if (!found && !m_adopting && number >= 0 && number < m_count &&
            m_wanted.insert(number / kPageRows).second)
            QTimer::singleShot(0, this, [self = const_cast<PagedModel*>(this), page = number / kPageRows] {
                if (!self->m_pages.contains(page))
                    self->requestRows(page * kPageRows, kPageRows);
            });
        return found;
    }

    /// A page that was missing has come.
    void addRows(int offset, std::vector<Row> rows)
    {
        if (rows.empty() || offset + static_cast<int>(rows.size()) > m_count)
            return; // the result changed meanwhile: the next refresh brings the truth
        const int last = offset + static_cast<int>(rows.size()) - 1;
        store(offset, std::move(rows));
        Q_EMIT dataChanged(index(offset, 0), index(last, columnCount() - 1));
    }

    /// Replaces everything by a fresh result of `count` rows of which `rows` start at `offset`.
    void adopt(int offset, std::vector<Row> rows, int count)
    {
        m_adopting = true;
        const bool sameOrder = count == m_count && sameIds(offset, rows);
        if (count > m_count) {
            beginInsertRows({}, m_count, count - 1);
            m_count = count;
            endInsertRows();
        }
        if (!sameOrder)
            Q_EMIT layoutAboutToBeChanged();
        // Only now: a selection takes hold of its single rows when it hears that.
        const auto persistent = persistentIndexList();
        std::vector<std::string> ids;
        for (const auto& held : persistent) {
            const Row* old = row(held.row());
            ids.push_back(old ? idOf(*old) : std::string());
        }
        m_pages.clear();
        m_rowOfId.clear();
        m_wanted.clear();
        const int loaded = static_cast<int>(rows.size());
        store(offset, std::move(rows));
        if (!sameOrder) {
            moveIndexes(persistent, ids);
            Q_EMIT layoutChanged();
        }
        if (count < m_count) {
            beginRemoveRows({}, count, m_count - 1);
            m_count = count;
            endRemoveRows();
        }
        m_adopting = false;
        if (sameOrder && loaded > 0)
            Q_EMIT dataChanged(index(offset, 0), index(offset + loaded - 1, columnCount() - 1));
    }

private:
    void store(int offset, std::vector<Row> rows)
    {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const int number = offset + static_cast<int>(i);
            m_rowOfId[idOf(rows[i])] = number;
            auto& page = m_pages[number / kPageRows];
            const auto within = static_cast<std::size_t>(number % kPageRows);
            if (page.size() <= within)
                page.resize(within + 1);
            page[within] = std::move(rows[i]);
        }
    }

    bool sameIds(int offset, const std::vector<Row>& rows) const
    {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Row* old = row(offset + static_cast<int>(i));
            if (!old || idOf(*old) != idOf(rows[i]))
                return false;
        }
        return true;
    }

    void moveIndexes(const QModelIndexList& persistent, const std::vector<std::string>& ids)
    {
        QModelIndexList moved;
        for (qsizetype i = 0; i < persistent.size(); ++i) {
            const int to = rowOf(ids[static_cast<std::size_t>(i)]);
            moved.append(to >= 0 ? index(to, persistent[i].column()) : QModelIndex());
        }
        changePersistentIndexList(persistent, moved);
    }

    int m_count = 0;
    int m_firstVisible = 0, m_lastVisible = 0;
    bool m_adopting = false;
    std::map<int, std::vector<Row>> m_pages;
    std::unordered_map<std::string, int> m_rowOfId;
    mutable std::set<int> m_wanted;
};

} // namespace assay
