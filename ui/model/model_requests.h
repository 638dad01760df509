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

    using ExportThen = std::function<void(const Result<ExportReport>&)>;
    void exportModel(const std::string& source, std::optional<std::int64_t> step, const std::string& target,
                     const ExportOptions& options, QObject* context, ExportThen then);

Q_SIGNALS:
    /// Share of the tensors that are read, [0, 1].
    void opening(double share);

private:
    struct Slot;

    Engine& m_engine;
    std::stop_source m_stop;
    quint64 m_inspectNumber = 0;
    std::shared_ptr<Slot> m_slot; ///< the model that texts are tried on
};

} // namespace assay
