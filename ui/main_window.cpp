#include "ui/main_window.h"

#include "core/base/check.h"
#include "ui/actions.h"
#include "ui/command_palette.h"
#include "ui/edits/edit_actions.h"
#include "ui/edits/edit_line.h"
#include "ui/edits/run_edits.h"
#include "ui/models/machine_state.h"
#include "ui/store_source.h"
#include "ui/ui_settings.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/rail.h"
#include "ui/widgets/status_strip.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include <array>

namespace assay {

namespace {

constexpr int kCompactBelow = 1200;
constexpr int kStatusMilliseconds = 2000;
constexpr int kSweepMilliseconds = 10000; ///< between looks for runs whose process is gone

/// Menu of a command by the first part of its id, in the order of the menu bar.
constexpr std::array<std::pair<const char*, const char*>, 8> kMenus{{{"file", "&File"},
                                                                     {"edit", "&Edit"},
                                                                     {"view", "&View"},
                                                                     {"experiment", "E&xperiment"},
                                                                     {"run", "&Run"},
                                                                     {"steps", "&Steps"},
                                                                     {"settings", "Se&ttings"},
                                                                     {"help", "&Help"}}};

} // namespace

MainWindow::MainWindow(StoreSource& source, UiSettings& settings, Theme& theme)
    : m_source(source)
    , m_settings(settings)
    , m_theme(theme)
    , m_actions(new Actions(this))
    , m_rail(new Rail)
    , m_stack(new PageStack)
    , m_status(new StatusStrip)
    , m_statusTimer(new QTimer(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    auto* centre = new QWidget;
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_stack, 1);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row, 1);
    buildQuestion();
    m_editLine = new EditLine;
    column->addWidget(m_editLine);
    column->addWidget(m_question);
    column->addWidget(m_status);
    setCentralWidget(centre);

    for (const auto& [id, text] : kMenus) {
        auto* menu = menuBar()->addMenu(QString::fromLatin1(text));
        menu->menuAction()->setVisible(false);
        m_menus[QString::fromLatin1(id)] = menu;
    }
    m_menus[QStringLiteral("runs")] =
        m_menus[QStringLiteral("run")]; // commands over several runs share the menu
    menuBar()->setNativeMenuBar(false);
    connect(m_actions, &Actions::added, this, &MainWindow::fileUnderMenu);
    m_palette = new CommandPalette(*m_actions, this);
    buildCommandField();
    addOwnCommands();
    m_edits = new RunEdits(m_source, this);
    m_editActions = new EditActions(*m_actions, *m_edits, *m_editLine, m_source, this);

    connect(m_editActions, &EditActions::exportAsked, this,
            [this](const QString& run) { Q_EMIT exportAsked(run, 0); });
    connect(m_editActions, &EditActions::ledgerAsked, this, &MainWindow::ledgerAsked);
    connect(m_rail, &Rail::chosen, this, &MainWindow::showPage);
    connect(&m_source, &StoreSource::changed, this, &MainWindow::updateStatus);
    connect(m_statusTimer, &QTimer::timeout, this, &MainWindow::updateStatus);
    m_statusTimer->start(kStatusMilliseconds);
    setAcceptDrops(true);
    setMinimumSize(scaled(760), scaled(600));
    resize(scaled(1440), scaled(900));
    updateStatus();
}

void MainWindow::buildQuestion()
{
    m_question = new Banner;
    m_question->setObjectName(QStringLiteral("closeQuestion"));
    m_yes = m_question->addAction({}, Icon::Stop, true);
    m_yes->setObjectName(QStringLiteral("closeQuestion.yes"));
    m_inBackground =
        m_question->addAction(QStringLiteral("Continue in the background"), Icon::Terminal, false);
    m_inBackground->setObjectName(QStringLiteral("closeQuestion.background"));
    m_stay = m_question->addAction(QStringLiteral("Cancel"), Icon::Close, false);
    m_stay->setObjectName(QStringLiteral("closeQuestion.stay"));
    const auto answer = [this](std::function<void()> MainWindow::*chosen) {
        return [this, chosen] {
            m_question->show({}, {}, {});
            (this->*chosen)();
        };
    };
    connect(m_yes, &QPushButton::clicked, this, answer(&MainWindow::m_agreed));
    connect(m_inBackground, &QPushButton::clicked, this, answer(&MainWindow::m_background));
    connect(m_stay, &QPushButton::clicked, this, [this] { m_question->show({}, {}, {}); });
}

