#include "ui/model/model_page.h"

#include "ui/actions.h"
#include "ui/model/ledger_table.h"
#include "ui/model/model_facts.h"
#include "ui/model/try_it_pane.h"
#include "ui/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace assay {

ModelPage::ModelPage(ModelRequests& requests, Actions& actions)
    : m_requests(requests)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar(actions));
    column->addWidget(new RuleLine);
    m_problem = new Banner;
    m_problem->setObjectName(QStringLiteral("modelProblem"));
    column->addWidget(m_problem);
    m_problem->show({}, {}, {});
    m_stack = new QStackedWidget;
    auto* empty =
        new EmptyState(tr("Open a model"), tr("Drop a Hugging Face folder on this window, or choose one. "
                                              "Nothing is downloaded, and none of its code runs."));
    connect(empty->addAction(tr("Open folder…"), Icon::Open, true), &QPushButton::clicked, this,
            &ModelPage::chooseFolder);
    m_stack->addWidget(empty);
    m_stack->addWidget(makeContent());
    column->addWidget(m_stack, 1);
    connect(&m_requests, &ModelRequests::opening, this, [this](double share) {
        if (m_opening)
            m_share->setText(tr("Reading weights, %1").arg(percentText(share)));
    });
    setOpening(false);
}

QWidget* ModelPage::makeToolbar(Actions& actions)
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    row->setSpacing(scaled(8));
    m_place = new QLineEdit;
    m_place->setObjectName(QStringLiteral("modelPlace"));
    m_place->setAccessibleName(tr("Model folder or name"));
    m_place->setPlaceholderText(tr("Folder of a model, or org/name of the local cache"));
    m_place->setFont(codeFont());
    connect(m_place, &QLineEdit::returnPressed, this, &ModelPage::open);
    row->addWidget(m_place, 1);
    m_head = new QComboBox;
    m_head->setObjectName(QStringLiteral("modelHead"));
    m_head->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_head->setMinimumContentsLength(16);
    m_head->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_head->setAccessibleName(tr("Published head"));
    m_head->setToolTip(tr("Where a published step model keeps its head"));
    m_head->addItem(tr("Head: by itself"), QStringLiteral("auto"));
    m_head->hide(); // until a model is open
    connect(m_head, &QComboBox::activated, this, &ModelPage::open);
    row->addWidget(m_head);
    m_share = new TextLabel({}, TextSize::Table, &Palette::text2);
    row->addWidget(m_share);
    m_cancel = new QPushButton(icon(Icon::Stop), tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("modelCancel"));
    connect(m_cancel, &QPushButton::clicked, &m_requests, &ModelRequests::cancel);
    row->addWidget(m_cancel);
    auto* choose = actions.add(
        QStringLiteral("file.open-model"), tr("Open &model folder…"),
        QKeySequence(QStringLiteral("Ctrl+Shift+O")),
        [this] {
            Q_EMIT wanted();
            chooseFolder();
        },
        QStringLiteral("checkpoint weights tokenizer ledger"));
    m_open = new QPushButton(icon(Icon::Open), tr("Open folder…"));
    m_open->setToolTip(Actions::tooltip(choose));
    connect(m_open, &QPushButton::clicked, this, &ModelPage::chooseFolder);
    row->addWidget(m_open);
    m_use = new QPushButton(icon(Icon::Experiment, &Palette::onAccent), tr("Train on it"));
    m_use->setObjectName(QStringLiteral("modelUse"));
    m_use->setProperty("assayKind", QStringLiteral("primary"));
    m_use->setToolTip(tr("Opens an experiment with this backbone"));
    connect(m_use, &QPushButton::clicked, this, [this] {
        if (m_report)
            Q_EMIT useModel(QString::fromStdString(m_report->folder));
    });
    row->addWidget(m_use);
    return bar;
}

QWidget* ModelPage::makeContent()
{
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setObjectName(QStringLiteral("modelSplitter"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(makeLedger());
    m_try = new TryItPane(m_requests);
    m_try->setMinimumWidth(scaled(300));
    m_splitter->addWidget(m_try);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setSizes({scaled(900), scaled(440)});
    return m_splitter;
}

QWidget* ModelPage::makeLedger()
{
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(scaled(12), scaled(12), scaled(12), 0);
    column->setSpacing(scaled(8));
    m_facts = new ModelFacts;
    column->addWidget(m_facts);
    column->addWidget(new RuleLine);
    m_ledger = new LedgerTable;
    column->addWidget(m_ledger, 1);
    return pane;
}

QString ModelPage::title() const
{
    return m_report ? tr("Model %1").arg(QDir(QString::fromStdString(m_report->folder)).dirName())
                    : tr("Model");
}

void ModelPage::showModel(const QString& place)
{
    m_place->setText(QDir::toNativeSeparators(place));
    open();
}

bool ModelPage::ready() const
{
    return !m_opening && m_try->settled();
}

void ModelPage::chooseFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Open a model folder"), m_place->text());
    if (!folder.isEmpty())
        showModel(folder);
}

void ModelPage::open()
{
    const QString place = m_place->text().trimmed();
    if (place.isEmpty())
        return;
    setOpening(true);
    m_problem->show({}, {}, {});
    const auto asked = request();
    m_requests.inspect(asked, this, [this, asked](const Result<ModelReport>& report) {
        if (report)
            m_shown = asked;
        show(report);
    });
}

ModelRequest ModelPage::request() const
{
    return {QDir::fromNativeSeparators(m_place->text().trimmed()).toStdString(),
            m_head->currentData().toString().toStdString()};
}

void ModelPage::show(const Result<ModelReport>& report)
{
    setOpening(false);
    if (!report) {
        // What was open stays open: a slip in the path costs nothing.
        const auto& error = report.error();
        if (error.code != ErrorCode::Cancelled)
            m_problem->show(
                {tr("not opened"), Icon::Error, Tone::Err}, QString::fromStdString(error.message),
                QString::fromStdString(error.where + (error.remedy.empty() ? "" : ". " + error.remedy)));
        return;
    }
    m_report = *report;
    if (m_head->count() == 1)
        for (const auto& [id, words] : report->publishedHeads)
            m_head->addItem(QString::fromStdString(words), QString::fromStdString(id));
    m_head->show();
    m_facts->setReport(*report);
    m_ledger->setLedger(report->ledger);
    m_stack->setCurrentIndex(1);
    m_try->setModel(m_shown);
    m_use->setEnabled(true);
}

void ModelPage::setOpening(bool opening)
{
    m_opening = opening;
    m_share->setText(opening ? tr("Opening…") : QString());
    m_share->setVisible(opening);
    m_cancel->setVisible(opening);
    m_use->setEnabled(m_report.has_value() && !opening);
}

} // namespace assay
