#pragma once

#include "core/run/session.h"

#include <QObject>

#include <functional>
#include <memory>
#include <stop_token>

namespace assay {

class Engine;

/// What the window asks the engine about model folders: short jobs, which come between the steps of a run. Of
/// each kind only the newest request is answered; answers come on the GUI thread while `context` lives.
class ModelRequests : public QObject
{
    Q_OBJECT
public:
    /// `engine` outlives it, and may outlive it by jobs.
    explicit ModelRequests(Engine& engine, QObject* parent = nullptr);
    /// Cancels what is being opened.
    ~ModelRequests() override;

    using ReportThen = std::function<void(const Result<ModelReport>&)>;
    /// A newer call, and `cancel`, end the one before with Cancelled. `opening` tells how far it is.
    void inspect(const ModelRequest& request, QObject* context, ReportThen then);
    void cancel();

    /// How the model that was opened last takes texts.
    struct TrialLook
    {
        bool steps = true;
        QString layout, rewards;
        std::optional<Error> withoutScores;
    };
    struct Tried
    {
        TrialLook look;
        Result<TrialAnswer> answer;
    };
    using TriedThen = std::function<void(const Result<Tried>&)>;
    /// Opens the model for scoring with the first text, and keeps it for the next ones. Of texts that follow
    /// each other quickly the last one is answered.
    void tryText(const ModelRequest& request, const TrialText& text, QObject* context, TriedThen then);
    /// Lets the model go.
    void forget();

    using LedgerThen = std::function<void(const Result<Ledger>&)>;
    /// What loading its model did to every tensor when a run began.
    void ledger(const RunId& run, QObject* context, LedgerThen then);

    /// What is exported, and where to.
    struct ExportRequest
    {
        std::string source; ///< run, or folder
        std::optional<std::int64_t> step;
        std::string target;
        ExportOptions options;
    };
    using ExportThen = std::function<void(const Result<ExportReport>&)>;
    /// `exporting` tells where it is; `cancelExport` ends it with Cancelled, and nothing is left behind.
    void exportModel(const ExportRequest& request, QObject* context, ExportThen then);
    void cancelExport();

Q_SIGNALS:
    /// Share of the tensors that are read, [0, 1].
    void opening(double share);
    void exporting(const QString& phase);

private:
    struct Slot;

    Engine& m_engine;
    std::stop_source m_stop, m_exportStop;
    quint64 m_inspectNumber = 0;
    std::shared_ptr<Slot> m_slot; ///< the model that texts are tried on
};

} // namespace assay
