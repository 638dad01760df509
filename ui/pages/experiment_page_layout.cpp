// The widgets of the Experiment page and what they call.
#include "ui/experiment/config_form.h"
#include "ui/experiment/form_group.h"
#include "ui/experiment/group_list.h"
#include "ui/experiment/preflight_panel.h"
#include "ui/icons.h"
#include "ui/pages/experiment_page.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QUndoStack>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kGroupWidth = 158, kBarHeight = 44;

QWidget* bar(QHBoxLayout*& line)
{
    auto* widget = new QWidget;
    widget->setMinimumHeight(scaled(kBarHeight));
    line = new QHBoxLayout(widget);
    line->setContentsMargins(scaled(12), scaled(6), scaled(12), scaled(6));
    line->setSpacing(scaled(8));
    return widget;
}

/// The mark of a changed setting, for the key.
class AccentBar : public QWidget
{
public:
    AccentBar() { setFixedSize(scaled(4), scaled(14)); }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), colors().accent); }
};

} // namespace

void ExperimentPage::buildLayout()
{
    m_undo = new QUndoStack(this);
    m_undo->setUndoLimit(500);
    m_form = new ConfigForm;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(new RuleLine);
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setObjectName(QStringLiteral("experiment-splitter"));
    m_splitter->setChildrenCollapsible(false);
    m_settings = makeSettings();
    m_preflight = new PreflightPanel(m_controller);
    m_preflight->setMinimumWidth(scaled(480));
    m_splitter->addWidget(m_settings);
    m_splitter->addWidget(m_preflight);
    m_splitter->setStretchFactor(0, 52);
    m_splitter->setStretchFactor(1, 48);
    m_splitter->setSizes({scaled(700), scaled(662)});
    column->addWidget(m_splitter, 1);
}

QWidget* ExperimentPage::makeHeader()
{
    QHBoxLayout* line = nullptr;
    auto* header = bar(line);
    m_name = new TextLabel(QString(), TextSize::Title);
    m_origin = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_origin->setElided(true);
    line->addWidget(m_name);
    line->addWidget(m_origin, 1);
    m_checksTab = new QPushButton(tr("Pre-flight"));
    m_checksTab->setCheckable(true);
    m_checksTab->hide();
    line->addWidget(m_checksTab);
    m_undoButton = new QPushButton(icon(Icon::Revert), tr("Undo"));
    m_undoButton->setProperty("assayKind", QStringLiteral("quiet"));
    m_undoButton->setObjectName(QStringLiteral("undo"));
    m_undoButton->setEnabled(false);
    m_undoButton->setToolTip(tr("Undo the last change (Ctrl+Z)"));
    auto* load = new QPushButton(icon(Icon::Open), tr("Load"));
    load->setToolTip(tr("Load an experiment file (Ctrl+O), or begin anew"));
    auto* loadMenu = new QMenu(load);
    loadMenu->addAction(icon(Icon::Open), tr("Experiment file…"), this, [this] { askFile(false); });
    loadMenu->addAction(icon(Icon::Plus), tr("New, all defaults"), this,
                        [this] { replaceWith({}, tr("new experiment")); });
    load->setMenu(loadMenu);
    auto* save = new QPushButton(icon(Icon::Save), tr("Save as"));
    save->setToolTip(tr("Save as an experiment file (Ctrl+S)"));
    line->addWidget(m_undoButton);
    line->addWidget(load);
    line->addWidget(save);

    connect(m_undoButton, &QPushButton::clicked, this, [this] { stepUndo(true); });
    connect(m_undo, &QUndoStack::canUndoChanged, m_undoButton, &QPushButton::setEnabled);
    connect(save, &QPushButton::clicked, this, [this] { askFile(true); });
    connect(m_checksTab, &QPushButton::toggled, this, [this](bool checks) {
        m_settings->setVisible(!m_narrow || !checks);
        m_preflight->setVisible(!m_narrow || checks);
    });
    const auto shortcut = [this](const QKeySequence& keys, auto slot) {
        auto* key = new QShortcut(keys, this);
        key->setContext(Qt::WidgetWithChildrenShortcut);
        connect(key, &QShortcut::activated, this, slot);
    };
    shortcut(QKeySequence::Find, [this] { m_search->setFocus(Qt::ShortcutFocusReason); });
    return header;
}

void ExperimentPage::stepUndo(bool back)
{
    m_undoing = true;
    back ? m_undo->undo() : m_undo->redo();
    m_undoing = false;
}

