#include "ui/window_pages.h"

#include "ui/actions.h"
#include "ui/closing/closing.h"
#include "ui/model/export_dialog.h"
#include "ui/model/ledger_dialog.h"
#include "ui/model/model_page.h"
#include "ui/pages/experiment_page.h"
#include "ui/pages/runs_page.h"
#include "ui/pages/single_run_page.h"
#include "ui/pages/steps_page.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"

#include <QCoreApplication>

#include <functional>

namespace assay {

namespace {

/// Opens a dialog about a run under the name that people know it by.
void openDialog(MainWindow* frame, StoreSource& source, const QString& run,
                std::function<QDialog*(const QString& name)> make)
{
    const auto read = [id = run.toStdString()](const RunReader& reader) { return reader.run(id); };
    source.query(frame, read, [run, make = std::move(make)](const Result<RunDetails>& details) {
        auto* dialog = make(details ? QString::fromStdString(details->summary.name) : run);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
}

void connectDialogs(MainWindow* frame, ModelRequests& requests, StoreSource& source)
{
    QObject::connect(frame, &MainWindow::exportAsked, frame,
                     [frame, &requests, &source](const QString& run, qint64 step) {
                         openDialog(frame, source, run, [=, &requests](const QString& name) {
                             return new ExportDialog(requests, run, step, name, frame);
                         });
                     });
    QObject::connect(frame, &MainWindow::ledgerAsked, frame, [frame, &requests, &source](const QString& run) {
        openDialog(frame, source, run, [=, &requests](const QString& name) {
            return new LedgerDialog(requests, run.toStdString(), name, frame);
        });
    });
}

} // namespace

std::unique_ptr<MainWindow> makeMainWindow(StoreSource& source, RunController& controller,
                                           UiSettings& settings, Theme& theme, const QString& program)
{
    auto window = std::make_unique<MainWindow>(source, settings, theme);
    auto* frame = window.get();
    auto* runs = new RunsPage(source, settings, window->actions());
    window->addPage(QStringLiteral("runs"), QStringLiteral("Runs"), Icon::Runs, runs);
    window->addPage(QStringLiteral("experiment"), QStringLiteral("Experiment"), Icon::Experiment,
                    new ExperimentPage(source, controller, window->actions()));
    auto* run = new SingleRunPage(source, controller, window->actions());
    window->addPage(QStringLiteral("run"), QStringLiteral("Run"), Icon::Run, run);
    auto* steps = new StepsPage(
        source,
        [&controller](const RunId& id, const std::string& example, QObject* context, auto then) {
            controller.requestTokens(id, example, context, std::move(then));
        },
        window->actions());
    window->addPage(QStringLiteral("steps"), QStringLiteral("Steps"), Icon::Steps, steps);
    auto* requests = new ModelRequests(controller.engine(), frame);
    auto* model = new ModelPage(*requests, window->actions());
    window->addPage(QStringLiteral("model"), QStringLiteral("Model"), Icon::Model, model);
    QObject::connect(model, &ModelPage::wanted, frame, [frame] { frame->openPage(QStringLiteral("model")); });
    connectDialogs(frame, *requests, source);
    for (auto* page : frame->findChildren<Page*>()) {
        QObject::connect(page, &Page::resumeRun, &controller,
                         [&controller](const QString& id) { controller.resume(id.toStdString()); });
        QObject::connect(page, &Page::runDemo, &controller, &RunController::startDemo);
    }
    // A run that begins in this window is what its user wants to see next.
    QObject::connect(&controller, &RunController::runStarted, frame, [frame, run](const RunDetails& details) {
        run->showRun(QString::fromStdString(details.summary.id), 0);
        frame->openPage(QStringLiteral("run"));
    });
    auto* closing = new Closing(
        *frame, controller, source,
        program.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/assay") : program);
    frame->mayClose = [closing] { return closing->mayClose(); };
    return window;
}

} // namespace assay
