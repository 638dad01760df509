#pragma once

#include <QString>

namespace assay {

class TextLabel;

/// The small semibold title of a part of the pre-flight.
TextLabel* makeCaption(const QString& text);

} // namespace assay
