// The Model page: opening, refusals, the ledger's filter, texts to try, and folders that are dropped.
#include "tests/support/idle_session.h"
#include "tests/support/test_data.h"
#include "ui/main_window.h"
#include "ui/model/ledger_model.h"
#include "ui/model/model_facts.h"
#include "ui/model/model_page.h"
#include "ui/model/try_it_pane.h"
#include "ui/run_controller.h"
#include "ui/steps/token_view.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/empty_state.h"
#include "ui/window_pages.h"

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QUndoStack>
#include <QtTest/QTest>

#include <atomic>
#include <chrono>
#include <thread>

using namespace assay;

namespace {

/// What the models of a test do.
struct Models
{
    std::atomic<int> inspected = 0, opened = 0, tried = 0, cancelled = 0;
    std::atomic<bool> slow = false, scores = true;
};

class FakeTrial : public ModelTrial
{
public:
    FakeTrial(std::shared_ptr<Models> models, std::string head)
        : m_models(std::move(models))
        , m_head(std::move(head))
    {
        if (!m_models->scores)
            m_without = Error{ErrorCode::BadModel, "the model has no trained head"};
    }
    bool steps() const override { return true; }
    std::string layoutName() const override { return m_without ? "" : "stepwise, head " + m_head; }
    std::string rewards() const override { return {}; }
    const std::optional<Error>& withoutScores() const override { return m_without; }
    Result<TrialAnswer> answer(const TrialText& text) override
    {
        ++m_models->tried;
        if (text.prompt == "too long")
            return Error{ErrorCode::BadData, "the row is longer than the layout's maximum length"};
        TrialAnswer answer;
        for (std::size_t i = 0; i < text.parts.size(); ++i) {
            answer.view.tokens.push_back({7, text.parts[i], "step", static_cast<std::int32_t>(i)});
            if (!m_without)
                answer.values.push_back(TrialAnswer::Value{1.5, 0.75, {}});
        }
        return answer;
    }

private:
    std::shared_ptr<Models> m_models;
    std::string m_head;
    std::optional<Error> m_without;
};

class ModelSession : public tests::IdleSession
{
public:
    explicit ModelSession(std::shared_ptr<Models> models)
        : m_models(std::move(models))
    {}
    Result<ModelReport> inspectModel(const ModelRequest& request, const LoadWatch& watch) override
    {
        ++m_models->inspected;
        for (int i = 0; i < 400 && m_models->slow; ++i) {
            watch.progress(i / 400.0);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (watch.stop.stop_requested()) {
                ++m_models->cancelled;
                return Error{ErrorCode::Cancelled, "stopped", request.place};
            }
        }
        if (request.place == "/nowhere")
            return Error{ErrorCode::NotFound, "there is no such file or folder", request.place,
                         "Check the path of the model folder"};
        ModelReport report;
        report.folder = request.place;
        report.familyTitle = "Llama";
        report.publishedHeads = {{"math-shepherd", "Math-Shepherd"}};
        report.parameters = 134515008;
        report.layers = 30;
        report.head = HeadFacts{true, 2, 0, true, {}};
        report.tokenizer.vocabulary = 49152;
        report.memory = {1 << 20, 1 << 30, 1 << 25};
        report.ledger = {{"model.embed_tokens.weight", "loaded", "F32 [160, 48]"},
                         {"model.norm.weight", "loaded", "F32 [48]"},
                         {"score.weight", "initialised", "the folder has no trained head"}};
        return report;
    }
    Result<std::shared_ptr<ModelTrial>> tryModel(const ModelRequest& request) override
    {
        ++m_models->opened;
        return std::shared_ptr<ModelTrial>(std::make_shared<FakeTrial>(m_models, request.head));
    }

private:
    std::shared_ptr<Models> m_models;
};

} // namespace

class TestModelPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void emptyPageIsWhole();
    void opensAndShows();
    void refusalKeepsWhatIsOpen();
    void cancels();
    void ledgerFilter_data();
    void ledgerFilter();
    void memoryThatDoesNotFit();
    void triesTheLastText();
    void otherHeadOpensAgain();
    void withoutScores();
    void textThatIsRefused();
    void trainsOnIt();
    void dropped_data();
    void dropped();
    void byKeyboard();

