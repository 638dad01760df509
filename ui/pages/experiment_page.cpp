#include "ui/pages/experiment_page.h"

#include "core/base/durable_file.h"
#include "core/config/json.h"
#include "ui/actions.h"
#include "ui/experiment/config_form.h"
#include "ui/experiment/config_undo.h"
#include "ui/experiment/form_group.h"
#include "ui/experiment/group_list.h"
#include "ui/experiment/preflight_panel.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QComboBox>
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

constexpr int kProbeDelayMilliseconds = 600, kNarrowBelow = 1100;

/// Whether the label checks could come out differently. The reason for an override cannot, a name neither.
bool sameChecks(const ExperimentConfig& a, const ExperimentConfig& b)
{
    for (const auto& field : experimentFields())
        if (field.changesResults && field.read(a) != field.read(b))
            return false;
    return a.data.badRows == b.data.badRows;
}

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
    connect(m_form, &ConfigForm::configChanged, this, &ExperimentPage::configChanged);
    connect(m_form, &ConfigForm::stateChanged, this, &ExperimentPage::refreshState);
    connect(m_form, &ConfigForm::fieldEdited, this,
            [this](const QString& id, const QString& before, const QString& after) {
                if (!m_undoing)
                    m_undo->push(new EditField(*m_form, id, before, after));
            });
    connectController();
    setExperiment(ExperimentConfig{}, QString());
}

QString ExperimentPage::title() const
{
    const auto& name = m_form->config().run.name;
    return name.empty() ? tr("New experiment") : QString::fromStdString(name);
}

bool ExperimentPage::ready() const
{
    return !m_probeDelay.isActive() && !m_probing && !m_loadingRun && !m_preflight->tokensPending();
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
    actions.add(
        QStringLiteral("experiment.copy"), tr("Copy as command"), QKeySequence(), [this] { copyAsCommand(); },
        QStringLiteral("terminal shell clipboard"));
}

void ExperimentPage::connectController()
{
    connect(&m_controller, &RunController::preflightReady, this, [this](const Preflight& preflight) {
        m_probing = false;
        m_checks = preflight;
        m_checkError.reset();
        if (m_probed)
            m_preflight->showPreflight(preflight, *m_probed);
        refreshState();
    });
    connect(&m_controller, &RunController::preflightFailed, this, [this](const Error& error) {
        m_probing = false;
        m_checks.reset();
        m_checkError = error;
        m_preflight->showError(error);
        refreshState();
    });
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
    connect(&m_controller, &RunController::idle, this, &ExperimentPage::refreshState);
}

void ExperimentPage::setExperiment(const ExperimentConfig& config, const QString& origin)
{
    m_originText = origin;
    m_checks.reset();
    m_probed.reset();
    m_checkError.reset();
    m_overrideRow->hide();
    m_form->setConfig(config);
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

void ExperimentPage::loadRun(const QString& run, std::optional<qint64> step)
{
    m_loadingRun = true;
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
            setExperiment(*config, tr("cloned from %1").arg(name));
            return;
        }
        const std::string at = std::to_string(*step);
        config->run.name = summary.name + "-from-" + at;
        config->backbone.source = "checkpoint";
        config->backbone.checkpoint = summary.id + ":" + at;
        config->head.initialWeights.clear();
        setExperiment(*config, tr("begins with step %1 of %2").arg(countText(*step), name));
    });
}

void ExperimentPage::configChanged()
{
    m_name->setText(title());
    m_messageRow->hide();
    if (m_probed && sameChecks(*m_probed, m_form->config())) {
        refreshState();
        return;
    }
    m_controller.cancelProbe();
    m_probing = false;
    m_checks.reset();
    m_checkError.reset();
    m_probed.reset();
    m_probeDelay.start();
    refreshState();
}

void ExperimentPage::probeNow()
{
    if (m_form->config().data.train.empty()) {
        m_preflight->showNothing(
            tr("Choose training data, and its labels are checked here before a run starts."));
        return;
    }
    if (!m_form->problems().empty()) {
        m_preflight->showNothing(tr("The labels are checked once every setting is valid."));
        return;
    }
    m_probed = m_form->config();
    m_probing = true;
    m_preflight->showChecking();
    m_controller.probe(*m_probed);
    refreshState();
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
    m_start->setEnabled(reason.isEmpty() && !m_starting);
    Actions::setEnabled(m_startAction, m_start->isEnabled(), reason);
    m_start->setText(m_controller.busy() ? tr("Queue") : tr("Start"));
    m_start->setToolTip(!reason.isEmpty()     ? reason
                        : m_controller.busy() ? tr("Starts after the run in progress (Ctrl+Return)")
                                              : tr("Train in this window (Ctrl+Return)"));
    m_blockedIcon->setVisible(!reason.isEmpty());
    m_blockedIcon->setIcon(checking ? Icon::Clock : Icon::Error, checking ? &Palette::text3 : &Palette::err);
    m_blocked->setColorRole(checking ? &Palette::text3 : &Palette::err);
    m_blocked->setText(reason);
    const bool overridable = redChecks() && m_form->problems().empty();
    m_override->setVisible(overridable && m_overrideRow->isHidden());
    if (!redChecks())
        m_overrideRow->hide();
    QStringList origin;
    if (!m_originText.isEmpty())
        origin << m_originText;
    const auto& groups = m_form->groups();
    int changed = 0;
    for (const auto* group : groups)
        changed += group->changed();
    origin << (changed == 1 ? tr("1 setting changed") : tr("%1 settings changed").arg(changed));
    m_origin->setText(origin.join(QStringLiteral(", ")));
}

void ExperimentPage::start()
{
    if (!blockedReason().isEmpty() || m_starting)
        return;
    m_messageRow->hide();
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
    const auto config = readExperiment(file.toStdString());
    if (!config) {
        showMessage(QString::fromStdString(config.error().text()), true);
        return;
    }
    setExperiment(*config, tr("from %1").arg(file.section(QLatin1Char('/'), -1)));
}

void ExperimentPage::save(const QString& file)
{
    const auto status =
        writeDurably(file.toStdString(), configToJson(m_form->config(), JsonDetail::ChangedOnly));
    if (!status.ok()) {
        showMessage(QString::fromStdString(status.error().text()), true);
        return;
    }
    m_undo->setClean();
    showMessage(tr("Saved as %1").arg(file), false);
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
