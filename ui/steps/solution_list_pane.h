#pragma once

#include "ui/steps/solution_list_model.h"

#include <QTimer>
#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QListView;
class QPushButton;

namespace assay {

class FilterLine;
class FlowRow;
class PageStack;
class TextLabel;

/// The left side of the Steps page: filter line, subsets with counts, order, and the list of solutions.
class SolutionListPane : public QWidget
{
    Q_OBJECT
public:
    explicit SolutionListPane(SolutionListModel::Loader loader, QWidget* parent = nullptr);

    /// The rows are pairs: other subsets and orders, and no threshold.
    void setPairs(bool pairs);
    /// Another evaluation or threshold; the chosen solution stays, even where it leaves the subset.
    void setEvaluation(std::int64_t evaluation, double threshold);
    /// Reads the list again (the store changed).
    void refresh() { m_model->refresh(); }
    SolutionListModel* model() const { return m_model; }
    const std::string& chosen() const { return m_chosen; }
    /// The summary of the chosen solution if its row is loaded.
    const SolutionSummary* chosenSummary() const { return m_model->row(m_model->rowOf(m_chosen)); }
    /// Chooses the next (1) or previous (-1) solution of the list; false at its end.
    bool step(int direction);
    /// The next (1) or previous (-1) pair of the list in which rejected wins or ties; false if there is none.
    bool stepToWrongPair(int direction);
    void choose(const std::string& exampleId);
    /// "Disagreements" (pairs: "Wrong pairs") on, or back to "All".
    void toggleDisagreements();
    void setSubset(int index);
    int subset() const { return m_subset; }
    QListView* list() const { return m_list; }
    FilterLine* filterLine() const { return m_filter; }
    bool ready() const { return m_model->loadedOnce() || m_model->error().has_value(); }

Q_SIGNALS:
    void solutionChosen(const QString& exampleId);

private:
    QWidget* makeHead();
    void fillOrders();
    bool go(int row);
    void ask(bool mayMove);
    void onLoaded();
    void updateTexts();
    void updateVisibleRows();

    SolutionListModel* m_model = nullptr;
    SolutionQuery m_query;
    FilterLine* m_filter = nullptr;
    FlowRow* m_chips = nullptr;
    std::vector<QPushButton*> m_chipButtons;
    TextLabel* m_count = nullptr;
    QComboBox* m_order = nullptr;
    QListView* m_list = nullptr;
    PageStack* m_stack = nullptr;
    TextLabel* m_problem = nullptr;
    QTimer m_delay;
    std::string m_chosen;
    int m_subset = 0;
    bool m_mayMove = true; ///< the next answer may choose another solution
};

} // namespace assay
