#include "ui/pages/run/read_out_pane.h"

#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/plots/chart_card.h"

#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QSlider>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <array>

namespace assay {

namespace {

/// Weights of the past per optimiser step that the slider offers; the first is none.
constexpr std::array<double, 8> kSmoothing{0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995};

/// A row of the read-out: sample of the line, name, right-aligned numbers; headings over the whole width.
class ReadOutDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Palette& p = colors();
        const bool group = index.data(ReadOutModel::GroupRole).toBool();
        painter->save();
        if (group)
            painter->fillRect(option.rect, p.alt);
        else if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, p.accentSoft);
        painter->setPen(QPen(p.line, 0));
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        const int column = index.column();
        // Figures need the room of "100.0 %" in bold.
        QRect inner = option.rect.adjusted(column == ReadOutModel::Series ? scaled(6) : 0, 0, -scaled(7), 0);
        if (column == ReadOutModel::Series) {
            const auto* line =
                static_cast<const ChartLine*>(index.data(ReadOutModel::LineRole).value<const void*>());
            if (line && line->color) {
                QPen pen(line->color(p), 1.6);
                if (line->dash == Dash::Dashed)
                    pen.setDashPattern({3, 2});
                painter->setPen(pen);
                painter->drawLine(QPointF(inner.left(), inner.center().y() + 0.5),
                                  QPointF(inner.left() + scaled(14), inner.center().y() + 0.5));
            }
            if (!group)
                inner.setLeft(inner.left() + scaled(19));
            QFont font = textFont(group ? TextSize::Caption : TextSize::Table);
            painter->setFont(font);
            painter->setPen(group ? p.text2 : p.text);
            painter->drawText(
                inner, Qt::AlignVCenter | Qt::AlignLeft,
                painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, inner.width()));
        } else {
            painter->setFont(numberFont(TextSize::Table, column == ReadOutModel::Cursor));
            painter->setPen(column == ReadOutModel::Cursor ? p.text : p.text2);
            painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, index.data().toString());
        }
        painter->restore();
    }
};

} // namespace

ReadOutPane::ReadOutPane(QWidget* parent)
    : QWidget(parent)
    , m_model(new ReadOutModel(this))
    , m_table(new QTableView)
{
    setObjectName(QStringLiteral("readOut"));
    setMinimumWidth(scaled(260));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ReadOutDelegate(m_table));
    m_table->setAccessibleName(tr("Read-out"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(scaled(20));
    m_table->verticalHeader()->setDefaultSectionSize(scaled(23));
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    auto* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(ReadOutModel::Series, QHeaderView::Stretch);
    for (const int column : {ReadOutModel::Cursor, ReadOutModel::Last, ReadOutModel::Best})
        m_table->setColumnWidth(column, scaled(60));
    connect(m_model, &QAbstractItemModel::modelReset, this, &ReadOutPane::spanGroups);
    auto* copy = new QShortcut(QKeySequence::Copy, m_table);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, &ReadOutPane::copyTable);

    m_footnote = new QLabel;
    m_footnote->setTextFormat(Qt::PlainText);
    m_footnote->setWordWrap(true);
    m_footnote->setFont(textFont(TextSize::Tick));
    m_footnote->setForegroundRole(QPalette::PlaceholderText);
    m_footnote->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTitle());
    layout->addWidget(m_table, 1);
    layout->addWidget(m_footnote);
    layout->addWidget(makeSettings());
    layout->addStretch();
}

QWidget* ReadOutPane::makeTitle()
{
    auto* title = new QWidget;
    auto* word = new QLabel(tr("Read-out"));
    word->setFont(textFont(TextSize::Section));
    auto* label = new QLabel(tr("cursor at &step"));
    label->setFont(textFont(TextSize::Table));
    label->setForegroundRole(QPalette::PlaceholderText);
    m_cursor = new QSpinBox;
    m_cursor->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_cursor->setGroupSeparatorShown(true);
    m_cursor->setLocale(QLocale(QLocale::English));
    m_cursor->setRange(0, 0);
    m_cursor->setAlignment(Qt::AlignRight);
    m_cursor->setFixedWidth(scaled(64));
    m_cursor->setKeyboardTracking(false);
    m_cursor->setAccessibleName(tr("Cursor at step"));
    label->setBuddy(m_cursor);
    connect(m_cursor, &QSpinBox::valueChanged, this, [this](int step) { Q_EMIT cursorChosen(step); });
    auto* copy = new QPushButton;
    copy->setProperty("assayKind", "quiet");
    copy->setIcon(icon(Icon::Copy));
    copy->setAccessibleName(tr("Copy the read-out table"));
    copy->setToolTip(tr("Copy the read-out table (Ctrl+C in the table)"));
    connect(copy, &QPushButton::clicked, this, &ReadOutPane::copyTable);
    auto* row = new QHBoxLayout(title);
    row->setContentsMargins(scaled(12), scaled(4), scaled(6), scaled(4));
    row->setSpacing(scaled(8));
    row->addWidget(word);
    row->addStretch();
    row->addWidget(label);
    row->addWidget(m_cursor);
    row->addWidget(copy);
    return title;
}

