#pragma once

#include "core/run/session.h"

#include <QString>

#include <map>

namespace assay {

/// What the pre-flight says about single fields: facts beside them, warnings below them, by field id.
struct FormRemarks
{
    std::map<QString, QString> hints, notes;
};

/// Takes row and token counts, planned steps, and the findings that one setting can mend.
FormRemarks formRemarks(const ExperimentConfig& config, const Preflight& preflight);

} // namespace assay
