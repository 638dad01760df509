#include "ui/experiment/preflight/probe_section.h"

#include "ui/experiment/preflight/caption.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace assay {

namespace {

constexpr double kVisibleShare = 0.1; ///< of the free memory; a smaller peak is drawn on its own scale
constexpr double kTightShare = 0.9;   ///< of the free memory; beyond, the figure is a warning

struct MemoryPart
{
    const char* name;
    std::int64_t StepProbe::*bytes;
    ColorRole color;
};

constexpr std::array<MemoryPart, 4> kParts{{{"Weights", &StepProbe::weightBytes, &Palette::text2},
                                            {"Gradients", &StepProbe::gradientBytes, &Palette::text3},
                                            {"Optimiser", &StepProbe::optimiserBytes, &Palette::line2},
                                            {"Activations", &StepProbe::activationBytes, &Palette::accent}}};

QString timesText(qint64 count, double seconds)
{
    return ProbeSection::tr("%1 × %2").arg(countText(count), durationText(seconds));
}

} // namespace

MemoryBar::MemoryBar(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Memory of one step"));
}

void MemoryBar::setProbe(const StepProbe& probe)
{
    m_probe = probe;
    QStringList words;
    for (const auto& part : kParts)
        words << tr("%1 %2").arg(tr(part.name), bytesText(probe.*part.bytes));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QSize MemoryBar::sizeHint() const
{
    return {scaled(260), scaled(14 + 6 + 2 * 18)};
}

void MemoryBar::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    const QRectF bar(0, 0, width(), scaled(14));
    painter.fillRect(bar, p.sunken);
    const auto peak = static_cast<double>(std::max<std::int64_t>(1, m_probe.peakBytes));
    const auto free = static_cast<double>(m_probe.availableBytes);
    const bool onFree = peak >= kVisibleShare * free && free > 0.0;
    const double scale = bar.width() / (onFree ? std::max(free, peak) : peak);
    double x = 0.0;
    for (const auto& part : kParts) {
        const double width = scale * static_cast<double>(m_probe.*part.bytes);
        painter.fillRect(QRectF(x, 0, std::max(0.0, width - 1.0), bar.height()), p.*part.color);
        x += width;
    }
    if (onFree)
        painter.fillRect(QRectF(std::min(scale * peak, bar.width() - 2.0), -1, 2, bar.height() + 2), p.text);
    painter.setFont(textFont(TextSize::Tick));
    const double column = width() / 2.0;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        const QRectF line(column * static_cast<double>(i % 2),
                          scaled(20) + scaled(18) * static_cast<int>(i / 2), column, scaled(18));
        painter.fillRect(QRectF(line.left(), line.center().y() - scaled(4), scaled(8), scaled(8)),
                         p.*kParts[i].color);
        painter.setPen(p.text2);
        painter.drawText(line.adjusted(scaled(13), 0, 0, 0), Qt::AlignVCenter,
                         tr("%1 %2").arg(tr(kParts[i].name), bytesText(m_probe.*kParts[i].bytes)));
    }
}

ProbeSection::ProbeSection(QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(12), scaled(6), scaled(12), scaled(10));
    column->setSpacing(scaled(8));
    auto* title = new QHBoxLayout;
    auto* caption = makeCaption(tr("Memory and time"));
    m_status = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_status->setElided(true);
    m_again = new QPushButton(icon(Icon::Resume), tr("Probe again"));
    m_again->setProperty("assayKind", QStringLiteral("quiet"));
    m_again->setProperty("small", true);
    m_again->setObjectName(QStringLiteral("probe-again"));
    title->addWidget(caption);
    title->addWidget(m_status, 1);
    title->addWidget(m_again);
    column->addLayout(title);
    m_message = new TextLabel(QString(), TextSize::Table, &Palette::text2);
    m_message->setWordWrap(true);
    column->addWidget(m_message);

    m_body = new QWidget;
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(scaled(6));
    auto* line = new QHBoxLayout;
    line->setSpacing(scaled(24));
    m_bar = new MemoryBar;
    line->addWidget(m_bar, 1, Qt::AlignTop);
    auto* figures = new QGridLayout;
    figures->setHorizontalSpacing(scaled(16));
    figures->setVerticalSpacing(scaled(2));
    const auto add = [figures](const QString& name, TextLabel*& value) {
        const int row = figures->rowCount();
        value = new TextLabel(QString(), TextSize::Table);
        value->setNumber(true);
        figures->addWidget(new TextLabel(name, TextSize::Table, &Palette::text2), row, 0);
        figures->addWidget(value, row, 1, Qt::AlignRight);
    };
    add(tr("Peak, measured"), m_peak);
    add(tr("Largest batch that fits"), m_largest);
    add(tr("Steps"), m_steps);
    add(tr("Evaluations"), m_evaluations);
    add(tr("Whole run"), m_total);
    line->addLayout(figures);
    body->addLayout(line);
    m_method = new TextLabel(QString(), TextSize::Tick, &Palette::text3);
    m_method->setWordWrap(true);
    body->addWidget(m_method);
    column->addWidget(m_body);
    connect(m_again, &QPushButton::clicked, this, &ProbeSection::measureAsked);
    showNothing(QString());
}

void ProbeSection::say(const QString& text, bool wrong)
{
    m_message->setColorRole(wrong ? &Palette::err : &Palette::text2);
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
}

void ProbeSection::showProbe(const StepProbe& probe)
{
    m_status->setText(QString::fromStdString(probe.device + ", " + probe.dtype));
    m_bar->setProbe(probe);
    const bool known = probe.availableBytes > 0;
    m_peak->setText(known
                        ? tr("%1 of %2 free").arg(bytesText(probe.peakBytes), bytesText(probe.availableBytes))
                        : bytesText(probe.peakBytes));
    const auto free = static_cast<double>(probe.availableBytes);
    const bool tight = known && static_cast<double>(probe.peakBytes) > kTightShare * free;
    m_peak->setColorRole(!probe.fits() ? &Palette::err : tight ? &Palette::warn : &Palette::text);
    m_largest->setText(probe.largestExamples > 0
                           ? tr("about %1 examples").arg(countText(probe.largestExamples))
                           : QStringLiteral("–"));
    m_steps->setText(timesText(probe.plannedSteps, probe.stepSeconds));
    m_evaluations->setText(timesText(probe.plannedEvaluations, probe.evaluationSeconds));
    m_total->setText(durationText(probe.totalSeconds));
    m_method->setText(QString::fromStdString(probe.method));
    say(probe.fits() ? QString()
                     : tr("One step needs more memory than is free: take fewer examples per micro-batch, or "
                          "recompute activations."),
        true);
    m_again->setText(tr("Probe again"));
    m_body->show();
}

void ProbeSection::showMeasuring()
{
    m_status->setText(tr("taking one step…"));
}

void ProbeSection::showError(const Error& error)
{
    m_status->setText(tr("could not measure"));
    say(QString::fromStdString(error.text()), true);
    m_body->hide();
}

void ProbeSection::showNothing(const QString& why)
{
    m_status->setText(QString());
    say(why, false);
    m_again->setText(tr("Probe"));
    m_body->hide();
}

void ProbeSection::setStale(const QString& why)
{
    m_status->setText(why);
}

void ProbeSection::setCanMeasure(bool can, const QString& reason)
{
    m_again->setEnabled(can);
    m_again->setToolTip(can ? tr("Build the model and take one step on the longest rows") : reason);
}

} // namespace assay