QWidget* ReadOutPane::makeSettings()
{
    auto* settings = new QWidget;
    auto* grid = new QGridLayout(settings);
    grid->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(12));
    grid->setHorizontalSpacing(scaled(8));
    grid->setVerticalSpacing(scaled(6));
    auto* title = new QLabel(tr("Plot settings"));
    title->setFont(textFont(TextSize::Caption));
    grid->addWidget(title, 0, 0, 1, 3);
    auto* axisLabel = new QLabel(tr("&x axis"));
    m_axis = new QComboBox;
    m_axis->addItems({tr("Optimiser step"), tr("Tokens"), tr("Training time")});
    m_axis->setAccessibleName(tr("x axis"));
    axisLabel->setBuddy(m_axis);
    grid->addWidget(axisLabel, 1, 0);
    grid->addWidget(m_axis, 1, 1, 1, 2);
    auto* smoothingLabel = new QLabel(tr("S&moothing"));
    m_smoothing = new QSlider(Qt::Horizontal);
    m_smoothing->setRange(0, static_cast<int>(kSmoothing.size()) - 1);
    m_smoothing->setPageStep(1);
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_smoothing->setToolTip(tr("Weight of the past per optimiser step; the raw curve stays behind"));
    smoothingLabel->setBuddy(m_smoothing);
    m_smoothingText = new QLabel(tr("none"));
    m_smoothingText->setMinimumWidth(scaled(34));
    grid->addWidget(smoothingLabel, 2, 0);
    grid->addWidget(m_smoothing, 2, 1);
    grid->addWidget(m_smoothingText, 2, 2);
    grid->setColumnMinimumWidth(0, scaled(84));
    grid->setColumnStretch(1, 1);
    const auto announce = [this] {
        const double weight = kSmoothing[static_cast<std::size_t>(m_smoothing->value())];
        m_smoothingText->setText(weight > 0.0 ? QString::number(weight) : tr("none"));
        Q_EMIT optionsChanged({static_cast<XAxis>(m_axis->currentIndex()), weight});
    };
    connect(m_axis, &QComboBox::currentIndexChanged, this, announce);
    connect(m_smoothing, &QSlider::valueChanged, this, announce);
    return settings;
}

void ReadOutPane::setRun(const RunSnapshot& run, const std::vector<EvaluationRecord>& evaluations)
{
    m_model->setRun(run, evaluations);
    m_footnote->setText(m_model->footnote());
    m_footnote->setVisible(!m_model->footnote().isEmpty());
    const QSignalBlocker blocker(m_cursor);
    m_cursor->setMaximum(static_cast<int>(std::min<std::int64_t>(run.details.summary.step, 2000000000)));
}

void ReadOutPane::setCursorStep(double step)
{
    m_model->setCursorStep(step);
    const QSignalBlocker blocker(m_cursor);
    m_cursor->setValue(static_cast<int>(step));
}

void ReadOutPane::copyTable() const
{
    QGuiApplication::clipboard()->setText(m_model->text());
}

void ReadOutPane::spanGroups()
{
    m_table->clearSpans();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->index(row, 0).data(ReadOutModel::GroupRole).toBool())
            m_table->setSpan(row, 0, 1, ReadOutModel::ColumnCount);
    // No taller than its rows: the notes follow the table, not the bottom of the window.
    m_table->setMaximumHeight(m_table->horizontalHeader()->sizeHint().height() +
                              m_model->rowCount() * m_table->verticalHeader()->defaultSectionSize());
}

void ReadOutPane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), colors().surface);
    painter.setPen(QPen(colors().line2, 0));
    if (m_footnote->isVisible())
        painter.drawLine(0, m_footnote->geometry().bottom(), width(), m_footnote->geometry().bottom());
}

} // namespace assay
