#include "ui/experiment/draft_keeper.h"

#include "ui/number_text.h"
#include "ui/store_source.h"

#include <cmath>
#include <string>

namespace assay {

namespace {

constexpr int kDelayMilliseconds = 1000;
const std::string kName = "experiment";

} // namespace

DraftKeeper::DraftKeeper(StoreSource& source, QObject* parent)
    : QObject(parent)
    , m_source(source)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &DraftKeeper::save);
}

void DraftKeeper::load(LoadThen then)
{
    const auto read = [then](const Result<std::string>& text) {
        if (!text) {
            then(text.error());
        } else if (text->empty()) {
            then(std::optional<ExperimentDraft>());
        } else {
            auto draft = draftFromText(QString::fromStdString(*text));
            then(draft ? Result<std::optional<ExperimentDraft>>(std::optional(std::move(*draft)))
                       : Result<std::optional<ExperimentDraft>>(draft.error()));
        }
    };
    // Reading first: an editor would create the store.
    m_source.query(
        this, [](const RunReader& store) { return store.version(); },
        [this, read, then](const Result<std::int64_t>& version) {
            if (!version) {
                then(std::optional<ExperimentDraft>());
                return;
            }
            m_source.edit(
                this, [](RunEditor& store) { return store.draft(kName); }, read);
        });
}

void DraftKeeper::keep(const ExperimentDraft& draft)
{
    m_text = draftToText(draft);
    m_delay.start();
}

void DraftKeeper::save()
{
    m_source.edit(
        this, [text = m_text.toStdString()](RunEditor& store) { return store.saveDraft(kName, text); },
        [this](const Status& status) {
            m_error = status.ok() ? QString() : QString::fromStdString(status.error().text());
            if (status.ok())
                m_saved.start();
            Q_EMIT stateChanged();
        });
}

QString DraftKeeper::state() const
{
    if (!m_error.isEmpty())
        return tr("not saved: %1").arg(m_error);
    if (!m_saved.isValid())
        return {};
    const double seconds = std::floor(static_cast<double>(m_saved.elapsed()) / 1000.0);
    return seconds < 2.0 ? tr("saved just now") : tr("saved %1 ago").arg(durationText(seconds));
}

} // namespace assay
