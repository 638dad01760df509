#include "ui/model/model_requests.h"

#include "ui/threads/engine.h"

#include <QPointer>

#include <atomic>
#include <utility>

namespace assay {

/// Touched by jobs of the engine thread only, but for the number of the newest text.
struct ModelRequests::Slot
{
    std::atomic<quint64> newestText = 0;
    ModelRequest request;
    std::shared_ptr<ModelTrial> trial;
};

namespace {

/// Answers on the GUI thread, if somebody still waits there.
template <typename Answer>
void answer(QPointer<QObject> context, std::function<void(const Answer&)> then, Answer result)
{
    if (!context)
        return;
    QMetaObject::invokeMethod(
        context.data(), [then = std::move(then), result = std::move(result)] { then(result); },
        Qt::QueuedConnection);
}

bool sameModel(const ModelRequest& a, const ModelRequest& b)
{
    return a.place == b.place && a.head == b.head;
}

} // namespace

ModelRequests::ModelRequests(Engine& engine, QObject* parent)
    : QObject(parent)
    , m_engine(engine)
    , m_slot(std::make_shared<Slot>())
{}

ModelRequests::~ModelRequests()
{
    m_stop.request_stop();
    m_exportStop.request_stop();
}

void ModelRequests::inspect(const ModelRequest& request, QObject* context, ReportThen then)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const quint64 number = ++m_inspectNumber;
    const QPointer<ModelRequests> self(this);
    LoadWatch watch;
    watch.stop = m_stop.get_token();
    watch.progress = [self, last = -1.0](double share) mutable {
        // A thousand tensors need not make a thousand events.
        if (share - last < 0.01)
            return;
        last = share;
        if (self)
            QMetaObject::invokeMethod(
                self.data(), [self, share] { Q_EMIT self->opening(share); }, Qt::QueuedConnection);
    };
    m_engine.runShort([=, this, context = QPointer<QObject>(context)](Session& session) mutable {
        Result<ModelReport> report =
            watch.stop.stop_requested()
                ? Result<ModelReport>(Error{ErrorCode::Cancelled, "Opening was stopped", request.place})
                : session.inspectModel(request, watch);
        ReportThen newest = [=, this](const Result<ModelReport>& result) {
            if (self && number == m_inspectNumber)
                then(result);
        };
        answer(context, std::move(newest), std::move(report));
    });
}

void ModelRequests::cancel()
{
    m_stop.request_stop();
}

void ModelRequests::tryText(const ModelRequest& request, const TrialText& text, QObject* context,
                            TriedThen then)
{
    const quint64 number = ++m_slot->newestText;
    m_engine.runShort([=, slot = m_slot, context = QPointer<QObject>(context)](Session& session) {
        if (slot->newestText != number)
            return;
        if (!slot->trial || !sameModel(slot->request, request)) {
            slot->trial.reset(); // two models at once may be more than there is memory for
            auto trial = session.tryModel(request);
            if (!trial) {
                answer(context, then, Result<Tried>(trial.error()));
                return;
            }
            slot->request = request;
            slot->trial = std::move(trial).value();
        }
        TrialLook look{slot->trial->steps(), QString::fromStdString(slot->trial->layoutName()),
                       QString::fromStdString(slot->trial->rewards()), slot->trial->withoutScores()};
        answer(context, then, Result<Tried>(Tried{std::move(look), slot->trial->answer(text)}));
    });
}

void ModelRequests::forget()
{
    ++m_slot->newestText;
    m_engine.runShort([slot = m_slot](Session&) { slot->trial.reset(); });
}

void ModelRequests::ledger(const RunId& run, QObject* context, LedgerThen then)
{
    m_engine.runShort([=, context = QPointer<QObject>(context)](Session& session) {
        answer(context, then, session.ledger(run));
    });
}

void ModelRequests::exportModel(const ExportRequest& request, QObject* context, ExportThen then)
{
    m_exportStop = std::stop_source();
    ExportWatch watch;
    watch.stop = m_exportStop.get_token();
    watch.phase = [self = QPointer<ModelRequests>(this)](const std::string& phase) {
        if (self)
            QMetaObject::invokeMethod(
                self.data(), [self, phase] { Q_EMIT self->exporting(QString::fromStdString(phase)); },
                Qt::QueuedConnection);
    };
    m_engine.runShort([=, context = QPointer<QObject>(context)](Session& session) {
        answer(context, then,
               session.exportModel(request.source, request.step, request.target, request.options, watch));
    });
}

void ModelRequests::cancelExport()
{
    m_exportStop.request_stop();
}

} // namespace assay
