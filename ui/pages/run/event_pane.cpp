#include "ui/pages/run/event_pane.h"

#include "ui/pages/run/checkpoint_pane.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/segmented_buttons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace assay {

namespace {

enum Segment { AllEvents, Warnings, Checkpoints };

/// Time, step, icon, text.
class EventDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {200, scaled(22)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Palette& p = colors();
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, p.accentSoft);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, p.hover);
        QRect rest = option.rect.adjusted(scaled(12), 0, -scaled(12), 0);
        const auto column = [&](const QString& text, const QFont& font, const QColor& color, int width) {
            painter->setFont(font);
            painter->setPen(color);
            painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, text);
            rest.setLeft(rest.left() + width);
        };
        column(index.data(EventModel::TimeRole).toString(), codeFont(TextSize::Table), p.text2, scaled(66));
        column(index.data(EventModel::StepRole).toString(), textFont(TextSize::Table), p.text2, scaled(74));
        const auto level = static_cast<EventLevel>(index.data(EventModel::LevelRole).toInt());
        const QColor ink = level == EventLevel::Error     ? p.err
                           : level == EventLevel::Warning ? p.warn
                                                          : p.text2;
        const int side = scaled(14);
        paintIcon(painter, QRectF(rest.left(), rest.center().y() - side / 2.0 + 0.5, side, side),
                  eventIcon(index.data(EventModel::KindRole).toString(), level), ink);
        rest.setLeft(rest.left() + scaled(20));
        painter->setFont(textFont(TextSize::Table));
        painter->setPen(p.text);
        painter->drawText(
            rest, Qt::AlignVCenter | Qt::AlignLeft,
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, rest.width()));
        painter->restore();
    }
};

} // namespace

EventPane::EventPane(QWidget* parent)
    : QWidget(parent)
    , m_model(new EventModel(this))
    , m_choice(new SegmentedButtons(tr("Events shown")))
    , m_list(new QListView)
    , m_order(new QLabel(tr("newest first")))
    , m_stack(new PageStack)
    , m_checkpoints(new CheckpointPane)
{
    setObjectName(QStringLiteral("events"));
    setMinimumHeight(scaled(60));
    auto* title = new QLabel(tr("Events"));
    title->setFont(textFont(TextSize::Section));
    m_order->setFont(textFont(TextSize::Tick));
    m_order->setForegroundRole(QPalette::PlaceholderText);
    for (const auto& segment : {tr("All"), tr("Warnings"), tr("Checkpoints")})
        m_choice->addSegment(segment);
    connect(m_choice, &SegmentedButtons::chosen, this, &EventPane::choose);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EventDelegate(m_list));
    m_list->setAccessibleName(tr("Events, newest first"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(scaled(12), scaled(4), scaled(12), scaled(4));
    row->setSpacing(scaled(12));
    row->addWidget(title);
    row->addWidget(m_choice);
    row->addStretch();
    row->addWidget(m_order);
    row->addWidget(m_checkpoints->tools());
    m_stack->addWidget(m_list);
    m_stack->addWidget(m_checkpoints);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_stack, 1);
    choose(AllEvents);
}

void EventPane::choose(int segment)
{
    const bool checkpoints = segment == Checkpoints;
    m_stack->setCurrentIndex(checkpoints ? 1 : 0);
    m_order->setVisible(!checkpoints);
    m_checkpoints->tools()->setVisible(checkpoints);
    if (!checkpoints)
        m_model->setWarningsOnly(segment == Warnings);
}

void EventPane::showCheckpoints()
{
    m_choice->setCurrent(Checkpoints);
    choose(Checkpoints);
}

void EventPane::setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations)
{
    m_checkpoints->setCheckpoints(std::move(list), evaluations);
    const int count = m_checkpoints->model().rowCount();
    m_choice->setText(Checkpoints, count > 0 ? tr("Checkpoints %1").arg(count) : tr("Checkpoints"));
}

void EventPane::setEvents(std::vector<EventRecord> events)
{
    m_model->setEvents(std::move(events));
    m_choice->setText(Warnings,
                      m_model->warnings() > 0 ? tr("Warnings %1").arg(m_model->warnings()) : tr("Warnings"));
}

void EventPane::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), colors().surface);
}

} // namespace assay
