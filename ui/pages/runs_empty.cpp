#include "ui/pages/runs_empty.h"

#include "ui/icons.h"
#include "ui/steps/reward_paint.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay {

namespace {

/// A ribbon large enough to read, as an example of what the program shows.
class SampleRibbon : public QWidget
{
public:
    SampleRibbon()
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        setAccessibleName(QStringLiteral(
            "A solution as a ribbon of seven steps, the last three labelled and scored wrong"));
    }
    QSize sizeHint() const override { return {scaled(328), scaled(42)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        static constexpr double kProbabilities[] = {0.98, 0.93, 0.86, 0.72, 0.25, 0.16, 0.07};
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double cell = width() / 7.0;
        for (int i = 0; i < 7; ++i) {
            const QRectF box(i * cell, 0, cell - scaled(3), scaled(26));
            painter.fillRect(box, colors().rewardColor(kProbabilities[i], 0.5));
            if (kProbabilities[i] >= 0.5)
                continue;
            paintHatch(&painter, box, colors().surface, scaled(8));
            const QPointF tip(box.center().x(), scaled(32));
            painter.setPen(Qt::NoPen);
            painter.setBrush(colors().text);
            painter.drawPolygon(
                QPolygonF({tip, tip + QPointF(scaled(5), scaled(7)), tip + QPointF(-scaled(5), scaled(7))}));
        }
    }
};

/// A card of the empty state: icon, title, what it does, what it needs, and its button.
class StartCard : public QWidget
{
public:
    StartCard(Icon sign, const QString& title, const QString& text, const QString& needs, QPushButton* button,
              bool primary)
        : m_primary(primary)
    {
        setFixedWidth(scaled(288));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(scaled(20), scaled(20), scaled(20), scaled(18));
        column->setSpacing(scaled(8));
        column->addWidget(new IconLabel(sign, &Palette::accent, 24));
        column->addSpacing(scaled(6));
        column->addWidget(new TextLabel(title, TextSize::Title));
        column->addWidget(wrapped(text));
        column->addSpacing(scaled(4));
        column->addStretch(1);
        column->addWidget(new RuleLine);
        column->addWidget(wrapped(needs));
        column->addSpacing(scaled(8));
        column->addWidget(button, 0, Qt::AlignLeft);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(m_primary ? colors().accent : colors().line2);
        painter.setBrush(colors().surface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), scaled(4), scaled(4));
    }

private:
    static TextLabel* wrapped(const QString& text)
    {
        auto* label = new TextLabel(text, TextSize::Body, &Palette::text2);
        label->setWordWrap(true);
        return label;
    }

    bool m_primary;
};

} // namespace

RunsEmpty::RunsEmpty(const QString& storePath, QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* demo = new QPushButton(icon(Icon::Play, &Palette::onAccent), QStringLiteral("Run the demo"));
    demo->setProperty("assayKind", QStringLiteral("primary"));
    auto* experiment = new QPushButton(icon(Icon::Plus), QStringLiteral("New experiment"));
    connect(demo, &QPushButton::clicked, this, &RunsEmpty::demoRequested);
    connect(experiment, &QPushButton::clicked, this, &RunsEmpty::experimentRequested);

    auto* left = new QVBoxLayout;
    left->setSpacing(scaled(8));
    left->addStretch(1);
    left->addWidget(new TextLabel(QStringLiteral("No runs yet"), TextSize::EmptyTitle));
    auto* sentence = new TextLabel(
        QStringLiteral("Assay trains reward models and shows, step by step, what they have learned."),
        TextSize::Body, &Palette::text2);
    sentence->setWordWrap(true);
    sentence->setMinimumWidth(scaled(220));
    left->addWidget(sentence);
    auto* right = new QVBoxLayout;
    right->setSpacing(scaled(8));
    right->addWidget(new SampleRibbon, 0, Qt::AlignRight);
    right->addWidget(new TextLabel(QStringLiteral("a solution: blue correct, orange wrong, ▲ labelled wrong"),
                                   TextSize::Tick, &Palette::text2),
                     0, Qt::AlignRight);
    auto* head = new QHBoxLayout;
    head->addLayout(left, 1);
    head->addLayout(right);

    auto* cards = new QHBoxLayout;
    cards->setSpacing(scaled(20));
    cards->addWidget(new StartCard(
        Icon::Play, QStringLiteral("Run the demo"),
        QStringLiteral("Trains a small stepwise reward model on generated arithmetic and "
                       "state-tracking solutions, and shows it in Run and Steps."),
        QStringLiteral("About 2 minutes on this computer. Nothing is downloaded."), demo, true));
    cards->addWidget(new StartCard(
        Icon::Experiment, QStringLiteral("New experiment"),
        QStringLiteral("Choose data and a backbone, look at the label checks, then start the run."),
        QStringLiteral("Needs rows of steps or pairs, and a model folder or a size to start from scratch."),
        experiment, false));
    auto* footer = new QHBoxLayout;
    footer->setSpacing(scaled(6));
    footer->addWidget(new IconLabel(Icon::CheckCircle, &Palette::ok, 15));
    footer->addWidget(new TextLabel(QStringLiteral("Store"), TextSize::Table));
    auto* path = new TextLabel(storePath, TextSize::Table, &Palette::text2);
    path->setElided(true);
    path->setToolTip(storePath);
    footer->addWidget(path, 1);
    auto* hint = new TextLabel(QStringLiteral("Press Ctrl+Shift+P for every command."), TextSize::Table,
                               &Palette::text2);

    auto* block = new QWidget;
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(20));
    column->addLayout(head);
    column->addLayout(cards);
    column->addLayout(footer);
    column->addWidget(hint);
    auto* outer = new QVBoxLayout(this);
    outer->addStretch(1);
    outer->addWidget(block, 0, Qt::AlignHCenter);
    outer->addStretch(1);
}

} // namespace assay