private:
    template <typename T>
    T* find(const char* name) const
    {
        return m_window->findChild<T*>(QString::fromLatin1(name));
    }
    void open(const QString& place)
    {
        m_page->showModel(place);
        QTRY_VERIFY(m_page->ready());
    }
    QString scoreText() const
    {
        QString text;
        for (const auto* label : m_page->findChild<TryItPane*>()->findChildren<QLabel*>())
            text += label->text() + QLatin1Char('\n');
        return text;
    }

    std::shared_ptr<Models> m_models;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<UiSettings> m_settings;
    std::unique_ptr<StoreSource> m_source;
    std::unique_ptr<RunController> m_controller;
    std::unique_ptr<MainWindow> m_window;
    ModelPage* m_page = nullptr;
};

void TestModelPage::init()
{
    m_models = std::make_shared<Models>();
    m_folder = std::make_unique<QTemporaryDir>();
    StorePlace place;
    place.folder = m_folder->path().toStdString();
    m_theme = std::make_unique<Theme>(*qApp, ThemeChoice::Light);
    m_settings = std::make_unique<UiSettings>(QString());
    m_source = std::make_unique<StoreSource>(place);
    m_controller = std::make_unique<RunController>(
        place, [models = m_models] { return std::make_unique<ModelSession>(models); });
    m_window = makeMainWindow(*m_source, *m_controller, *m_settings, *m_theme);
    m_page = m_window->findChild<ModelPage*>();
    QVERIFY(m_page != nullptr);
    m_window->openPage(QStringLiteral("model"));
    m_window->show();
}

void TestModelPage::cleanup()
{
    m_window.reset();
    m_controller.reset();
    m_source.reset();
    m_settings.reset();
    m_theme.reset();
}

/// What there is to do is said in full, though its lines wrap.
void TestModelPage::emptyPageIsWhole()
{
    m_window->resize(1024, 700);
    for (const auto* label : m_page->findChild<EmptyState*>()->findChildren<QLabel*>())
        QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
}

void TestModelPage::opensAndShows()
{
    open(QStringLiteral("/models/smol"));
    QVERIFY(find<QLabel>("fact.Size")->text().contains(QStringLiteral("134,515,008")));
    QVERIFY(find<QLabel>("fact.Head")->text().contains(QStringLiteral("2 outputs")));
    QCOMPARE(find<QLabel>("ledgerSummary")->text(), QStringLiteral("1 initialised, 2 loaded"));
    QCOMPARE(find<QTableView>("ledgerTable")->model()->rowCount(), 3);
    QCOMPARE(m_page->title(), QStringLiteral("Model smol"));
    QVERIFY(scoreText().contains(QStringLiteral("Step 1: probability 0.750, score 1.500")));
}

void TestModelPage::refusalKeepsWhatIsOpen()
{
    open(QStringLiteral("/models/smol"));
    open(QStringLiteral("/nowhere"));
    const auto* problem = find<Banner>("modelProblem");
    QVERIFY(problem->isVisible());
    QCOMPARE(problem->sentence(), QStringLiteral("there is no such file or folder"));
    QCOMPARE(m_page->report()->folder, std::string("/models/smol"));
    QVERIFY(find<QPushButton>("modelUse")->isEnabled());
    open(QStringLiteral("/models/other"));
    QVERIFY(!problem->isVisible());
}

void TestModelPage::cancels()
{
    m_models->slow = true;
    m_page->showModel(QStringLiteral("/models/large"));
    auto* cancel = find<QPushButton>("modelCancel");
    QTRY_VERIFY(m_models->inspected == 1);
    QVERIFY(cancel->isVisible());
    cancel->click();
    QTRY_VERIFY(m_page->ready());
    QCOMPARE(m_models->cancelled.load(), 1);
    QVERIFY(!cancel->isVisible());
    QVERIFY(!m_page->report());
    QVERIFY(!find<Banner>("modelProblem")->isVisible());
}

void TestModelPage::ledgerFilter_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<int>("rows");
    QTest::newRow("none") << "" << 3;
    QTest::newRow("an action") << "INITIALISED" << 1;
    QTest::newRow("a tensor") << "norm" << 1;
    QTest::newRow("two words") << "loaded f32" << 2;
    QTest::newRow("nothing fits") << "loaded score" << 0;
}
void TestModelPage::ledgerFilter()
{
    QFETCH(QString, filter);
    QFETCH(int, rows);
    LedgerModel model;
    model.setLedger({{"model.embed_tokens.weight", "loaded", "F32 [160, 48]"},
                     {"model.norm.weight", "loaded", "F32 [48]"},
                     {"score.weight", "initialised", "the folder has no trained head"}});
    model.setFilter(filter);
    QCOMPARE(model.rowCount(), rows);
    QCOMPARE(model.summary(), QStringLiteral("1 initialised, 2 loaded"));
}