void MainWindow::addOwnCommands()
{
    m_actions->add(QStringLiteral("file.quit"), QStringLiteral("&Quit"), QKeySequence::Quit,
                   [this] { close(); });
    m_actions->add(
        QStringLiteral("view.reset-layout"), QStringLiteral("Reset &layout"), {},
        [this] {
            m_settings.resetLayout();
            m_remember = false; // what is on screen must not be saved over the reset
        },
        QStringLiteral("splitter window position next start"));
    auto* group = new QActionGroup(this);
    const std::array choices{
        std::tuple("settings.theme-system", "Theme of the &desktop", ThemeChoice::System),
        std::tuple("settings.theme-light", "&Light theme", ThemeChoice::Light),
        std::tuple("settings.theme-dark", "&Dark theme", ThemeChoice::Dark)};
    for (const auto& [id, text, choice] : choices) {
        auto* action = m_actions->add(
            QString::fromLatin1(id), QString::fromLatin1(text), {},
            [this, value = choice] {
                m_theme.setChoice(value);
                m_settings.setTheme(value);
            },
            QStringLiteral("colour appearance"));
        action->setCheckable(true);
        action->setChecked(m_theme.choice() == choice);
        group->addAction(action);
    }
    m_actions->add(QStringLiteral("help.commands"), QStringLiteral("&Find a command…"),
                   QKeySequence(QStringLiteral("Ctrl+Shift+P")), [this] { m_palette->open(); });
}

void MainWindow::fileUnderMenu(QAction* action)
{
    const auto found = m_menus.find(action->objectName().section(QLatin1Char('.'), 0, 0));
    CHECK(found != m_menus.end(), "a command whose id names no menu: " + action->objectName().toStdString());
    found->second->addAction(action);
    found->second->menuAction()->setVisible(true);
}

void MainWindow::buildCommandField()
{
    m_commandField = new CommandField;
    connect(m_commandField, &CommandField::clicked, m_palette, &CommandPalette::open);
    auto* corner = new QWidget;
    auto* layout = new QHBoxLayout(corner);
    layout->setContentsMargins(0, 2, scaled(8), 2);
    layout->addWidget(m_commandField);
    menuBar()->setCornerWidget(corner);
}

void MainWindow::addPage(const QString& id, const QString& word, Icon icon, Page* page)
{
    const int index = static_cast<int>(m_pages.size());
    m_pages.push_back({id, page});
    m_stack->addWidget(page);
    page->setRunActions(m_editActions->runActions());
    page->setFocusPolicy(Qt::ClickFocus); // keys belong to the page from the start, not to the first button
    auto* action = m_actions->add(
        QStringLiteral("view.") + id, word, QKeySequence(QStringLiteral("Ctrl+%1").arg(index + 1)),
        [this, index] { showPage(index); }, QStringLiteral("page go to"));
    m_rail->addEntry(icon, word, Actions::tooltip(action));
    connect(page, &Page::openRun, this, [this](const QString& run) {
        if (auto* target = this->page(QStringLiteral("run"))) {
            target->showRun(run, 0);
            openPage(QStringLiteral("run"));
        }
    });
    connect(page, &Page::openSteps, this, [this](const QString& run, qint64 evaluation) {
        if (auto* target = this->page(QStringLiteral("steps"))) {
            target->showRun(run, evaluation);
            openPage(QStringLiteral("steps"));
        }
    });
    connect(page, &Page::cloneRun, this, [this](const QString& run) {
        if (auto* target = this->page(QStringLiteral("experiment"))) {
            target->showRun(run, 0);
            openPage(QStringLiteral("experiment"));
        }
    });
    connect(page, &Page::startFrom, this, [this](const QString& run, qint64 step) {
        if (auto* target = this->page(QStringLiteral("experiment"))) {
            target->showStartFrom(run, step);
            openPage(QStringLiteral("experiment"));
        }
    });
    connect(page, &Page::exportModel, this, &MainWindow::exportAsked);
    connect(page, &Page::useModel, this, [this](const QString& place) {
        if (auto* target = this->page(QStringLiteral("experiment"))) {
            target->showModel(place);
            openPage(QStringLiteral("experiment"));
        }
    });
    connect(page, &Page::newExperiment, this, [this] { openPage(QStringLiteral("experiment")); });
    if (index == 0)
        showPage(0);
}

bool MainWindow::openPage(const QString& id)
{
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        if (m_pages[i].id == id) {
            showPage(static_cast<int>(i));
            return true;
        }
    }
    return false;
}

