#pragma once

#include "ui/theme.h"

#include <QIcon>

class QPainter;
class QRectF;

namespace assay {

/// Every vector icon; the file name in resources/icons is the enumerator in lower case with hyphens.
enum class Icon {
    Runs,
    Experiment,
    Run,
    Steps,
    Model,
    Search,
    Filter,
    Columns,
    Plus,
    Close,
    More,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    ChevronDown,
    Pin,
    Tag,
    Note,
    Archive,
    Trash,
    Edit,
    Copy,
    Open,
    Save,
    Terminal,
    Revert,
    Resume,
    Expand,
    Swap,
    Play,
    Pause,
    Stop,
    Evaluate,
    Clock,
    Processor,
    Check,
    CheckCircle,
    CrossCircle,
    Warning,
    Error,
    Info,
    Trend,
    AlwaysTrue,
    Flat,
    Slider,
    Drop,
    Zigzag
};

/// A colour token chosen when the icon is painted, so that a theme change needs no new icons.
using ColorRole = QColor Palette::*;

/// An icon recoloured from the active palette; its disabled mode uses the disabled colour.
QIcon icon(Icon id, ColorRole role = &Palette::text2);
/// Paints an icon into `rect` in a given colour.
void paintIcon(QPainter* painter, const QRectF& rect, Icon id, const QColor& color);

} // namespace assay
