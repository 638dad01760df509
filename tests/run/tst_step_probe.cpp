// Before a run: memory and time from one step, rows that are prepared once, and token views with what the
// layout cuts.
#include "core/run/preflight/step_probe.h"
#include "core/run/session.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <fstream>

using namespace assay;
namespace fs = std::filesystem;

namespace {

void writeRows(const fs::path& file, int count)
{
    std::ofstream out(file);
    for (int i = 0; i < count; ++i)
        out << R"({"prompt":"Add )" << i << R"( and 1.","completions":["Take )" << i << R"(.","It is )"
            << i + 1 << R"(."],"labels":[true,)" << (i % 2 ? "true" : "false") << "]}\n";
}

ExperimentConfig smallExperiment(const fs::path& data)
{
    ExperimentConfig config;
    config.data.train = data.string();
    config.data.evaluationShare = 0.25;
    config.backbone.source = "scratch";
    config.backbone.width = 16;
    config.backbone.layers = 1;
    config.backbone.heads = 2;
    config.backbone.keyValueHeads = 2;
    config.backbone.mlpWidth = 24;
    config.batch.examples = 4;
    config.schedule.epochs = 3;
    config.compute.dtype = "float32";
    config.compute.threads = 1;
    return config;
}

StepProbe measuredProbe()
{
    StepProbe probe;
    probe.stepSeconds = 0.5;
    probe.evaluationSeconds = 2.0;
    probe.plannedSteps = 100;
    probe.weightBytes = probe.gradientBytes = 100;
    probe.optimiserBytes = 200;
    probe.activationBytes = 80;
    probe.worstExamples = 8;
    probe.availableBytes = 1500;
    return probe;
}

} // namespace

class tst_step_probe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void evaluationsAreCounted_data();
    void evaluationsAreCounted();
    void timeGrowsWithTheSteps_data();
    void timeGrowsWithTheSteps();
    void largestBatchFillsTheMemory();
    void measuresARealStep();
    void frozenBackboneNeedsLess();
    void moreRowsNeedMore();
    void activationsDoNotHide();
    void stopsWhenAsked();
    void nothingToStepOnIsAnError();
    void changedFilesAreReadAgain();
    void longWarmupIsSaid();
    void cutsAreMarked_data();
    void cutsAreMarked();

private:
    fs::path data() const { return fs::path(m_folder->path().toStdString()) / "rows.jsonl"; }
    std::unique_ptr<Session> session() const
    {
        return Session::create({fs::path(m_folder->path().toStdString()) / "store"});
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_step_probe::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    writeRows(data(), 24);
}

void tst_step_probe::evaluationsAreCounted_data()
{
    QTest::addColumn<int>("every");
    QTest::addColumn<bool>("before");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("expected");
    QTest::newRow("at the end only") << 0 << false << 100 << 1;
    QTest::newRow("before and at the end") << 0 << true << 100 << 2;
    QTest::newRow("between") << 30 << true << 100 << 5;
    QTest::newRow("the last step counts once") << 25 << true << 100 << 5;
    QTest::newRow("never between") << 100 << false << 100 << 1;
    QTest::newRow("no step") << 10 << true << 0 << 1;
}

void tst_step_probe::evaluationsAreCounted()
{
    QFETCH(int, every);
    QFETCH(bool, before);
    QFETCH(int, steps);
    QFETCH(int, expected);
    EvaluationConfig config;
    config.everySteps = every;
    config.beforeStart = before;
    QCOMPARE(plannedEvaluations(config, steps), std::int64_t{expected});
}

void tst_step_probe::timeGrowsWithTheSteps_data()
{
    QTest::addColumn<int>("every");
    for (const int every : {0, 1, 7, 100})
        QTest::addRow("evaluated every %d", every) << every;
}

void tst_step_probe::timeGrowsWithTheSteps()
{
    QFETCH(int, every);
    EvaluationConfig config;
    config.everySteps = every;
    double before = -1.0;
    for (std::int64_t steps = 1; steps < 400; ++steps) {
        auto probe = measuredProbe();
        probe.plannedSteps = steps;
        extrapolate(probe, config);
        QVERIFY(probe.totalSeconds > before);
        QVERIFY(probe.totalSeconds >= 0.5 * static_cast<double>(steps));
        before = probe.totalSeconds;
    }
}