Page* MainWindow::page(const QString& id) const
{
    for (const auto& entry : m_pages)
        if (entry.id == id)
            return entry.page;
    return nullptr;
}

QString MainWindow::currentPage() const
{
    return m_rail->current() < 0 ? QString() : m_pages[static_cast<std::size_t>(m_rail->current())].id;
}

void MainWindow::showPage(int index)
{
    const auto& entry = m_pages.at(static_cast<std::size_t>(index));
    m_rail->setCurrent(index);
    m_stack->setCurrentIndex(index);
    updateTitle();
    entry.page->setFocus(Qt::OtherFocusReason);
    entry.page->activate();
    m_editActions->setPage(entry.page);
    Q_EMIT pageChanged(entry.id);
}

void MainWindow::updateTitle()
{
    if (const auto* current = qobject_cast<Page*>(m_stack->currentWidget()))
        setWindowTitle(QStringLiteral("%1 – Assay").arg(current->title()));
}

void MainWindow::updateStatus()
{
    if (m_statusAsked)
        return;
    m_statusAsked = true;
    m_source.query(this, readMachine, [this](const Result<MachineState>& state) {
        m_statusAsked = false;
        // Without a store there is still a computer.
        const MachineState shown = state.ok() ? *state : MachineState{};
        const QString folder =
            QDir::toNativeSeparators(QString::fromStdString(m_source.place().folder.string()));
        m_status->setItems(statusItems(shown, folder, width() < scaled(kCompactBelow)));
        for (std::size_t i = 0; i < m_pages.size(); ++i)
            if (m_pages[i].id == QLatin1String("run"))
                m_rail->setMarked(static_cast<int>(i), !shown.running.empty());
        updateTitle();
        if (shown.runs > 0)
            sweepInterrupted();
    });
}

void MainWindow::sweepInterrupted()
{
    if (m_sinceSweep.isValid() && m_sinceSweep.elapsed() < kSweepMilliseconds)
        return;
    m_sinceSweep.start();
    m_source.edit(
        this, [](RunEditor& store) { return store.sweepInterrupted(); },
        [](const Result<std::vector<RunId>>&) {
            // What changed reaches every page through the store; a store that cannot be written stays as it
            // is.
        });
}

void MainWindow::restoreLayout()
{
    m_remember = true;
    restoreGeometry(m_settings.layout(QStringLiteral("window")));
    for (auto* splitter : findChildren<QSplitter*>())
        if (!splitter->objectName().isEmpty())
            splitter->restoreState(m_settings.layout(splitter->objectName()));
}

void MainWindow::saveLayout()
{
    if (!m_remember)
        return;
    m_settings.setLayout(QStringLiteral("window"), saveGeometry());
    for (const auto* splitter : findChildren<QSplitter*>())
        if (!splitter->objectName().isEmpty())
            m_settings.setLayout(splitter->objectName(), splitter->saveState());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (mayClose && !mayClose()) {
        event->ignore();
        return;
    }
    saveLayout();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString path = event->mimeData()->urls().value(0).toLocalFile();
    event->acceptProposedAction();
    if (!QFileInfo(path).isDir()) {
        complain(QStringLiteral("A model is a folder, and this is a file"), QDir::toNativeSeparators(path));
        return;
    }
    if (auto* target = page(QStringLiteral("model"))) {
        openPage(QStringLiteral("model"));
        target->showModel(path);
    }
}

void MainWindow::askBeforeClosing(const QString& sentence, const QString& evidence, const QString& yes,
                                  std::function<void()> agreed, std::function<void()> background)
{
    m_agreed = std::move(agreed);
    m_background = std::move(background);
    m_yes->setText(yes);
    m_yes->setVisible(true);
    m_inBackground->setVisible(static_cast<bool>(m_background));
    m_stay->setVisible(true);
    m_question->show({{}, Icon::Warning, Tone::Warn}, sentence, evidence);
    m_yes->setFocus(Qt::TabFocusReason);
}

void MainWindow::tellClosing(const QString& sentence)
{
    for (auto* button : {m_yes, m_inBackground, m_stay})
        button->setVisible(false);
    m_question->show({{}, Icon::Clock, Tone::Info}, sentence, {});
}

void MainWindow::complain(const QString& sentence, const QString& reason)
{
    m_editLine->complain(sentence, reason);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    const bool narrow = width() < scaled(kCompactBelow);
    m_rail->setCompact(narrow);
    m_commandField->setCompact(narrow);
}

} // namespace assay
