#pragma once

#include "core/run/session.h"
#include "ui/steps/solution.h"
#include "ui/widgets/badge.h"

#include <QScrollArea>

#include <optional>

class QBoxLayout;
class QGridLayout;
class QVBoxLayout;

namespace assay {

class Badge;
class Sparkline;
class TextLabel;
class TokenStrip;

/// What a step's prediction is worth beside its label.
BadgeLook stepVerdict(const ReadStep& step, double threshold);
/// The same for a pair by its margin.
BadgeLook pairVerdict(std::optional<double> margin);

/// The right side of the Steps page: figures of the current step, its tokens, and the solution in one number.
class StepDetailsPane : public QScrollArea
{
    Q_OBJECT
public:
    /// Without tokens that section is absent.
    explicit StepDetailsPane(bool withTokens, QWidget* parent = nullptr);

    void showStep(const Solution& solution, int step, double threshold);
    void setRank(const std::optional<WrongStepRank>& rank);
    /// Tokens of the whole solution; the pane shows those of the current step.
    void setTokens(const TokenView& tokens);
    void clearTokens(const QString& note);
    void clear();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row
    {
        TextLabel* name;
        TextLabel* value;
    };
    QWidget* addSection(TextLabel* title, TextLabel** note);
    Row addRow(const QString& name);
    /// The names of the figures, which differ for steps and for answers of a pair.
    void nameFigures();
    /// Groups one below the other or, where there is room, side by side.
    void arrange();
    void showSums(const Solution& solution);
    void showTokens();

    QWidget* m_content = nullptr;
    QVBoxLayout* m_column = nullptr;
    QBoxLayout* m_groups = nullptr;
    TextLabel* m_title = nullptr;
    Badge* m_badge = nullptr;
    QGridLayout* m_rows = nullptr;
    Row m_score{}, m_probability{}, m_label{}, m_loss{}, m_rank{};
    TextLabel* m_trendName = nullptr;
    Sparkline* m_trend = nullptr;
    TextLabel* m_tokensNote = nullptr;
    TokenStrip* m_tokens = nullptr;
    QGridLayout* m_sums = nullptr;
    TextLabel* m_sumsTitle = nullptr;
    TextLabel* m_sumNames[4] = {};
    TextLabel* m_sumValues[4] = {};
    TokenView m_view;
    int m_step = -1;
    bool m_pair = false;
};

} // namespace assay
