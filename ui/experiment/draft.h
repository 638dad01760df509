#pragma once

#include "core/base/result.h"
#include "core/config/experiment.h"

#include <QString>

#include <map>
#include <optional>

namespace assay {

/// An experiment that is being written, with all that the form shows of it.
struct ExperimentDraft
{
    ExperimentConfig config;
    QString origin;                           ///< "cloned from prm-seed-0"; empty = written from nothing
    std::optional<ExperimentConfig> baseline; ///< settings of the run it was cloned from
    std::map<QString, QString> unreadable;    ///< field id -> text in its control that is no value
};

/// JSON text of a draft, as the store keeps it.
QString draftToText(const ExperimentDraft& draft);
/// Errors: BadData when it is no draft; settings as configFromJson.
Result<ExperimentDraft> draftFromText(const QString& text);

} // namespace assay