void tst_step_probe::largestBatchFillsTheMemory()
{
    auto probe = measuredProbe();
    extrapolate(probe, {});
    QCOMPARE(probe.largestExamples, std::int64_t{100}); // (1500 - 400) / (1.1 * 10)
    probe.availableBytes = 300;
    extrapolate(probe, {});
    QCOMPARE(probe.largestExamples, std::int64_t{0});
    probe.peakBytes = 301;
    QVERIFY(!probe.fits());
    probe.availableBytes = 0;
    QVERIFY2(probe.fits(), "what is not known does not block");
}

void tst_step_probe::measuresARealStep()
{
    const auto config = smallExperiment(data());
    const auto door = session();
    const auto preflight = door->probe(config, {});
    QVERIFY_RESULT(preflight);
    const auto probe = door->measure(config, {});
    QVERIFY_RESULT(probe);
    QVERIFY(probe->parameters > 0);
    QCOMPARE(probe->trainedParameters, probe->parameters);
    QCOMPARE(probe->weightBytes, 4 * probe->parameters);
    QCOMPARE(probe->gradientBytes, probe->weightBytes);
    QCOMPARE(probe->optimiserBytes, 2 * probe->weightBytes);
    QVERIFY(probe->activationBytes > 0);
    QVERIFY(probe->peakBytes >=
            probe->weightBytes + probe->gradientBytes + probe->optimiserBytes + probe->activationBytes);
    QVERIFY(probe->availableBytes > 0 && probe->availableBytes <= probe->totalBytes);
    QCOMPARE(probe->worstExamples, std::int64_t{4});
    QCOMPARE(probe->plannedSteps, preflight->plannedSteps);
    QVERIFY(probe->stepSeconds > 0.0 && probe->evaluationSeconds > 0.0);
    QVERIFY(probe->totalSeconds >= probe->stepSeconds * static_cast<double>(probe->plannedSteps));
    QVERIFY(!probe->method.empty());
    // Nothing of it is a run.
    QVERIFY(!RunReader::open({fs::path(m_folder->path().toStdString()) / "store"}).ok());
}

void tst_step_probe::frozenBackboneNeedsLess()
{
    auto config = smallExperiment(data());
    const auto whole = session()->measure(config, {});
    QVERIFY_RESULT(whole);
    config.backbone.frozen = true;
    const auto frozen = session()->measure(config, {});
    QVERIFY_RESULT(frozen);
    QCOMPARE(frozen->weightBytes, whole->weightBytes);
    QVERIFY(frozen->gradientBytes < whole->gradientBytes);
    QVERIFY(frozen->peakBytes < whole->peakBytes);
}

void tst_step_probe::moreRowsNeedMore()
{
    auto config = smallExperiment(data());
    config.batch.examples = 1;
    const auto one = session()->measure(config, {});
    QVERIFY_RESULT(one);
    config.batch.examples = 16;
    const auto many = session()->measure(config, {});
    QVERIFY_RESULT(many);
    QVERIFY(many->worstTokens > one->worstTokens);
    QVERIFY(many->activationBytes > one->activationBytes);
    QVERIFY(many->plannedSteps < one->plannedSteps);
}

/// Weights that are much larger than the activations of a row: what the optimiser holds must not cover them.
void tst_step_probe::activationsDoNotHide()
{
    auto config = smallExperiment(data());
    config.backbone.width = 256;
    config.backbone.mlpWidth = 1024;
    config.batch.examples = 1;
    const auto one = session()->measure(config, {});
    QVERIFY_RESULT(one);
    QVERIFY(one->activationBytes < one->weightBytes);
    QVERIFY(one->activationBytes >=
            8 * 256 * one->worstTokens); // the layer keeps at least its input and the norm of it
    config.batch.examples = 8;
    const auto many = session()->measure(config, {});
    QVERIFY_RESULT(many);
    // Beside what grows with the rows, the gradient of one weight on its way to the sum of both batches.
    QVERIFY(many->activationBytes > 3 * one->activationBytes);
}

