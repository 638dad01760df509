// What a run does with stops, pauses and wishes that come while it evaluates.
#include "core/run/session.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

namespace {

/// Does something once, at the first sign of the evaluation of a step.
class Interrupter : public Listener
{
public:
    std::int64_t atStep = -1;
    std::function<void()> act;
    std::function<void()> whenPaused;
    std::vector<std::string> texts; ///< of the evaluation's progress
    int boundariesInside = 0;

    void progress(const Progress& value) override
    {
        m_inside = value.phase == Progress::Phase::Evaluating;
        if (m_inside && value.step == atStep) {
            texts.push_back(value.text);
            if (const auto once = std::exchange(act, nullptr))
                once();
        }
        if (value.phase == Progress::Phase::Paused)
            if (const auto once = std::exchange(whenPaused, nullptr))
                once();
    }
    void boundary() override { boundariesInside += m_inside ? 1 : 0; }
    void runStarted(const RunDetails& details) override { run = details.summary.id; }
    RunId run;

private:
    bool m_inside = false;
};

int heard(const Listener& listener, const std::string& kind, const std::string& text)
{
    return static_cast<int>(
        std::count_if(listener.events.begin(), listener.events.end(), [&](const auto& event) {
            return event.kind == kind && event.text.find(text) != std::string::npos;
        }));
}

std::vector<std::int64_t> evaluatedSteps(const std::vector<EvaluationRecord>& evaluations)
{
    std::vector<std::int64_t> steps;
    for (const auto& evaluation : evaluations)
        steps.push_back(evaluation.step);
    return steps;
}

} // namespace

