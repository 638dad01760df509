#pragma once

#include "core/store/records.h"
#include "ui/icons.h"

#include <QSize>
#include <QString>
#include <QWidget>

class QPainter;

namespace assay {

/// The four grounds a badge or banner can have, and plain.
enum class Tone { Ok, Warn, Err, Info, Plain };

struct ToneColors
{
    QColor text, soft;
};
ToneColors toneColors(Tone tone);

/// What a badge shows; the same word as in filter, tooltip and report.
struct BadgeLook
{
    QString text;
    Icon icon = Icon::Info;
    Tone tone = Tone::Plain;
};

/// Look of a verdict by its stable id (see core/diagnostics/verdict.h); `badge` is the stored text, for
/// example "always True: no signal". Empty text for an unknown or empty id without a badge.
BadgeLook verdictLook(const QString& id, const QString& badge);
BadgeLook statusLook(RunStatus status);

/// Size of a badge painted with the caption font.
QSize badgeSize(const BadgeLook& look);
/// Paints the badge left-aligned and vertically centred in `rect`, eliding nothing; for delegates.
void paintBadge(QPainter* painter, const QRect& rect, const BadgeLook& look);

/// A badge as a widget.
class Badge : public QWidget
{
    Q_OBJECT
public:
    explicit Badge(QWidget* parent = nullptr);
    void setLook(const BadgeLook& look);
    const BadgeLook& look() const { return m_look; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    BadgeLook m_look;
};

} // namespace assay
