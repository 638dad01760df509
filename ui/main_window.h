#pragma once

#include "ui/icons.h"
#include "ui/pages/page.h"

#include <QElapsedTimer>
#include <QMainWindow>

#include <functional>
#include <map>
#include <vector>

class QMenu;
class QPushButton;
class QTimer;

namespace assay {

class Actions;
class Banner;
class CommandField;
class CommandPalette;
class EditActions;
class EditLine;
class PageStack;
class Rail;
class RunEdits;
class StatusStrip;
class StoreSource;
class UiSettings;

/// The frame around the pages: menu bar, rail, status bar, command palette. It knows pages only as Page.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    /// `source`, `settings` and `theme` outlive the window.
    MainWindow(StoreSource& source, UiSettings& settings, Theme& theme);

    Actions& actions() { return *m_actions; }
    RunEdits& edits() { return *m_edits; }

    /// Adds a page to the rail and takes it over. `id` is stable ("runs") and names it in signals and
    /// screenshots.
    void addPage(const QString& id, const QString& word, Icon icon, Page* page);
    /// False when there is no such page.
    bool openPage(const QString& id);
    Page* page(const QString& id) const;
    QString currentPage() const;

    /// Puts back geometry and splitters; afterwards closing the window saves them.
    void restoreLayout();

    /// Called when the window is about to close; returning false keeps it open (a run in progress asks in
    /// place).
    std::function<bool()> mayClose;

    /// Asks in place, above the status bar; `agreed` is called when the user says yes. Without `background`
    /// that choice is not offered.
    void askBeforeClosing(const QString& sentence, const QString& evidence, const QString& yes,
                          std::function<void()> agreed, std::function<void()> background = {});
    /// Says, where it was asked, what closing waits for; empty = nothing any more.
    void tellClosing(const QString& sentence);
    /// Says in place what was not done and why.
    void complain(const QString& sentence, const QString& reason);

Q_SIGNALS:
    void pageChanged(const QString& id);
    /// `step` 0 = the newest checkpoint.
    void exportAsked(const QString& run, qint64 step);
    void ledgerAsked(const QString& run);

protected:
    void closeEvent(QCloseEvent* event) override;
    /// A folder that is dropped on the window is opened as a model.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Entry
    {
        QString id;
        Page* page;
    };
    void addOwnCommands();
    /// Files every new command under the menu its id names, so that the menu bar holds all of them.
    void fileUnderMenu(QAction* action);
    void buildCommandField();
    void buildQuestion();
    void showPage(int index);
    void updateTitle();
    void updateStatus();
    /// Marks runs whose process is gone as interrupted, so that they can be resumed.
    void sweepInterrupted();
    void saveLayout();

    StoreSource& m_source;
    UiSettings& m_settings;
    Theme& m_theme;
    Actions* m_actions = nullptr;
    CommandPalette* m_palette = nullptr;
    Rail* m_rail = nullptr;
    PageStack* m_stack = nullptr;
    StatusStrip* m_status = nullptr;
    EditLine* m_editLine = nullptr;
    RunEdits* m_edits = nullptr;
    EditActions* m_editActions = nullptr;
    Banner* m_question = nullptr;
    QPushButton *m_yes = nullptr, *m_inBackground = nullptr, *m_stay = nullptr;
    CommandField* m_commandField = nullptr;
    QTimer* m_statusTimer = nullptr;
    std::vector<Entry> m_pages;
    std::map<QString, QMenu*> m_menus;
    QElapsedTimer m_sinceSweep;
    bool m_statusAsked = false;
    std::function<void()> m_agreed, m_background;
    bool m_remember = false;
};

} // namespace assay