void tst_step_probe::stopsWhenAsked()
{
    std::stop_source stop;
    stop.request_stop();
    const auto door = session();
    QVERIFY_RESULT(door->probe(smallExperiment(data()), {}));
    const auto probe = door->measure(smallExperiment(data()), stop.get_token());
    QVERIFY(!probe.ok());
    QCOMPARE(probe.error().code, ErrorCode::Cancelled);
}

void tst_step_probe::nothingToStepOnIsAnError()
{
    auto config = smallExperiment(data());
    config.layout.maximumTokens = 2;
    config.layout.truncation = "drop-row";
    const auto probe = session()->measure(config, {});
    QVERIFY(!probe.ok());
    QCOMPARE(probe.error().code, ErrorCode::BadData);
}

void tst_step_probe::changedFilesAreReadAgain()
{
    const auto door = session();
    const auto config = smallExperiment(data());
    const auto before = door->probe(config, {});
    QVERIFY_RESULT(before);
    writeRows(data(), 48);
    const auto after = door->probe(config, {});
    QVERIFY_RESULT(after);
    QVERIFY(after->trainRows > before->trainRows);
    // The same rows under other settings.
    auto other = config;
    other.batch.examples = 2;
    const auto again = door->probe(other, {});
    QVERIFY_RESULT(again);
    QCOMPARE(again->trainRows, after->trainRows);
    QVERIFY(again->plannedSteps > after->plannedSteps);
}

void tst_step_probe::longWarmupIsSaid()
{
    auto config = smallExperiment(data());
    const auto found = [&] {
        const auto preflight = session()->probe(config, {});
        return preflight.ok() &&
               std::any_of(preflight->report.findings.begin(), preflight->report.findings.end(),
                           [](const Finding& finding) { return finding.id == "warm-up-longer-than-run"; });
    };
    const auto preflight = session()->probe(config, {});
    QVERIFY_RESULT(preflight);
    config.schedule.warmupSteps = preflight->plannedSteps - 1;
    QVERIFY(!found());
    config.schedule.warmupSteps = preflight->plannedSteps;
    QVERIFY(found());
}

void tst_step_probe::cutsAreMarked_data()
{
    QTest::addColumn<QString>("truncation");
    QTest::newRow("right") << "cut-right";
    QTest::newRow("prompt left") << "cut-prompt-left";
    QTest::newRow("dropped") << "drop-row";
}

void tst_step_probe::cutsAreMarked()
{
    QFETCH(QString, truncation);
    auto config = smallExperiment(data());
    config.layout.maximumTokens = std::nullopt;
    const auto whole = session()->tokenView(config, 0);
    QVERIFY_RESULT(whole);
    QVERIFY(std::none_of(whole->tokens.begin(), whole->tokens.end(), [](const auto& t) { return t.cut; }));
    const auto limit = static_cast<std::int64_t>(whole->tokens.size()) - 3;
    config.layout.maximumTokens = limit;
    config.layout.truncation = truncation.toStdString();
    const auto view = session()->tokenView(config, 0);
    QVERIFY_RESULT(view);
    QCOMPARE(view->tokens.size(), whole->tokens.size());
    for (std::size_t i = 0; i < view->tokens.size(); ++i)
        QCOMPARE(view->tokens[i].id, whole->tokens[i].id);
    const auto cut =
        std::count_if(view->tokens.begin(), view->tokens.end(), [](const auto& t) { return t.cut; });
    QCOMPARE(cut, truncation == "drop-row" ? static_cast<std::ptrdiff_t>(whole->tokens.size()) : 3);
    if (truncation == "cut-right")
        QVERIFY(view->tokens.back().cut && !view->tokens.front().cut);
    if (truncation == "cut-prompt-left")
        QVERIFY(!view->tokens.back().cut && view->tokens[1].cut && view->tokens[1].role == "prompt");
    QVERIFY(!view->cutText.empty());
    const auto beyond = session()->tokenView(config, 1000);
    QVERIFY(!beyond.ok());
}

QTEST_GUILESS_MAIN(tst_step_probe)
#include "tst_step_probe.moc"
