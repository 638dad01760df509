#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/pages/steps_page.h"
#include "ui/steps/reward_curve.h"
#include "ui/steps/solution_list_pane.h"
#include "ui/steps/solution_pane.h"
#include "ui/steps/step_list_model.h"
#include "ui/steps/token_view.h"
#include "ui/store_source.h"
#include "ui/widgets/filter_line.h"

#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>
#include <functional>
#include <map>

using namespace assay;

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
    void key(Qt::Key key) { QTest::keyClick(page->pane()->list(), key); }

    QWidget frame;
    StoreSource store;
    Actions actions;
    StepsPage* page = nullptr;
};

} // namespace

class TestStepsPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        auto sample = tests::fillSampleStore(m_folder.path().toStdString() + "/store");
        QVERIFY_RESULT(sample);
        m_sample = *sample;
    }

    void opensTheNewestEvaluation()
    {
        Window window(m_sample.place);
        open(window);
        QCOMPARE(window.page->shownEvaluation(), 7);
        QVERIFY(window.page->pane()->model()->rowCount() > 0);
        const auto& counts = window.page->list()->model()->subsetCounts();
        QCOMPARE(counts.size(), std::size_t(5));
        QCOMPARE(counts.front(), 60);
        QVERIFY(counts[1] <= counts[2] + counts[3]); // a disagreement is one or the other
        QVERIFY(counts[1] >= std::max(counts[2], counts[3]));
        QVERIFY(counts[4] <= counts[1]);
    }

    void aRunAskedForIsNotReplacedByTheDefault()
    {
        Window window(m_sample.place);
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        window.page->activate(); // as when the window opens the page for that run
        QTRY_VERIFY(window.page->ready());
        QCOMPARE(window.page->run(), m_sample.full);
        QTest::qWait(100);
        QCOMPARE(window.page->run(), m_sample.full);
    }

    void subsetCountsAreWhatTheSubsetsShow()
    {
        Window window(m_sample.place);
        open(window);
        auto* list = window.page->list();
        for (int subset = 0; subset < 5; ++subset) {
            list->setSubset(subset);
            const auto expected = list->model()->subsetCounts()[static_cast<std::size_t>(subset)];
            QTRY_COMPARE(std::int64_t(list->model()->rowCount()), expected);
        }
    }

    void filterErrorIsSaidInPlace()
    {
        Window window(m_sample.place);
        open(window);
        auto* filter = window.page->list()->filterLine();
        filter->setText(QStringLiteral("label = 0 and colour > 3"));
        QTRY_VERIFY(filter->errorText().contains(QStringLiteral("colour")));
        filter->setText(QStringLiteral("steps where label = 0 and p > 0.9"));
        QTRY_VERIFY(filter->errorText().isEmpty());
        QTRY_VERIFY(window.page->list()->model()->rowCount() < 60);
    }

    void keysWalkThroughErrorsAndSolutions()
    {
        Window window(m_sample.place);
        open(window);
        window.page->pane()->list()->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&window.frame));
        const auto first = window.page->list()->chosen();
        window.key(Qt::Key_N);
        QTRY_VERIFY(window.page->list()->chosen() != first && window.page->ready());
        window.key(Qt::Key_P);
        QTRY_VERIFY(window.page->list()->chosen() == first && window.page->ready());
        window.key(Qt::Key_BracketLeft);
        QCOMPARE(window.page->shownEvaluation(), 6);
        QCOMPARE(window.page->list()->chosen(), first);
        window.key(Qt::Key_BracketRight);
        QCOMPARE(window.page->shownEvaluation(), 7);
        window.key(Qt::Key_X);
        QCOMPARE(window.page->list()->subset(), 1);
        QTRY_COMPARE(std::int64_t(window.page->list()->model()->rowCount()),
                     window.page->list()->model()->subsetCounts()[1]);
        QTRY_VERIFY(window.page->ready());
        for (int i = 0; i < 12; ++i) { // from error to error, over the ends of solutions
            window.key(Qt::Key_J);
            QTRY_VERIFY(window.page->ready());
            const auto* model = window.page->pane()->model();
            const int step = window.page->pane()->currentStep();
            QVERIFY(step >= 0);
            QCOMPARE(model->nextError(step - 1, 1), step);
        }
    }

    void lettersInATextFieldAreText()
    {
        Window window(m_sample.place);
        open(window);
        auto* edit = window.page->list()->filterLine()->edit();
        edit->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&window.frame));
        QTest::keyClicks(edit, QStringLiteral("jnx"));
        QCOMPARE(edit->text(), QStringLiteral("jnx"));
        QCOMPARE(window.page->list()->subset(), 0);
    }

    void replayKeepsSolutionAndStep()
    {
        Window window(m_sample.place);
        open(window);
        auto* pane = window.page->pane();
        pane->setCurrentStep(1);
        const auto chosen = window.page->list()->chosen();
        const auto before = pane->curve()->shownValues();
        Q_EMIT pane->evaluationChosen(2);
        QCOMPARE(window.page->shownEvaluation(), 2);
        QCOMPARE(pane->currentStep(), 1);
        QVERIFY(pane->curve()->shownValues() != before);
        QTest::qWait(300); // the list of that evaluation has come by now
        QTRY_VERIFY(window.page->ready());
        QCOMPARE(window.page->list()->chosen(), chosen);
        QCOMPARE(pane->currentStep(), 1);
    }

    void rankAmongWrongStepsIsCounted()
    {
        auto reader = RunReader::open(m_sample.place);
        QVERIFY_RESULT(reader);
        const auto evaluations = (*reader)->evaluations(m_sample.full);
        QVERIFY_RESULT(evaluations);
        SolutionQuery query;
        query.evaluation = evaluations->back().id;
        const auto page = (*reader)->solutions(query);
        QVERIFY_RESULT(page);
        std::vector<double> wrong;
        for (const auto& solution : page->rows)
            for (std::size_t i = 0; i < solution.probabilities.size(); ++i)
                if (solution.supervised[i] && solution.labels[i] < 0.5)
                    wrong.push_back(solution.probabilities[i]);
        std::sort(wrong.begin(), wrong.end(), std::greater<>());
        QVERIFY(wrong.size() > 20);
        for (const std::size_t at : {std::size_t(0), wrong.size() / 2, wrong.size() - 1}) {
            const auto rank = (*reader)->rankAmongWrong(query.evaluation, wrong[at]);
            QVERIFY_RESULT(rank);
            QCOMPARE(rank->of, std::int64_t(wrong.size()));
            const auto better =
                std::count_if(wrong.begin(), wrong.end(), [&](double p) { return p > wrong[at]; });
            QCOMPARE(rank->rank, std::int64_t(better) + 1);
        }
    }

    void tokensComeFromTheSource()
    {
        Window none(m_sample.place);
        open(none);
        QVERIFY(none.page->findChildren<TokenStrip*>().size() == 1); // only the hidden third view

        int asked = 0;
        const auto source = [&asked](const RunId&, const std::string&, QObject*, auto then) {
            ++asked;
            TokenView view;
            view.tokens = {{1, "<s>", "bos", -1, false, false, 0.0F},
                           {5, "one", "step", 0, false, false, 0.0F},
                           {6, "\n", "separator", 0, true, true, 1.0F}};
            then(view);
        };
        Window window(m_sample.place, source);
        open(window);
        QTRY_COMPARE(asked, 1);
        window.page->pane()->setCurrentStep(0);
        std::size_t shown = 0;
        for (const auto* strip : window.page->findChildren<TokenStrip*>())
            shown += strip->tokens().size();
        QCOMPARE(shown, std::size_t(3 + 2)); // all in the view, those of the step in the details
    }

    void tokensOfAnotherRunAreNotShown()
    {
        // Both runs have evaluated the same example; each cuts it into its own tokens, the first one late.
        using Then = std::function<void(const Result<TokenView>&)>;
        std::map<RunId, Then> asked;
        const auto tokensOf = [](const char* text) {
            TokenView view;
            view.tokens = {{1, text, "bos", -1, false, false, 0.0F}};
            return view;
        };
        Window window(m_sample.place, [&asked](const RunId& run, const std::string&, QObject*, Then then) {
            asked[run] = std::move(then);
        });
        const auto shown = [&window] {
            std::string text;
            for (const auto* strip : window.page->findChildren<TokenStrip*>())
                for (const auto& token : strip->tokens())
                    text += token.text;
            return text;
        };
        auto& list = *window.page->list();
        open(window);
        QTRY_COMPARE(asked.count(m_sample.full), std::size_t(1));
        const auto example = list.chosen();
        window.page->showRun(QString::fromStdString(m_sample.fault), 0);
        QTRY_VERIFY(window.page->ready() && window.page->run() == m_sample.fault && !list.chosen().empty());
        list.choose(example);
        QTRY_COMPARE(list.chosen(), example);
        QTRY_VERIFY(window.page->ready());
        asked.at(m_sample.full)(tokensOf("late"));
        QCOMPARE(shown(), std::string());
        QTRY_COMPARE(asked.count(m_sample.fault), std::size_t(1));
        asked.at(m_sample.fault)(tokensOf("own"));
        QCOMPARE(shown(), std::string("own"));
        asked.clear();
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        QTRY_VERIFY(window.page->ready() && window.page->run() == m_sample.full && !list.chosen().empty());
        list.choose(example);
        QTRY_COMPARE(asked.count(m_sample.full), std::size_t(1)); // asked again, not taken from the other
        QCOMPARE(shown(), std::string());
    }

    void aRunningRunShowsItsFirstSolution_data()
    {
        QTest::addColumn<bool>("ends");
        QTest::newRow("goes on") << false;
        QTest::newRow("ends with it") << true;
    }

    void aRunningRunShowsItsFirstSolution()
    {
        QFETCH(bool, ends);
        QTemporaryDir folder;
        const auto sample = tests::fillSampleStore(folder.path().toStdString() + "/store");
        QVERIFY_RESULT(sample);
        auto writer = RunWriter::open(sample->place).value();
        const auto reader = RunReader::open(sample->place).value();
        const auto evaluations = reader->evaluations(sample->full).value();
        NewRun begun;
        begun.name = "begun";
        const auto run = writer->beginRun(begun);
        QVERIFY_RESULT(run);
        EvaluationRecord record = evaluations.back();
        const auto evaluation = writer->appendEvaluation(*run, record);
        QVERIFY_RESULT(evaluation);
        QVERIFY_RESULT(writer->flush());

        Window window(sample->place);
        auto& list = *window.page->list();
        window.page->showRun(QString::fromStdString(*run), 0);
        QTRY_VERIFY(window.page->ready() && window.page->shownEvaluation() == 0);
        QCOMPARE(list.model()->rowCount(), 0); // its predictions are still to be written
        SolutionQuery query;
        query.evaluation = evaluations.back().id;
        const auto solutions = reader->solutions(query).value();
        for (const auto& solution : solutions.rows) {
            const auto rows = reader->predictions(query.evaluation, solution.exampleId).value();
            QVERIFY_RESULT(writer->appendPredictions(*run, *evaluation, rows));
        }
        if (ends)
            QVERIFY_RESULT(writer->setStatus(*run, RunStatus::Finished));
        QVERIFY_RESULT(writer->flush());
        QTRY_COMPARE(list.model()->rowCount(), static_cast<int>(solutions.matching));
        QTRY_VERIFY(!list.chosen().empty());
        QTRY_VERIFY(window.page->ready() && window.page->pane()->model()->rowCount() > 0);
    }

    void storeWithoutEvaluationSaysSo()
    {
        QTemporaryDir folder;
        Window window(StorePlace{folder.path().toStdString() + "/none"});
        window.page->activate();
        QTRY_VERIFY(window.page->ready());
        QCOMPARE(window.page->shownEvaluation(), -1);
    }

private:
    void open(Window& window)
    {
        window.page->showRun(QString::fromStdString(m_sample.full), 0);
        QTRY_VERIFY(window.page->ready() && window.page->shownEvaluation() >= 0 &&
                    !window.page->list()->chosen().empty());
    }

    QTemporaryDir m_folder;
    tests::SampleStore m_sample;
};

QTEST_MAIN(TestStepsPage)
#include "tst_steps_page.moc"
