// What the Experiment page does when its form changes: the draft, the label checks, memory and time.
#include "ui/experiment/config_form.h"
#include "ui/experiment/config_undo.h"
#include "ui/experiment/draft_keeper.h"
#include "ui/experiment/form_remarks.h"
#include "ui/experiment/preflight/probe_section.h"
#include "ui/experiment/preflight_panel.h"
#include "ui/number_text.h"
#include "ui/pages/experiment_page.h"
#include "ui/run_controller.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QUndoStack>

#include <algorithm>
#include <array>
#include <utility>

namespace assay {

namespace {

/// Loading more than this by itself, after every edit, would be no help.
constexpr std::int64_t kMeasuredUnasked = std::int64_t{2} << 30; // bytes of weights

/// Whether the label checks could come out differently. The reason for an override cannot, a name neither.
bool sameChecks(const ExperimentConfig& a, const ExperimentConfig& b)
{
    for (const auto& field : experimentFields())
        if (field.changesResults && field.read(a) != field.read(b))
            return false;
    return a.data.badRows == b.data.badRows;
}

/// Whether memory and time could come out differently: names, seeds and the optimiser's numbers cannot make
/// them.
bool sameMeasure(const ExperimentConfig& a, const ExperimentConfig& b)
{
    static constexpr std::array<std::string_view, 3> kOther{"run", "optimiser", "checkpoint"};
    return std::all_of(experimentFields().begin(), experimentFields().end(), [&](const Field& field) {
        return std::find(kOther.begin(), kOther.end(), field.group()) != kOther.end() ||
               field.read(a) == field.read(b);
    });
}

} // namespace

ExperimentDraft ExperimentPage::draft() const
{
    return {m_form->config(), m_originText, m_baseline, m_form->unreadableTexts()};
}

void ExperimentPage::restoreDraft()
{
    m_drafts->load([this](const Result<std::optional<ExperimentDraft>>& draft) {
        if (!m_restoring)
            return; // a run was cloned or a field edited meanwhile: that counts
        m_restoring = false;
        if (!draft)
            showMessage(QString::fromStdString(draft.error().text()), true);
        else if (*draft)
            showDraft(**draft);
        refreshState();
    });
}

void ExperimentPage::showDraft(const ExperimentDraft& draft)
{
    m_originText = draft.origin;
    m_baseline = draft.baseline;
    m_checks.reset();
    m_probed.reset();
    m_checkError.reset();
    m_measured.reset();
    m_form->setRemarks({}, {});
    m_overrideRow->hide();
    m_sinceRun->setVisible(m_baseline.has_value());
    updateBaseline();
    const bool undoing = std::exchange(m_undoing, true); // what a draft brings is no edit of its own
    m_form->setConfig(draft.config);
    for (const auto& [id, text] : draft.unreadable)
        m_form->setField(id, text);
    m_undoing = undoing;
}

void ExperimentPage::replaceWith(const ExperimentDraft& draft, const QString& text)
{
    m_restoring = false;
    m_undo->push(new ReplaceExperiment(this->draft(), draft, text,
                                       [this](const ExperimentDraft& shown) { showDraft(shown); }));
}

void ExperimentPage::updateBaseline()
{
    const bool run = m_baseline && m_sinceRun->isChecked();
    m_form->setBaseline(run ? *m_baseline : ExperimentConfig{}, run ? tr("run") : tr("default"));
    m_changedKey->setText(run ? tr("changed from the run") : tr("changed from default"));
    updateOrigin();
}

void ExperimentPage::configChanged()
{
    m_name->setText(title());
    m_messageRow->hide();
    if (!m_restoring)
        m_drafts->keep(draft());
    const bool known = m_probed && sameChecks(*m_probed, m_form->config());
    if (known && (!m_measured || sameMeasure(*m_measured, m_form->config()))) {
        refreshState();
        return;
    }
    m_controller.cancelProbe();
    if (m_measuring || (m_measured && !sameMeasure(*m_measured, m_form->config()))) {
        m_measuring = false;
        m_measured.reset();
        m_preflight->probe().setStale(tr("settings changed"));
    }
    if (!known) {
        m_probing = false;
        m_checks.reset();
        m_checkError.reset();
        m_probed.reset();
    }
    m_probeDelay.start();
    refreshState();
}

void ExperimentPage::probeNow()
{
    if (m_checks) { // only memory and time are out of date
        measureIfNeeded();
        return;
    }
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

void ExperimentPage::checksDone(const Preflight& preflight)
{
    m_probing = false;
    m_checks = preflight;
    m_checkError.reset();
    if (m_probed)
        m_preflight->showPreflight(preflight, *m_probed);
    const auto remarks = formRemarks(m_form->config(), preflight);
    m_form->setRemarks(remarks.hints, remarks.notes);
    refreshState();
    measureIfNeeded();
}

void ExperimentPage::measureIfNeeded()
{
    if (!m_checks || !m_form->problems().empty() || m_measuring)
        return;
    if (m_measured && sameMeasure(*m_measured, m_form->config()))
        return;
    auto& section = m_preflight->probe();
    if (m_checks->trainExamples == 0)
        section.showNothing(tr("No training row is left to take a step on."));
    else if (m_controller.busy())
        section.showNothing(tr("A run is in progress and needs the device: measured when it has ended."));
    else if (m_checks->weightBytes > kMeasuredUnasked)
        section.showNothing(tr("The backbone has %1 of weights: Probe loads it and takes one step.")
                                .arg(bytesText(m_checks->weightBytes)));
    else
        measureNow();
}

void ExperimentPage::measureNow()
{
    if (m_controller.busy() || !m_checks)
        return;
    m_measured = m_form->config();
    m_measuring = true;
    m_preflight->probe().showMeasuring();
    m_controller.measure(*m_measured);
    refreshState();
}

void ExperimentPage::dropMeasure()
{
    if (!m_measuring)
        return;
    m_controller.cancelProbe();
    m_measuring = false;
    m_measured.reset();
    m_preflight->probe().showNothing(tr("The run in progress needs the device: measured when it has ended."));
}

} // namespace assay
