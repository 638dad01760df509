#pragma once

#include "core/run/probes/model_trial.h"
#include "ui/model/model_requests.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QCheckBox;
class QPlainTextEdit;
class QVBoxLayout;

namespace assay {

class TextLabel;
class TokenStrip;

/// A text to type, and what the opened model makes of it: tokens, and scores where it can score.
class TryItPane : public QWidget
{
    Q_OBJECT
public:
    /// `requests` outlives the pane.
    explicit TryItPane(ModelRequests& requests, QWidget* parent = nullptr);

    /// Another model; none = there is nothing to try.
    void setModel(const std::optional<ModelRequest>& request);
    /// Nothing is waited for.
    bool settled() const { return !m_delay.isActive() && !m_waiting; }

private:
    QPlainTextEdit* addEditor(QVBoxLayout* column, const QString& name, const QString& placeholder);
    void ask();
    void show(const ModelRequests::Tried& tried);
    void showError(const Error& error);
    void clearScores();
    TrialText text() const;

    ModelRequests& m_requests;
    std::optional<ModelRequest> m_request;
    QTimer m_delay;       ///< a pause in typing
    quint64 m_number = 0; ///< of the newest text; answers to older ones are dropped
    bool m_waiting = false;
    QPlainTextEdit *m_prompt = nullptr, *m_parts = nullptr;
    TextLabel *m_partsName = nullptr, *m_note = nullptr, *m_tokenCount = nullptr;
    QCheckBox* m_special = nullptr;
    QWidget* m_scores = nullptr;
    QVBoxLayout* m_scoreRows = nullptr;
    TokenStrip* m_tokens = nullptr;
};

/// One line for each part: "1   0.87   correct".
QStringList scoreLines(const ModelRequests::TrialLook& look, const TrialAnswer& answer);

} // namespace assay
