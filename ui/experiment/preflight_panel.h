#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/run/session.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QVBoxLayout;

namespace assay {

class Badge;
class BaselineTable;
class CensusView;
class FindingList;
class PositionChart;
class RunController;
class ProbeSection;
class RowLengthChart;
class TextLabel;
class TokenSection;

/// Beside the form: what the label checks found and what passed, the label census, what the limit costs, real
/// rows as tokens, memory and time.
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

    /// Whether a row is still being laid out.
    bool pending() const;
    ProbeSection& probe() { return *m_probe; }

Q_SIGNALS:
    /// The user takes what a finding offers: another value of a setting.
    void settingOffered(const QString& id, const QString& text);

private:
    QWidget* makeHeader();
    QWidget* makeFigures();
    void showBody(bool visible);
    void setBadges(const Report& report);
    void setTables(const std::vector<Table>& tables);
    void updateAge();

    TextLabel* m_status = nullptr;
    Badge* m_blocks = nullptr;
    Badge* m_warnings = nullptr;
    Badge* m_passed = nullptr;
    TextLabel* m_message = nullptr;
    QWidget* m_body = nullptr;
    FindingList* m_findings = nullptr;
    CensusView* m_census = nullptr;
    PositionChart* m_positions = nullptr;
    RowLengthChart* m_lengths = nullptr;
    QWidget* m_censusSection = nullptr;
    QWidget* m_lengthSection = nullptr;
    QVBoxLayout* m_tables = nullptr;
    QWidget* m_baselineSection = nullptr;
    BaselineTable* m_baselines = nullptr;
    TokenSection* m_tokens = nullptr;
    ProbeSection* m_probe = nullptr;
    qint64 m_rows = 0;
    QElapsedTimer m_age;
    QTimer m_ageTimer;
};

} // namespace assay
