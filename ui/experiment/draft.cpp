#include "ui/experiment/draft.h"

#include "core/config/json.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace assay {

namespace {

// The settings stay text of their own: their numbers must come back bit for bit.
QString settingsText(const ExperimentConfig& config)
{
    return QString::fromStdString(configToJson(config));
}

Result<ExperimentConfig> settingsFrom(const QJsonValue& value)
{
    return configFromJson(value.toString().toStdString());
}

} // namespace

QString draftToText(const ExperimentDraft& draft)
{
    QJsonObject unreadable;
    for (const auto& [id, text] : draft.unreadable)
        unreadable[id] = text;
    QJsonObject object{{QStringLiteral("config"), settingsText(draft.config)},
                       {QStringLiteral("origin"), draft.origin},
                       {QStringLiteral("unreadable"), unreadable}};
    if (draft.baseline)
        object[QStringLiteral("baseline")] = settingsText(*draft.baseline);
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

Result<ExperimentDraft> draftFromText(const QString& text)
{
    const auto object = QJsonDocument::fromJson(text.toUtf8()).object();
    if (!object.contains(QStringLiteral("config")))
        return Error{ErrorCode::BadData, "the saved draft is damaged", {}, "The form begins empty"};
    ExperimentDraft draft;
    TRY(draft.config, settingsFrom(object[QStringLiteral("config")]));
    draft.origin = object[QStringLiteral("origin")].toString();
    if (object.contains(QStringLiteral("baseline"))) {
        TRY(draft.baseline, settingsFrom(object[QStringLiteral("baseline")]));
    }
    const auto unreadable = object[QStringLiteral("unreadable")].toObject();
    for (auto entry = unreadable.begin(); entry != unreadable.end(); ++entry)
        draft.unreadable[entry.key()] = entry.value().toString();
    return draft;
}

} // namespace assay
