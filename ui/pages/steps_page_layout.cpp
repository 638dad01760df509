// How the Steps page is put together: head line, list, steps, details.
#include "ui/number_text.h"
#include "ui/pages/steps_key_legend.h"
#include "ui/pages/steps_page.h"
#include "ui/steps/scale_key.h"
#include "ui/steps/solution_list_pane.h"
#include "ui/steps/solution_pane.h"
#include "ui/steps/step_details_pane.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace assay {

QWidget* StepsPage::makeHeader()
{
    auto* header = new QWidget;
    m_name = new TextLabel({}, TextSize::Title);
    m_name->setElided(true);
    m_name->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_evaluationBox = new QComboBox;
    m_evaluationBox->setAccessibleName(QStringLiteral("Evaluation"));
    m_evaluationBox->setToolTip(QStringLiteral("Evaluation ([ and ] step through them)"));
    m_evaluationBox->setMinimumContentsLength(22);
    connect(m_evaluationBox, &QComboBox::activated, this,
            [this](int index) { chooseEvaluation(static_cast<int>(m_evaluations.size()) - 1 - index); });
    m_thresholdBox = new QDoubleSpinBox;
    m_thresholdBox->setRange(0.0, 1.0);
    m_thresholdBox->setSingleStep(0.01);
    m_thresholdBox->setDecimals(2);
    m_thresholdBox->setLocale(QLocale::c());
    m_thresholdBox->setValue(m_threshold);
    m_thresholdBox->setAccessibleName(QStringLiteral("Threshold"));
    m_thresholdBox->setToolTip(
        QStringLiteral("A step is predicted wrong when its probability is below this"));
    connect(m_thresholdBox, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        m_thresholdTouched = true;
        setThreshold(value);
    });
    m_scale = new ScaleKey;
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    row->setSpacing(scaled(8));
    row->addWidget(m_name);
    row->addWidget(m_evaluationBox);
    m_thresholdLabel = new TextLabel(QStringLiteral("Threshold"), TextSize::Body, &Palette::text2);
    m_thresholdLabel->setBuddy(m_thresholdBox);
    row->addWidget(m_thresholdLabel);
    row->addWidget(m_thresholdBox);
    row->addStretch(1);
    row->addWidget(m_scale);
    return header;
}

QWidget* StepsPage::makeBody()
{
    m_list = new SolutionListPane([this](const SolutionQuery& query, SolutionListModel::Reply reply) {
        m_store.query(
            m_list, [query](const RunReader& reader) { return reader.solutions(query); }, std::move(reply));
    });
    m_pane = new SolutionPane(static_cast<bool>(m_tokenSource));
    m_details = new StepDetailsPane(static_cast<bool>(m_tokenSource));
    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_pane, 1);
    column->addWidget(new RuleLine);
    m_keys = new StepsKeyLegend;
    auto* keyRow = new QHBoxLayout;
    keyRow->setContentsMargins(scaled(14), scaled(4), scaled(12), scaled(4));
    keyRow->addWidget(m_keys);
    column->addLayout(keyRow);

    m_inner = new QSplitter(Qt::Horizontal);
    m_inner->setObjectName(QStringLiteral("stepsInnerSplitter"));
    m_inner->setChildrenCollapsible(false);
    m_inner->addWidget(middle);
    m_inner->addWidget(m_details);
    m_inner->setStretchFactor(0, 1);
    m_inner->setStretchFactor(1, 0);
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setObjectName(QStringLiteral("stepsSplitter"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_inner);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_list->setMinimumWidth(scaled(220));
    middle->setMinimumWidth(scaled(420));
    return m_splitter;
}

QWidget* StepsPage::makeEmpty()
{
    auto* empty = new QWidget;
    empty->setBackgroundRole(QPalette::Base);
    empty->setAutoFillBackground(true);
    m_emptyTitle = new TextLabel(QStringLiteral("No evaluation yet"), TextSize::EmptyTitle);
    m_emptyText = new TextLabel(
        QStringLiteral("Steps shows what a run said about single solutions, once it was evaluated."),
        TextSize::Body, &Palette::text2);
    m_emptyTitle->setAlignment(Qt::AlignCenter);
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    auto* button = new QPushButton(QStringLiteral("New experiment"));
    connect(button, &QPushButton::clicked, this, &Page::newExperiment);
    auto* column = new QVBoxLayout(empty);
    column->setSpacing(scaled(10));
    column->addStretch(2);
    column->addWidget(m_emptyTitle);
    column->addWidget(m_emptyText);
    column->addWidget(button, 0, Qt::AlignHCenter);
    column->addStretch(3);
    return empty;
}

} // namespace assay