class TestEvaluationControls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_place = StorePlace{m_root / "store"};
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
    }

    /// A run that was stopped while it evaluated is not finished, keeps nothing of that evaluation, and a
    /// resume does it.
    void stopGivesTheEvaluationUp_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("byToken");
        QTest::newRow("the first, by a control") << 0 << false;
        QTest::newRow("between, by a control") << 4 << false;
        QTest::newRow("between, by a signal") << 4 << true;
        QTest::newRow("the last, by a control") << 12 << false;
        QTest::newRow("the last, by a signal") << 12 << true;
    }
    void stopGivesTheEvaluationUp()
    {
        QFETCH(int, step);
        QFETCH(bool, byToken);
        const auto config = smallConfig(m_root / "rows.jsonl");
        Listener straight;
        QVERIFY_RESULT(Session::create({m_root / "straight"})->train(config, straight, {}));
        Interrupter first;
        first.atStep = step;
        first.act = [&] {
            if (byToken)
                first.stop.request_stop();
            else
                post(first.run, Control::Stop);
        };
        const auto session = Session::create(m_place);
        const auto stopped = session->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(stopped->status, RunStatus::Stopped);
        QCOMPARE(stopped->step, std::int64_t(step));
        QCOMPARE(heard(first, "evaluation", "given up"), 1);
        QCOMPARE(heard(first, "evaluation", "A resume does it again"), 1);
        const auto reader = RunReader::open(m_place).value();
        QCOMPARE(reader->run(stopped->run)->summary.status, RunStatus::Stopped);
        const auto before = reader->evaluations(stopped->run).value();
        QVERIFY(std::none_of(before.begin(), before.end(),
                             [step](const auto& evaluation) { return evaluation.step == step; }));

        Listener second;
        const auto resumed = session->resume(stopped->run, second, {});
        QVERIFY_RESULT(resumed);
        QCOMPARE(resumed->status, RunStatus::Finished);
        const auto after = reader->evaluations(stopped->run).value();
        QCOMPARE(evaluatedSteps(after), (std::vector<std::int64_t>{0, 4, 8, 12}));
        for (std::size_t i = 0; i < after.size(); ++i) {
            QCOMPARE(after[i].loss, straight.evaluations[i].loss);
            QCOMPARE(after[i].verdictId, straight.evaluations[i].verdictId);
        }
        const auto checkpoints = reader->checkpoints(stopped->run).value();
        QVERIFY(checkpoints.back().final);
        QCOMPARE(checkpoints.back().step, std::int64_t(12));
    }

    void pauseHoldsTheEvaluation()
    {
        Interrupter listener;
        listener.atStep = 4;
        listener.act = [&] { post(listener.run, Control::Pause); };
        listener.whenPaused = [&] {
            QVERIFY(listener.evaluations.size() == 1); // that of step 4 is not over
            post(listener.run, Control::Resume);
        };
        const auto outcome =
            Session::create(m_place)->train(smallConfig(m_root / "rows.jsonl"), listener, {});
        QVERIFY_RESULT(outcome);
        QCOMPARE(outcome->status, RunStatus::Finished);
        QCOMPARE(heard(listener, "paused", "Paused"), 1);
        QCOMPARE(heard(listener, "resumed", "Resumed"), 1);
        QVERIFY(!listener.whenPaused);
        QCOMPARE(listener.evaluations.size(), std::size_t(4));
    }

    void tellsHowFarItIsAndRunsShortJobs()
    {
        Interrupter listener;
        listener.atStep = 4;
        QVERIFY_RESULT(Session::create(m_place)->train(smallConfig(m_root / "rows.jsonl"), listener, {}));
        QVERIFY(listener.texts.size() >= 2);
        QCOMPARE(listener.texts.front(), std::string("Evaluating 0 of 15 solutions"));
        QCOMPARE(listener.texts.back(), std::string("Evaluating 15 of 15 solutions"));
        QVERIFY(listener.boundariesInside >= 4); // at least one an evaluation
    }

    /// A wish that is already fulfilled is answered at once; one for another step is carried out.
    void evaluateNow_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("inside");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<int>("evaluations");
        QTest::newRow("while that step is evaluated") << 4 << true << "step 4 is being evaluated now" << 4;
        QTest::newRow("of an evaluated step") << 4 << false << "step 4 is already evaluated" << 4;
        QTest::newRow("of the step before the first evaluation is over")
            << 0 << true << "step 0 is being evaluated now" << 4;
        QTest::newRow("of another step") << 5 << false << "" << 5;
    }
    void evaluateNow()
    {
        QFETCH(int, step);
        QFETCH(bool, inside);
        QFETCH(QString, answer);
        QFETCH(int, evaluations);
        struct Asker : Interrupter
        {
            std::int64_t afterStep = -1, afterEvaluation = -1;
            std::function<void()> ask;
            void stepDone(const StepRecord& record) override
            {
                Listener::stepDone(record);
                if (record.step == afterStep)
                    ask();
            }
            void evaluationDone(const EvaluationRecord& record) override
            {
                Listener::evaluationDone(record);
                if (record.step == afterEvaluation)
                    ask();
            }
        } listener;
        listener.ask = [&] { post(listener.run, Control::EvaluateNow); };
        if (inside) {
            listener.atStep = step;
            listener.act = listener.ask;
        } else if (step % 4 == 0) {
            listener.afterEvaluation = step;
        } else {
            listener.afterStep = step;
        }
        QVERIFY_RESULT(Session::create(m_place)->train(smallConfig(m_root / "rows.jsonl"), listener, {}));
        QCOMPARE(static_cast<int>(listener.evaluations.size()), evaluations);
        QCOMPARE(heard(listener, "evaluation", "Asked to evaluate"), answer.isEmpty() ? 0 : 1);
        if (!answer.isEmpty())
            QCOMPARE(heard(listener, "evaluation", answer.toStdString()), 1);
    }

private:
    void post(const RunId& run, Control control) const
    {
        const auto editor = RunEditor::open(m_place);
        QVERIFY_RESULT(editor);
        QVERIFY_RESULT((*editor)->postControl(run, control));
        // Controls are passed over while a commit holds the connection, and these evaluations are so short
        // that one commit may outlast what is left of them: the thread that trains waits here until it is
        // over.
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    StorePlace m_place;
};

QTEST_GUILESS_MAIN(TestEvaluationControls)
#include "tst_evaluation_controls.moc"
