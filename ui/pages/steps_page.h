#pragma once

#include "core/base/result.h"
#include "core/run/session.h"
#include "core/store/run_store.h"
#include "ui/pages/evaluated_run.h"
#include "ui/pages/page.h"
#include "ui/steps/solution.h"

#include <QTimer>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSplitter;

namespace assay {

class Actions;
class PageStack;
class ScaleKey;
class SolutionListPane;
class SolutionPane;
class StepDetailsPane;
class StepsKeyLegend;
class StoreSource;
class TextLabel;

/// Asks the engine for an example laid out as its run did; `then` is called on the GUI thread while `context`
/// lives.
using TokenSource = std::function<void(const RunId& run, const std::string& exampleId, QObject* context,
                                       std::function<void(const Result<TokenView>&)> then)>;

/// The step theatre: the solutions of one evaluation, step by step. Of a run over pairs it shows these, side
/// by side, and is called Pairs.
class StepsPage : public Page
{
    Q_OBJECT
public:
    /// Without a token source the token views are absent.
    StepsPage(StoreSource& store, TokenSource tokens, Actions& actions, QWidget* parent = nullptr);
    ~StepsPage() override;

    QString title() const override;
    void activate() override;
    void showRun(const QString& run, qint64 evaluation) override;
    bool ready() const override;

    SolutionListPane* list() const { return m_list; }
    SolutionPane* pane() const { return m_pane; }
    RunId run() const { return m_run; }
    /// Index into the run's evaluations, -1 = none.
    int shownEvaluation() const { return m_shown; }
    double threshold() const { return m_threshold; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeBody();
    QWidget* makeEmpty();
    void makeActions(Actions& actions);
    void connectPanes();

    /// Reads the run again if the store changed.
    void refresh();
    void loadRun(const RunId& run, std::int64_t evaluation);
    void adoptRun(EvaluatedRun view, std::int64_t evaluation);
    void setPairs(bool pairs);
    void chooseEvaluation(int index);
    void chooseCompared(int index);
    void setThreshold(double threshold);
    void loadSolution(const std::string& exampleId);
    void showSolution();
    void onStepChanged(int step);
    void askTokens();
    void moveToError(int direction);
    void arrange();

    StoreSource& m_store;
    TokenSource m_tokenSource;
    RunId m_run;
    QString m_runName;
    std::vector<EvaluationTrack> m_evaluations;
    std::vector<double> m_thresholds;
    int m_shown = -1, m_compared = -1;
    double m_threshold = 0.5;
    bool m_thresholdTouched = false, m_pairs = false;

    std::string m_exampleId;
    StoredExample m_example;
    std::vector<StoredPrediction> m_predictions; ///< of the example in every evaluation
    std::string m_tokensOf;                      ///< example whose tokens are shown or asked for
    quint64 m_runQuery = 0, m_solutionQuery = 0; ///< numbers of the newest questions
    int m_pendingError = 0; ///< J or K left the solution: which error to go to when the next one is there
    bool m_runPending = false, m_solutionPending = false, m_dirty = false, m_refused = false;
    bool m_alive = false; ///< the run was in progress when it was last read

    TextLabel* m_name = nullptr;
    QComboBox* m_evaluationBox = nullptr;
    QDoubleSpinBox* m_thresholdBox = nullptr;
    TextLabel* m_thresholdLabel = nullptr;
    StepsKeyLegend* m_keys = nullptr;
    ScaleKey* m_scale = nullptr;
    PageStack* m_stack = nullptr;
    TextLabel* m_emptyTitle = nullptr;
    TextLabel* m_emptyText = nullptr;
    QSplitter* m_splitter = nullptr;
    QSplitter* m_inner = nullptr;
    SolutionListPane* m_list = nullptr;
    SolutionPane* m_pane = nullptr;
    StepDetailsPane* m_details = nullptr;
};

} // namespace assay
