#include "ui/pages/experiment_page.h"

#include "core/base/durable_file.h"
#include "core/config/json.h"
#include "ui/actions.h"
#include "ui/experiment/config_form.h"
#include "ui/experiment/config_undo.h"
#include "ui/experiment/draft_keeper.h"
#include "ui/experiment/form_group.h"
#include "ui/experiment/group_list.h"
#include "ui/experiment/preflight/probe_section.h"
#include "ui/experiment/preflight_panel.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/threads/file_work.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QUndoStack>

#include <algorithm>

namespace assay {

namespace {

constexpr int kNarrowBelow = 1100, kProbeDelayMilliseconds = 600, kAgeMilliseconds = 1000;
constexpr int kSlowMilliseconds = 300; ///< before a file that takes long is mentioned

} // namespace

ExperimentPage::ExperimentPage(StoreSource& source, RunController& controller, Actions& actions,
                               QWidget* parent)
    : Page(parent)
    , m_source(source)
    , m_controller(controller)
{
    addCommands(actions);
    buildLayout();
    m_probeDelay.setSingleShot(true);
    m_probeDelay.setInterval(kProbeDelayMilliseconds);
    connect(&m_probeDelay, &QTimer::timeout, this, &ExperimentPage::probeNow);
    m_ageTimer.setInterval(kAgeMilliseconds);
    connect(&m_ageTimer, &QTimer::timeout, this, [this] {
        if (isVisible())
            updateOrigin();
    });
    m_ageTimer.start();
    m_files = new FileWork(this);
    m_drafts = new DraftKeeper(m_source, this);
    connect(m_drafts, &DraftKeeper::stateChanged, this, &ExperimentPage::updateOrigin);
    connect(m_form, &ConfigForm::configChanged, this, &ExperimentPage::configChanged);
    connect(m_form, &ConfigForm::stateChanged, this, &ExperimentPage::refreshState);
    connect(m_form, &ConfigForm::fieldEdited, this,
            [this](const QString& id, const QString& before, const QString& after) {
                if (m_undoing)
                    return;
                m_restoring = false;
                m_undo->push(new EditField(*m_form, id, before, after));
            });
    connectController();
    showDraft({});
    restoreDraft();
}

ExperimentPage::~ExperimentPage()
{
    m_undo->blockSignals(true); // it empties itself, and whoever heard that would ask a page that is gone
}

QString ExperimentPage::title() const
{
    const auto& name = m_form->config().run.name;
    return name.empty() ? tr("New experiment") : QString::fromStdString(name);
}

bool ExperimentPage::ready() const
{
    return !m_restoring && !m_probeDelay.isActive() && !m_probing && !m_measuring && !m_loadingRun &&
           !m_files->busy() && !m_preflight->pending();
}

void ExperimentPage::activate()
{
    // Files may have changed since.
    if (!m_probing && m_form->problems().empty() && !m_probed)
        m_probeDelay.start();
    refreshState();
}

void ExperimentPage::addCommands(Actions& actions)
{
    const auto onPage = [this](auto work) {
        return [this, work] {
            if (!isVisible())
                Q_EMIT newExperiment(); // brings the page to the front
            work();
        };
    };
    m_startAction = actions.add(
        QStringLiteral("experiment.start"), tr("Start"), QKeySequence(Qt::CTRL | Qt::Key_Return),
        [this] { start(); }, QStringLiteral("train run queue"));
    actions.add(QStringLiteral("experiment.load"), tr("Load…"), QKeySequence::Open,
                onPage([this] { askFile(false); }), QStringLiteral("open file json"));
    actions.add(QStringLiteral("experiment.save"), tr("Save as…"), QKeySequence::Save,
                onPage([this] { askFile(true); }), QStringLiteral("file json"));
    actions.add(QStringLiteral("experiment.new"), tr("New, all defaults"), QKeySequence(),
                onPage([this] { replaceWith({}, tr("new experiment")); }),
                QStringLiteral("empty reset clear"));
    actions.add(
        QStringLiteral("experiment.copy"), tr("Copy as command"), QKeySequence(), [this] { copyAsCommand(); },
        QStringLiteral("terminal shell clipboard"));
}

void ExperimentPage::connectController()
{
    connect(&m_controller, &RunController::preflightReady, this,
            [this](const Preflight& preflight) { checksDone(preflight); });
    connect(&m_controller, &RunController::preflightFailed, this, [this](const Error& error) {
        m_probing = false;
        m_checks.reset();
        m_checkError = error;
        m_preflight->showError(error);
        refreshState();
    });
    connect(&m_controller, &RunController::measured, this, [this](const StepProbe& probe) {
        m_measuring = false;
        m_preflight->probe().showProbe(probe);
        refreshState();
    });
    connect(&m_controller, &RunController::measureFailed, this, [this](const Error& error) {
        m_measuring = false;
        m_preflight->probe().showError(error);
        refreshState();
    });
    connect(&m_preflight->probe(), &ProbeSection::measureAsked, this, &ExperimentPage::measureNow);
    connect(m_preflight, &PreflightPanel::settingOffered, m_form, &ConfigForm::setField);
    // The window itself opens the page of a run that begins.
    connect(&m_controller, &RunController::runStarted, this, [this] {
        m_starting = false;
        refreshState();
    });
    connect(&m_controller, &RunController::runFailed, this, [this](const RunId& run, const Error& error) {
        if (run.empty() && m_starting)
            showMessage(QString::fromStdString(error.text()), true);
        m_starting = false;
        refreshState();
    });
    connect(&m_controller, &RunController::idle, this, [this] {
        m_starting = false; // what was queued may have been dropped
        refreshState();
        measureIfNeeded();
    });
}

void ExperimentPage::setExperiment(const ExperimentConfig& config, const QString& origin,
                                   const std::optional<ExperimentConfig>& baseline)
{
    m_restoring = false;
    showDraft({config, origin, baseline, {}});
    m_undo->clear();
}

void ExperimentPage::showRun(const QString& run, qint64)
{
    loadRun(run, std::nullopt);
}

void ExperimentPage::showStartFrom(const QString& run, qint64 step)
{
    loadRun(run, step);
}

void ExperimentPage::showModel(const QString& place)
{
    auto changed = draft();
    changed.config.backbone.source = "folder";
    changed.config.backbone.folder = place.toStdString();
    replaceWith(changed, tr("backbone %1").arg(QDir(place).dirName()));
}

void ExperimentPage::loadRun(const QString& run, std::optional<qint64> step)
{
    m_loadingRun = true;
    m_restoring = false;
    const auto read = [id = run.toStdString()](const RunReader& reader) { return reader.run(id); };
    m_source.query(this, read, [this, step](Result<RunDetails> details) {
        m_loadingRun = false;
        if (!details) {
            showMessage(QString::fromStdString(details.error().text()), true);
            return;
        }
        auto config = configFromJson(details->configJson);
        if (!config) {
            showMessage(QString::fromStdString(config.error().text()), true);
            return;
        }
        const auto& summary = details->summary;
        config->run.name = summary.name + "-2";
        config->run.parent = summary.id;
        config->run.overrideReason.clear();
        const QString name = QString::fromStdString(summary.name);
        if (!step) {
            replaceWith({*config, tr("cloned from %1").arg(name), *config, {}}, tr("clone of %1").arg(name));
            return;
        }
        const std::string at = std::to_string(*step);
        config->run.name = summary.name + "-from-" + at;
        config->backbone.source = "checkpoint";
        config->backbone.checkpoint = summary.id + ":" + at;
        config->head.takeFromFolder();
        const auto words = tr("begins with step %1 of %2").arg(countText(*step), name);
        replaceWith({*config, words, *config, {}}, words);
    });
}

bool ExperimentPage::redChecks() const
{
    return m_checks && m_checks->blocked();
}

QString ExperimentPage::blockedReason() const
{
    if (const auto invalid = static_cast<int>(m_form->problems().size()); invalid > 0)
        return invalid == 1 ? tr("Blocked: 1 invalid setting")
                            : tr("Blocked: %1 invalid settings").arg(invalid);
    if (m_checkError)
        return tr("Blocked: the labels could not be checked");
    if (!m_checks)
        return tr("Checking labels");
    if (redChecks() && m_form->config().run.overrideReason.empty()) {
        const auto& findings = m_checks->report.findings;
        const auto red = static_cast<int>(std::count_if(
            findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::Red; }));
        return red == 1 ? tr("Blocked: 1 check") : tr("Blocked: %1 checks").arg(red);
    }
    return {};
}