void TestModelPage::memoryThatDoesNotFit()
{
    QVERIFY(memoryText({1 << 20, 1 << 30, 1 << 25}).contains(QStringLiteral("GiB (does not fit)")));
    QVERIFY(!memoryText({1 << 20, 1 << 22, 1 << 25}).contains(QStringLiteral("not fit")));
    QCOMPARE(memoryText({}), QStringLiteral("not known"));
}

/// Keys that follow each other quickly ask once, and the model is opened once.
void TestModelPage::triesTheLastText()
{
    open(QStringLiteral("/models/smol"));
    const int before = m_models->tried;
    auto* parts = find<QPlainTextEdit>("tryParts");
    parts->clear();
    QTest::keyClicks(parts, QStringLiteral("one step"));
    QTRY_VERIFY(m_page->ready());
    QCOMPARE(m_models->tried - before, 1);
    QCOMPARE(m_models->opened.load(), 1);
    const auto& tokens = m_page->findChild<TokenStrip*>()->tokens();
    QCOMPARE(tokens.size(), std::size_t(1));
    QCOMPARE(tokens[0].text, std::string("one step"));
    QVERIFY(!scoreText().contains(QStringLiteral("Step 2")));
}

void TestModelPage::otherHeadOpensAgain()
{
    open(QStringLiteral("/models/smol"));
    auto* head = find<QComboBox>("modelHead");
    const int index = head->findData(QStringLiteral("math-shepherd"));
    QVERIFY(index > 0);
    head->setCurrentIndex(index);
    Q_EMIT head->activated(index);
    QTRY_VERIFY(m_page->ready());
    QCOMPARE(m_models->opened.load(), 2);
    QVERIFY(find<QLabel>("tryNote")->text().contains(QStringLiteral("head math-shepherd")));
}

void TestModelPage::withoutScores()
{
    m_models->scores = false;
    open(QStringLiteral("/models/smol"));
    QVERIFY(find<QLabel>("tryNote")->text().contains(QStringLiteral("no trained head")));
    QVERIFY(find<QWidget>("trySpecial")->isVisible());
    QVERIFY(!scoreText().contains(QStringLiteral("probability")));
    QVERIFY(!m_page->findChild<TokenStrip*>()->tokens().empty());
}

void TestModelPage::textThatIsRefused()
{
    open(QStringLiteral("/models/smol"));
    find<QPlainTextEdit>("tryPrompt")->setPlainText(QStringLiteral("too long"));
    QTRY_VERIFY(m_page->ready());
    QVERIFY(find<QLabel>("tryNote")->text().contains(QStringLiteral("longer than")));
    QVERIFY(m_page->findChild<TokenStrip*>()->tokens().empty());
}

void TestModelPage::trainsOnIt()
{
    QVERIFY(!find<QPushButton>("modelUse")->isEnabled());
    open(QStringLiteral("/models/smol"));
    find<QPushButton>("modelUse")->click();
    QCOMPARE(m_window->currentPage(), QStringLiteral("experiment"));
    QTRY_VERIFY(m_window->page(QStringLiteral("experiment"))->undoStack()->canUndo());
}

void TestModelPage::dropped_data()
{
    QTest::addColumn<bool>("folder");
    QTest::newRow("a folder") << true;
    QTest::newRow("a file") << false;
}
void TestModelPage::dropped()
{
    QFETCH(bool, folder);
    m_window->openPage(QStringLiteral("runs"));
    QTemporaryFile file;
    QVERIFY(file.open());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder ? m_folder->path() : file.fileName())});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QCOMPARE(m_window->currentPage(), folder ? QStringLiteral("model") : QStringLiteral("runs"));
    QTRY_VERIFY(m_page->ready());
    QCOMPARE(m_models->inspected.load(), folder ? 1 : 0);
}

void TestModelPage::byKeyboard()
{
    auto* place = find<QLineEdit>("modelPlace");
    place->setFocus();
    QTest::keyClicks(place, QStringLiteral("/models/smol\r"));
    QTRY_VERIFY(m_page->report().has_value());
    QTRY_VERIFY(m_page->ready());
    QWidget* widget = place;
    QSet<QString> reached;
    for (int i = 0; i < 2000; ++i) {
        widget = widget->nextInFocusChain();
        if (m_page->isAncestorOf(widget) && (widget->focusPolicy() & Qt::TabFocus) != 0)
            reached.insert(widget->objectName());
    }
    for (const char* name : {"modelHead", "modelUse", "ledgerTable", "tryPrompt", "tryParts"})
        QVERIFY2(reached.contains(QString::fromLatin1(name)), name);
}

QTEST_MAIN(TestModelPage)
#include "tst_model_page.moc"