QWidget* ExperimentPage::makeSettings()
{
    auto* settings = new QWidget;
    settings->setMinimumWidth(scaled(560));
    auto* column = new QVBoxLayout(settings);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    QHBoxLayout* searchLine = nullptr;
    auto* searchBar = bar(searchLine);
    m_groupCombo = new QComboBox;
    m_groupCombo->setAccessibleName(tr("Group of settings"));
    m_groupCombo->hide();
    m_search = new QLineEdit;
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(Icon::Search, &Palette::text3), QLineEdit::LeadingPosition);
    m_search->setPlaceholderText(
        tr("Search %1 settings by name, key or help text").arg(experimentFields().size()));
    m_search->setAccessibleName(tr("Search settings"));
    m_search->setToolTip(tr("Search settings (Ctrl+F)"));
    searchLine->addWidget(m_groupCombo);
    searchLine->addWidget(m_search, 1);
    column->addWidget(searchBar);
    column->addWidget(new RuleLine);

    m_groupPane = new QWidget;
    m_groupPane->setFixedWidth(scaled(kGroupWidth));
    auto* groupColumn = new QVBoxLayout(m_groupPane);
    groupColumn->setContentsMargins(0, scaled(6), 0, scaled(8));
    m_groupList = new GroupList;
    m_groupList->setGroups(m_form->groups());
    groupColumn->addWidget(m_groupList, 1);
    groupColumn->addWidget(makeChangedKey());

    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_groupPane);
    middle->addWidget(m_form, 1);
    column->addLayout(middle, 1);
    column->addWidget(makeFooter());

    for (const auto* group : m_form->groups())
        m_groupCombo->addItem(group->title(), group->id());
    connect(m_groupList, &GroupList::chosen, m_form, &ConfigForm::showGroup);
    connect(m_groupCombo, &QComboBox::activated, this,
            [this](int index) { m_form->showGroup(m_groupCombo->itemData(index).toString()); });
    connect(m_search, &QLineEdit::textChanged, m_form, &ConfigForm::setSearch);
    connect(m_onlyChanged, &QCheckBox::toggled, m_form, &ConfigForm::setOnlyChanged);
    connect(m_sinceRun, &QCheckBox::toggled, this, &ExperimentPage::updateBaseline);
    connect(m_form, &ConfigForm::showAllAsked, this, [this] {
        m_search->clear();
        m_onlyChanged->setChecked(false);
    });
    return settings;
}

QWidget* ExperimentPage::makeChangedKey()
{
    auto* key = new QWidget;
    auto* column = new QVBoxLayout(key);
    column->setContentsMargins(scaled(14), scaled(4), scaled(6), 0);
    column->setSpacing(scaled(4));
    auto* line = new QHBoxLayout;
    line->setSpacing(scaled(6));
    line->addWidget(new AccentBar);
    m_changedKey = new TextLabel(QString(), TextSize::Table, &Palette::text2);
    line->addWidget(m_changedKey, 1);
    column->addLayout(line);
    m_onlyChanged = new QCheckBox(tr("Only changed"));
    m_onlyChanged->setToolTip(tr("Show only settings that differ"));
    m_sinceRun = new QCheckBox(tr("Since the run"));
    m_sinceRun->setToolTip(tr("Compare with the run this was cloned from, instead of the defaults"));
    m_sinceRun->setChecked(true);
    m_sinceRun->hide();
    column->addWidget(m_onlyChanged);
    column->addWidget(m_sinceRun);
    return key;
}

QWidget* ExperimentPage::makeFooter()
{
    auto* footer = new QWidget;
    auto* column = new QVBoxLayout(footer);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new RuleLine);

    QHBoxLayout* messageLine = nullptr;
    m_messageRow = bar(messageLine);
    m_messageIcon = new IconLabel(Icon::Info, &Palette::info, 15);
    m_message = new TextLabel(QString(), TextSize::Table);
    m_message->setWordWrap(true);
    messageLine->addWidget(m_messageIcon, 0, Qt::AlignTop);
    messageLine->addWidget(m_message, 1);
    m_messageRow->setMinimumHeight(0);
    m_messageRow->hide();
    column->addWidget(m_messageRow);

    QHBoxLayout* reasonLine = nullptr;
    m_overrideRow = bar(reasonLine);
    m_overrideReason = new QLineEdit;
    m_overrideReason->setPlaceholderText(
        tr("Why do you override the check? The reason is recorded with the run."));
    m_overrideReason->setAccessibleName(tr("Reason for overriding the check"));
    reasonLine->addWidget(m_overrideReason, 1);
    m_overrideRow->hide();
    column->addWidget(m_overrideRow);

    QHBoxLayout* line = nullptr;
    auto* buttons = bar(line);
    m_start = new QPushButton(icon(Icon::Play, &Palette::onAccent), tr("Start"));
    m_start->setProperty("assayKind", QStringLiteral("primary"));
    m_start->setObjectName(QStringLiteral("start"));
    m_queue = new QPushButton(icon(Icon::Runs), tr("Queue"));
    m_queue->setObjectName(QStringLiteral("queue"));
    m_copy = new QPushButton(icon(Icon::Terminal), tr("Copy as command"));
    m_copy->setToolTip(tr("Put `assay train ...` with these settings on the clipboard"));
    m_blockedIcon = new IconLabel(Icon::Error, &Palette::err, 15);
    m_blocked = new TextLabel(QString(), TextSize::Body, &Palette::err);
    m_override = new QPushButton(tr("Override check"));
    m_override->hide();
    line->addWidget(m_start);
    line->addWidget(m_queue);
    line->addWidget(m_copy);
    line->addStretch(1);
    line->addWidget(m_blockedIcon);
    line->addWidget(m_blocked);
    line->addWidget(m_override);
    column->addWidget(buttons);

    connect(m_start, &QPushButton::clicked, this, &ExperimentPage::start);
    connect(m_queue, &QPushButton::clicked, this, &ExperimentPage::start);
    connect(m_copy, &QPushButton::clicked, this, &ExperimentPage::copyAsCommand);
    connect(m_override, &QPushButton::clicked, this, [this] {
        m_overrideReason->setText(QString::fromStdString(m_form->config().run.overrideReason));
        m_overrideRow->show();
        m_override->hide();
        m_overrideReason->setFocus(Qt::OtherFocusReason);
    });
    connect(m_overrideReason, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_form->setField(QStringLiteral("run.override_reason"), text.trimmed());
    });
    return footer;
}

} // namespace assay
