#include "tests/support/pair_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/pages/steps_page.h"
#include "ui/steps/pairs/answer_card.h"
#include "ui/steps/pairs/margin_bar.h"
#include "ui/steps/pairs/pair_pane.h"
#include "ui/steps/solution_list_pane.h"
#include "ui/steps/solution_pane.h"
#include "ui/steps/step_details_pane.h"
#include "ui/steps/token_view.h"
#include "ui/store_source.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

struct Window
{
    explicit Window(const StorePlace& place, TokenSource tokens = {})
        : store(place)
        , actions(&frame)
    {
        page = new StepsPage(store, std::move(tokens), actions, &frame);
        frame.resize(1440, 900);
        page->resize(1440, 900);
        frame.show();
    }
    void key(Qt::Key key) { QTest::keyClick(page->pane()->pairView(), key); }
    std::string chosen() const { return page->list()->chosen(); }
    QString outcome() const { return page->pane()->pairView()->marginBar()->summary(); }

    QWidget frame;
    StoreSource store;
    Actions actions;
    StepsPage* page = nullptr;
};

} // namespace

/// The Steps page of a run over pairs.
class TestPairsPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_place.folder = m_folder.path().toStdString() + "/store";
        QVERIFY_RESULT(fillPairStore(m_place, samplePairs()));
    }

    void showsBothSidesAndWhoWins()
    {
        Window window(m_place);
        open(window);
        QVERIFY(window.page->title().endsWith(QStringLiteral("Pairs")));
        QCOMPARE(window.chosen(), std::string("pair-3")); // the most wrong one comes first
        const auto& cards = window.page->pane()->pairView()->cards();
        QCOMPARE(cards[0]->rewardText(), QStringLiteral("−1.50"));
        QCOMPARE(cards[1]->rewardText(), QStringLiteral("1.40"));
        QVERIFY(!cards[0]->wins() && cards[1]->wins());
        QCOMPARE(window.outcome(), QStringLiteral("−2.90, rejected wins"));
        QVERIFY(window.page->pane()->pairView()->isVisible());
        window.page->list()->choose("pair-2");
        QTRY_COMPARE(window.outcome(), QStringLiteral("0.00, tie"));
        QVERIFY(!cards[0]->wins() && !cards[1]->wins());
    }

    void keysWalkThroughPairsAndSides()
    {
        Window window(m_place);
        open(window);
        window.page->pane()->takeFocus();
        QVERIFY(QTest::qWaitForWindowActive(&window.frame));
        QCOMPARE(window.page->pane()->currentStep(), 0);
        window.key(Qt::Key_Right);
        QCOMPARE(window.page->pane()->currentStep(), 1);
        window.key(Qt::Key_Left);
        QCOMPARE(window.page->pane()->currentStep(), 0);
        window.key(Qt::Key_N);
        QTRY_COMPARE(window.chosen(), std::string("pair-1"));
        window.key(Qt::Key_J); // the tie is no success either
        QTRY_COMPARE(window.chosen(), std::string("pair-2"));
        window.key(Qt::Key_J); // there is none behind it
        QCOMPARE(window.chosen(), std::string("pair-2"));
        window.key(Qt::Key_K);
        QTRY_COMPARE(window.chosen(), std::string("pair-1"));
        window.key(Qt::Key_X);
        QCOMPARE(window.page->list()->subset(), 1);
        QTRY_COMPARE(window.page->list()->model()->rowCount(), 2);
        window.key(Qt::Key_BracketLeft);
        QCOMPARE(window.page->shownEvaluation(), 0);
        QTRY_COMPARE(window.outcome(), QStringLiteral("0.00, tie"));
    }

    void tokensOfBothSides()
    {
        const auto source = [](const RunId&, const std::string&, QObject*, auto then) {
            TokenView view;
            view.tokens = {{1, "<s>", "bos", -1, false, false, 0.0F, 0},
                           {5, "yes", "answer", -1, true, true, 1.0F, 0},
                           {1, "<s>", "bos", -1, false, false, 0.0F, 1},
                           {6, "no", "answer", -1, false, false, 0.0F, 1},
                           {2, "</s>", "eos", -1, true, true, 0.0F, 1}};
            then(view);
        };
        Window window(m_place, source);
        open(window);
        const auto* details = window.page->findChild<StepDetailsPane*>();
        const auto* strip = details->findChild<TokenStrip*>();
        QTRY_COMPARE(strip->tokens().size(), std::size_t(2));
        window.page->pane()->setCurrentStep(1);
        QCOMPARE(strip->tokens().size(), std::size_t(3));
    }

    void outcomes_data()
    {
        QTest::addColumn<double>("margin");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("right") << 0.1 << "right"
                               << "agrees";
        QTest::newRow("tie") << 0.0 << "tie"
                             << "tie";
        QTest::newRow("wrong") << -0.1 << "wrong"
                               << "wrong";
        QTest::newRow("confident") << -3.0 << "wrong"
                                   << "confident error";
    }

    void outcomes()
    {
        QFETCH(double, margin);
        QFETCH(QString, word);
        QFETCH(QString, verdict);
        QCOMPARE(pairOutcomeText(pairOutcome(margin)), word);
        QCOMPARE(pairVerdict(margin).text, verdict);
    }

    void reach_data()
    {
        QTest::addColumn<double>("margin");
        QTest::addColumn<double>("reach");
        QTest::newRow("small") << 0.2 << 1.0;
        QTest::newRow("at the end") << -2.0 << 2.0;
        QTest::newRow("over it") << 2.1 << 5.0;
        QTest::newRow("large") << -73.0 << 100.0;
    }

    void reach()
    {
        QFETCH(double, margin);
        QFETCH(double, reach);
        QCOMPARE(marginReach(margin), reach);
    }

private:
    void open(Window& window)
    {
        window.page->activate();
        QTRY_VERIFY(window.page->ready());
        QTRY_VERIFY(!window.chosen().empty() && window.page->ready());
    }
    QTemporaryDir m_folder;
    StorePlace m_place;
};

QTEST_MAIN(TestPairsPage)
#include "tst_pairs_page.moc"
