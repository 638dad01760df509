#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"
#include "core/run/session.h"

#include <QWidget>

#include <optional>

class QPushButton;

namespace assay {

class RunController;
class TextLabel;
class TokenStrip;

/// Real rows of the training side as tokens, one at a time: roles, read-outs with their labels, and what the
/// layout cuts away.
class TokenSection : public QWidget
{
    Q_OBJECT
public:
    /// `controller` lays rows out on the engine thread; it outlives the section.
    explicit TokenSection(RunController& controller, QWidget* parent = nullptr);

    /// Rows of this experiment; the row that was shown stays, if there still is one.
    void setExperiment(const ExperimentConfig& config, qint64 rows);
    bool pending() const { return m_pending; }
    qint64 row() const { return m_row; }
    const TokenStrip& strip() const { return *m_tokens; }

private:
    void requestRow(qint64 row);
    void showRow(const Result<TokenView>& view);

    RunController& m_controller;
    TextLabel* m_title = nullptr;
    QPushButton* m_previous = nullptr;
    QPushButton* m_next = nullptr;
    TextLabel* m_cut = nullptr;
    TokenStrip* m_tokens = nullptr;
    std::optional<ExperimentConfig> m_config;
    qint64 m_rows = 0, m_row = 0;
    bool m_pending = false;
};

} // namespace assay
