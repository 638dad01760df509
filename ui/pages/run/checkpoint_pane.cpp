#include "ui/pages/run/checkpoint_pane.h"

#include "ui/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace assay {

namespace {

/// Time, step, metric, size, marks.
class CheckpointDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {200, scaled(24)};
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
        const auto column = [&](int role, const QFont& font, const QColor& color, int width,
                                Qt::Alignment align = Qt::AlignLeft) {
            painter->setFont(font);
            painter->setPen(color);
            painter->drawText(QRect(rest.left(), rest.top(), width, rest.height()), Qt::AlignVCenter | align,
                              index.data(role).toString());
            rest.setLeft(rest.left() + width + scaled(16));
        };
        column(CheckpointModel::TimeRole, codeFont(TextSize::Table), p.text2, scaled(62));
        column(CheckpointModel::StepRole, textFont(TextSize::Table), p.text, scaled(78));
        column(CheckpointModel::ValueRole, textFont(TextSize::Table), p.text, scaled(132));
        column(CheckpointModel::SizeRole, numberFont(TextSize::Table), p.text2, scaled(72), Qt::AlignRight);
        const bool best = index.data(CheckpointModel::MarksRole).toString().startsWith(tr("best"));
        if (best) {
            const int side = scaled(14);
            paintIcon(painter, QRectF(rest.left(), rest.center().y() - side / 2.0 + 0.5, side, side),
                      Icon::CheckCircle, p.ok);
        }
        rest.setLeft(rest.left() + scaled(20));
        painter->setFont(textFont(TextSize::Table));
        painter->setPen(p.text2);
        painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
                          painter->fontMetrics().elidedText(index.data(CheckpointModel::MarksRole).toString(),
                                                            Qt::ElideRight, rest.width()));
        painter->restore();
    }
};

QPushButton* toolButton(const QString& text, Icon id, const QString& name)
{
    auto* button = new QPushButton(icon(id), text);
    button->setObjectName(name);
    button->setAccessibleName(text);
    return button;
}

} // namespace

CheckpointPane::CheckpointPane(QWidget* parent)
    : QWidget(parent)
    , m_model(new CheckpointModel(this))
    , m_list(new QListView)
    , m_tools(new QWidget)
    , m_rule(new QLabel)
    , m_evaluate(toolButton(tr("Evaluate"), Icon::Evaluate, QStringLiteral("checkpoint.evaluate")))
    , m_steps(toolButton(tr("Show steps"), Icon::Steps, QStringLiteral("checkpoint.steps")))
    , m_start(toolButton(tr("Start from it"), Icon::Plus, QStringLiteral("checkpoint.start")))
    , m_export(toolButton(tr("Export…"), Icon::Save, QStringLiteral("checkpoint.export")))
{
    setObjectName(QStringLiteral("checkpoints"));
    m_rule->setFont(textFont(TextSize::Tick));
    m_rule->setForegroundRole(QPalette::PlaceholderText);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CheckpointDelegate(m_list));
    m_list->setAccessibleName(tr("Checkpoints, newest first"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    auto* row = new QHBoxLayout(m_tools);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(8));
    row->addWidget(m_rule);
    row->addSpacing(scaled(4));
    for (auto* button : {m_evaluate, m_steps, m_start, m_export})
        row->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_list);

    const auto chosen = [this] { return m_list->currentIndex().row(); };
    connect(m_evaluate, &QPushButton::clicked, this, [this, chosen] {
        if (const auto* checkpoint = m_model->at(chosen()))
            Q_EMIT evaluateAsked(checkpoint->step);
    });
    connect(m_steps, &QPushButton::clicked, this, [this, chosen] {
        if (const auto evaluation = m_model->evaluationAt(chosen()))
            Q_EMIT stepsAsked(evaluation);
    });
    connect(m_start, &QPushButton::clicked, this, [this, chosen] {
        if (const auto* checkpoint = m_model->at(chosen()))
            Q_EMIT startAsked(checkpoint->step);
    });
    connect(m_export, &QPushButton::clicked, this, [this, chosen] {
        if (const auto* checkpoint = m_model->at(chosen()))
            Q_EMIT exportAsked(checkpoint->step);
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &CheckpointPane::updateButtons);
    updateButtons();
}

void CheckpointPane::setCheckpoints(CheckpointList list, const std::vector<EvaluationRecord>& evaluations)
{
    const auto* before = m_model->at(m_list->currentIndex().row());
    const std::int64_t id = before ? before->id : 0;
    m_model->setCheckpoints(std::move(list), evaluations);
    int row = 0;
    for (int i = 0; i < m_model->rowCount(); ++i)
        if (m_model->at(i)->id == id)
            row = i;
    if (m_model->rowCount() > 0 && m_list->currentIndex().row() != row)
        m_list->setCurrentIndex(m_model->index(row));
    m_rule->setText(m_model->rule());
    updateButtons();
}

void CheckpointPane::updateButtons()
{
    const int row = m_list->currentIndex().row();
    const auto* checkpoint = m_model->at(row);
    const QString step =
        checkpoint ? m_model->index(row).data(CheckpointModel::StepRole).toString() : QString();
    const bool evaluated = m_model->evaluationAt(row) != 0;
    const QString none = tr("Choose a checkpoint first");
    m_evaluate->setEnabled(checkpoint);
    m_evaluate->setToolTip(
        checkpoint ? tr("Score the run's evaluation rows with the checkpoint of %1").arg(step) : none);
    m_export->setEnabled(checkpoint);
    m_export->setToolTip(checkpoint ? tr("Write the checkpoint of %1 as a folder that others open").arg(step)
                                    : none);
    m_steps->setEnabled(evaluated);
    m_steps->setToolTip(evaluated    ? tr("Look at the steps as they were scored at %1").arg(step)
                        : checkpoint ? tr("Nothing was evaluated at %1: evaluate it first").arg(step)
                                     : none);
    m_start->setEnabled(checkpoint);
    m_start->setToolTip(checkpoint ? tr("A new experiment that begins with the weights of %1").arg(step)
                                   : none);
}

} // namespace assay
