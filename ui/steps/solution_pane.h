#pragma once

#include "core/run/session.h"
#include "ui/steps/solution.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QListView;
class QPushButton;
class QScrollArea;
class QTableView;

namespace assay {

class EvaluationRibbonModel;
class EvaluationSlider;
class PageStack;
class PairPane;
class RewardCurve;
class RuleLine;
class SegmentedButtons;
class StepListModel;
class TextLabel;
class TokenStrip;

/// The middle of the Steps page: one solution as steps, as ribbons over all evaluations, or as tokens; its
/// reward curve, and the slider that replays earlier evaluations.
class SolutionPane : public QWidget
{
    Q_OBJECT
public:
    enum View { StepsView, RibbonView, TokensView };

    /// Without tokens the third segment is absent.
    explicit SolutionPane(bool withTokens, QWidget* parent = nullptr);

    /// `ordinal` 0 = not known.
    void setSolution(const Solution& solution, std::int64_t ordinal);
    void clear();
    void setThreshold(double threshold);
    /// The run's evaluations (without probabilities), and the shown and the compared one by index (-1 =
    /// none).
    void setEvaluations(const std::vector<EvaluationTrack>& evaluations, int shown, int compared);
    void setTokens(const Result<TokenView>& tokens);

    int currentStep() const;
    void setCurrentStep(int step);
    StepListModel* model() const { return m_model; }
    EvaluationRibbonModel* ribbonModel() const { return m_ribbonModel; }
    RewardCurve* curve() const { return m_curve; }
    QListView* list() const { return m_list; }
    PairPane* pairView() const { return m_pairView; }
    /// Gives the keys to the steps, or to the sides of a pair.
    void takeFocus();
    View view() const;
    void setView(int view);

Q_SIGNALS:
    void stepChanged(int step);
    void neighbourRequested(int direction);
    void evaluationChosen(int index);
    void comparedChosen(int index);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead(bool withTokens);
    QWidget* makePrompt();
    QWidget* makeViews();
    QWidget* makeEvaluationBar();
    void fitPrompt();
    /// Pairs stand side by side and have no curve over steps.
    void showAs(bool pair);
    void play();

    StepListModel* m_model = nullptr;
    EvaluationRibbonModel* m_ribbonModel = nullptr;
    TextLabel* m_title = nullptr;
    TextLabel* m_source = nullptr;
    SegmentedButtons* m_segments = nullptr;
    QScrollArea* m_promptArea = nullptr;
    TextLabel* m_prompt = nullptr;
    PageStack* m_views = nullptr;
    PageStack* m_whole = nullptr; ///< the steps, or the pair
    PairPane* m_pairView = nullptr;
    RuleLine* m_curveRule = nullptr;
    QListView* m_list = nullptr;
    QTableView* m_ribbon = nullptr;
    TokenStrip* m_tokens = nullptr;
    TextLabel* m_tokensNote = nullptr;
    RewardCurve* m_curve = nullptr;
    QWidget* m_evaluationBar = nullptr;
    EvaluationSlider* m_slider = nullptr;
    TextLabel* m_shownText = nullptr;
    QComboBox* m_compared = nullptr;
    QPushButton* m_play = nullptr;
    QTimer m_playTimer;
    std::vector<EvaluationTrack> m_evaluations;
    double m_threshold = 0.5;
    std::int64_t m_comparedId = 0;
    int m_step = -1;
};

} // namespace assay