void ExperimentPage::refreshState()
{
    m_groupList->refresh();
    const QString reason = blockedReason();
    const bool checking = m_form->problems().empty() && !m_checkError && !m_checks;
    refreshStart(reason);
    m_blockedIcon->setVisible(!reason.isEmpty());
    m_blockedIcon->setIcon(checking ? Icon::Clock : Icon::Error, checking ? &Palette::text3 : &Palette::err);
    m_blocked->setColorRole(checking ? &Palette::text3 : &Palette::err);
    m_blocked->setText(reason);
    const bool overridable = redChecks() && m_form->problems().empty();
    m_override->setVisible(overridable && m_overrideRow->isHidden());
    if (!redChecks())
        m_overrideRow->hide();
    updateOrigin();
}

void ExperimentPage::refreshStart(const QString& reason)
{
    const bool ready = reason.isEmpty() && !m_starting, busy = m_controller.busy();
    m_start->setEnabled(ready && !busy);
    m_queue->setEnabled(ready && busy);
    Actions::setEnabled(m_startAction, ready, reason);
    m_start->setToolTip(!reason.isEmpty() ? reason
                        : busy            ? tr("A run is in progress: queue this one behind it")
                                          : tr("Train in this window (Ctrl+Return)"));
    m_queue->setToolTip(!reason.isEmpty() ? reason
                        : busy            ? tr("Starts after the run in progress (Ctrl+Return)")
                                          : tr("Nothing is in progress: it can start at once"));
    const QString why = busy ? tr("A run is in progress and needs the device: measured when it has ended.")
                        : !m_checks || m_checks->trainExamples == 0 ? tr("The labels are checked first.")
                                                                    : QString();
    m_preflight->probe().setCanMeasure(why.isEmpty() && !m_measuring, why);
}

