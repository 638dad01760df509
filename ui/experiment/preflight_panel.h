#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/run/session.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <optional>

class QPushButton;
class QVBoxLayout;

namespace assay {

class Badge;
class BaselineTable;
class CensusView;
class FindingList;
class PositionChart;
class RunController;
class TextLabel;
class TokenStrip;

/// Beside the form: what the label checks found, the label census, and real rows as tokens.
class PreflightPanel : public QWidget
{
    Q_OBJECT
public:
    /// `controller` lays rows out on the engine thread; it outlives the panel.
    explicit PreflightPanel(RunController& controller, QWidget* parent = nullptr);

    /// Old findings stay; the header says that new ones come.
    void showChecking();
    void showPreflight(const Preflight& preflight, const ExperimentConfig& config);
    void showError(const Error& error);
    /// Nothing to check: the sentence says why.
    void showNothing(const QString& why);

    bool tokensPending() const { return m_tokensPending; }

private:
    QWidget* makeHeader();
    QWidget* makeFigures();
    QWidget* makeTokens();
    void showBody(bool visible);
    void setBadges(const Report& report);
    void requestRow(qint64 row);
    void showRow(const Result<TokenView>& view);
    void updateAge();

    RunController& m_controller;
    TextLabel* m_status = nullptr;
    Badge* m_blocks = nullptr;
    Badge* m_warnings = nullptr;
    Badge* m_notes = nullptr;
    TextLabel* m_message = nullptr;
    QWidget* m_body = nullptr;
    FindingList* m_findings = nullptr;
    CensusView* m_census = nullptr;
    PositionChart* m_positions = nullptr;
    QWidget* m_figures = nullptr;
    QWidget* m_baselineSection = nullptr;
    BaselineTable* m_baselines = nullptr;
    TextLabel* m_tokenTitle = nullptr;
    QPushButton* m_previous = nullptr;
    QPushButton* m_next = nullptr;
    TokenStrip* m_tokens = nullptr;
    std::optional<ExperimentConfig> m_config; ///< of the findings that are shown
    qint64 m_examples = 0, m_row = 0;
    bool m_tokensPending = false;
    QElapsedTimer m_age;
    QTimer m_ageTimer;
};

} // namespace assay
