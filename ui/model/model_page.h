#pragma once

#include "ui/model/model_requests.h"
#include "ui/pages/page.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace assay {

class Actions;
class Banner;
class LedgerTable;
class ModelFacts;
class TextLabel;
class TryItPane;

/// Opens a model folder: what it is, what the load did to every tensor, and a text to try on it.
class ModelPage : public Page
{
    Q_OBJECT
public:
    /// The arguments outlive the page.
    ModelPage(ModelRequests& requests, Actions& actions);

    QString title() const override;
    /// A folder, or the name of a model in the local cache; opens at once.
    void showModel(const QString& place) override;
    bool ready() const override;
    const std::optional<ModelReport>& report() const { return m_report; }

Q_SIGNALS:
    /// The page is to be shown: its command was called from another one.
    void wanted();

private:
    QWidget* makeToolbar(Actions& actions);
    QWidget* makeContent();
    QWidget* makeLedger();
    void chooseFolder();
    void open();
    ModelRequest request() const;
    void show(const Result<ModelReport>& report);
    void setOpening(bool opening);

    ModelRequests& m_requests;
    std::optional<ModelReport> m_report;
    ModelRequest m_shown; ///< what `m_report` is the answer to
    bool m_opening = false;
    QLineEdit* m_place = nullptr;
    QComboBox* m_head = nullptr;
    QPushButton *m_open = nullptr, *m_cancel = nullptr, *m_use = nullptr;
    TextLabel* m_share = nullptr;
    Banner* m_problem = nullptr;
    QStackedWidget* m_stack = nullptr;
    QSplitter* m_splitter = nullptr;
    ModelFacts* m_facts = nullptr;
    LedgerTable* m_ledger = nullptr;
    TryItPane* m_try = nullptr;
};

} // namespace assay