void ExperimentPage::updateOrigin()
{
    QStringList origin;
    if (!m_originText.isEmpty())
        origin << m_originText;
    int changed = 0;
    for (const auto* group : m_form->groups())
        changed += group->changed();
    origin << (changed == 1 ? tr("1 setting changed") : tr("%1 settings changed").arg(changed));
    if (const QString saved = m_drafts->state(); !saved.isEmpty())
        origin << saved;
    m_origin->setText(tr("draft, %1").arg(origin.join(QStringLiteral(", "))));
}

void ExperimentPage::start()
{
    if (!blockedReason().isEmpty() || m_starting)
        return;
    m_messageRow->hide();
    dropMeasure(); // the run needs the device
    m_starting = true;
    m_controller.start(m_form->config());
    refreshState();
    if (m_controller.currentRun() != RunId())
        showMessage(tr("Queued: starts after the run in progress."), false);
}

void ExperimentPage::copyAsCommand()
{
    QGuiApplication::clipboard()->setText(QString::fromStdString(configAsCommand(m_form->config())));
    showMessage(tr("The command is on the clipboard."), false);
}

void ExperimentPage::load(const QString& file)
{
    const QString name = file.section(QLatin1Char('/'), -1);
    m_files->run(
        [path = file.toStdString()] { return readExperiment(path); },
        [this, name](const Result<ExperimentConfig>& config) {
            m_messageRow->hide();
            if (!config) {
                showMessage(QString::fromStdString(config.error().text()), true);
                return;
            }
            replaceWith({*config, tr("from %1").arg(name), std::nullopt, {}}, tr("load of %1").arg(name));
        });
    sayIfSlow(tr("Reading %1…").arg(name));
}

void ExperimentPage::save(const QString& file)
{
    m_files->run(
        [path = file.toStdString(), text = configToJson(m_form->config(), JsonDetail::ChangedOnly)] {
            return writeDurably(path, text);
        },
        [this, file](const Status& status) {
            showMessage(status.ok() ? tr("Saved as %1").arg(file)
                                    : QString::fromStdString(status.error().text()),
                        !status.ok());
        });
    sayIfSlow(tr("Saving %1…").arg(file));
}

void ExperimentPage::sayIfSlow(const QString& text)
{
    QTimer::singleShot(kSlowMilliseconds, this, [this, text] {
        if (m_files->busy())
            showMessage(text, false);
    });
}

void ExperimentPage::askFile(bool save)
{
    auto* dialog = new QFileDialog(this, save ? tr("Save experiment") : tr("Load experiment"), QString(),
                                   tr("Experiments (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(save ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
    dialog->setFileMode(save ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, save](const QString& file) { save ? this->save(file) : load(file); });
    dialog->open();
}

QString ExperimentPage::message() const
{
    return m_messageRow->isHidden() ? QString() : m_message->text();
}

void ExperimentPage::showMessage(const QString& text, bool error)
{
    m_messageIcon->setIcon(error ? Icon::Error : Icon::Info, error ? &Palette::err : &Palette::info);
    m_message->setColorRole(error ? &Palette::err : &Palette::text);
    m_message->setText(text);
    m_messageRow->show();
}

void ExperimentPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    setNarrow(event->size().width() < scaled(kNarrowBelow));
}

void ExperimentPage::setNarrow(bool narrow)
{
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    m_groupPane->setVisible(!narrow);
    m_groupCombo->setVisible(narrow);
    m_checksTab->setVisible(narrow);
    m_checksTab->setChecked(false);
    m_settings->setVisible(true);
    m_preflight->setVisible(!narrow);
}

} // namespace assay
