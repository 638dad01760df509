// The Run page of a run on preference pairs: its own plots and read-out, nothing about steps.
#include "core/base/random.h"
#include "core/config/json.h"
#include "core/eval/pairs/pair_report.h"
#include "tests/support/idle_session.h"
#include "tests/support/temporary_run_store.h"
#include "tests/support/test_data.h"
#include "ui/actions.h"
#include "ui/models/run_curves.h"
#include "ui/pages/run/read_out_pane.h"
#include "ui/pages/run/run_plots.h"
#include "ui/pages/run_details.h"
#include "ui/pages/single_run_page.h"
#include "ui/plots/histogram_chart.h"
#include "ui/plots/line_chart.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/theme.h"

#include <QPushButton>
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

using namespace assay;

namespace {

/// 200 pairs with this mean margin.
EvaluationRecord evaluation(std::int64_t step, double margin)
{
    RandomStream random(5, "pairs of a page");
    EvaluatedSet set;
    for (std::int32_t i = 0; i < 200; ++i) {
        set.examples.push_back({std::to_string(i), std::to_string(i), i, 2});
        const auto longer = static_cast<std::int32_t>(random.between(-20, 25));
        const double gap = margin + random.normal();
        for (std::int32_t side = 0; side < 2; ++side)
            set.predictions.push_back({.example = i,
                                       .readOut = side,
                                       .step = -1,
                                       .score = static_cast<float>(side == 0 ? gap : 0.0),
                                       .label = side == 0 ? 1.0F : 0.0F,
                                       .supervised = true,
                                       .tokens = side == 0 ? 100 + longer : 100});
    }
    EvaluationRecord record;
    record.step = step;
    record.report = pairReport(set);
    record.loss = *record.report.metric("loss")->value;
    record.examples = record.readOuts = 200;
    record.verdictId = "learning";
    record.verdictBadge = "learning";
    record.verdictSentence = "Learned to tell chosen from rejected answers.";
    return record;
}

} // namespace

class PairRunPageTest : public QObject, private tests::TemporaryRunStore
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        new Theme(*qApp, ThemeChoice::Light);
        QVERIFY_RESULT(openStore());
        NewRun run;
        run.name = "preferences";
        run.task = "Pairs";
        run.plannedSteps = 60;
        run.configJson = configToJson({});
        m_run = m_writer->beginRun(run).value();
        for (std::int64_t step = 0; step <= 60; step += 20)
            QVERIFY_RESULT(
                m_writer->appendEvaluation(m_run, evaluation(step, 0.02 * static_cast<double>(step))));
        for (std::int64_t step = 1; step <= 60; ++step) {
            StepRecord record;
            record.step = step;
            record.loss = 0.7 - 0.005 * static_cast<double>(step);
            record.gradientNorm = 1.0;
            QVERIFY_RESULT(m_writer->appendStep(m_run, record));
        }
        QVERIFY_RESULT(m_writer->flush());
        QVERIFY_RESULT(m_writer->setStatus(m_run, RunStatus::Finished));
    }

    void plotsAreThoseOfPairs()
    {
        QWidget window;
        StoreSource source(m_place);
        RunController controller(m_place, [] { return std::make_unique<tests::IdleSession>(); });
        Actions actions(&window);
        SingleRunPage page(source, controller, actions, &window);
        window.resize(1380, 860);
        page.resize(window.size());
        window.show();
        page.showRun(QString::fromStdString(m_run), 0);
        QTRY_VERIFY(page.ready());
        auto& plots = page.plots();
        QCOMPARE(plots.accuracyChart()->accessibleName(), QStringLiteral("Pair accuracy"));
        for (QWidget* chart : std::initializer_list<QWidget*>{plots.accuracyChart(), plots.rankingChart(),
                                                              plots.histogramChart(), plots.positionChart()})
            QVERIFY2(!chart->accessibleName().contains(QLatin1String("tep")) &&
                         !chart->accessibleName().contains(QLatin1String("AUROC")),
                     qPrintable(chart->accessibleName()));
        QCOMPARE(plots.lossChart()->baselines().front().text, QStringLiteral("trivial 0.693"));
        const auto& baselines = plots.accuracyChart()->baselines();
        QCOMPARE(baselines.size(), std::size_t{2});
        QCOMPARE(baselines[0].value, 0.5);
        QVERIFY(baselines[1].text.startsWith(QLatin1String("null: longest")));
        QVERIFY(!plots.accuracyChart()->lines().front().low.empty());
        QVERIFY(plots.rankingChart()->lines()[1].rightAxis); // ties
        const auto &right = plots.histogramChart()->correct(), &wrong = plots.histogramChart()->wrong();
        const double sum = std::accumulate(right.begin(), right.end(), 0.0) +
                           std::accumulate(wrong.begin(), wrong.end(), 0.0);
        QVERIFY(std::abs(sum - 100.0) < 1e-9); // together, unlike the two classes of steps
        QVERIFY(!plots.positionChart()->lines().empty());
        QVERIFY(plots.positionChart()->lines().front().x.front() < 0.0); // chosen is shorter
        QCOMPARE(page.findChild<QPushButton*>(QStringLiteral("verdict.steps"))->text(),
                 QStringLiteral("Show these pairs"));

        const auto& model = page.readOut().model();
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, 0).data().toString();
        QVERIFY(names.contains(QStringLiteral("Evaluation, 200 pairs")));
        QVERIFY(names.contains(QStringLiteral("Pair accuracy")));
        QVERIFY(names.contains(QStringLiteral("Tied pairs")));
        QVERIFY(!names.contains(QStringLiteral("AUROC")));
        QVERIFY(!names.contains(QStringLiteral("First-error F1")));
    }

    void theRunsPageShowsItsMetrics()
    {
        const auto overview = readRunOverview(reader(), m_run);
        QVERIFY_RESULT(overview);
        QCOMPARE(overview->plots[1].title, QStringLiteral("Pair accuracy"));
        QCOMPARE(overview->plots[2].title, QStringLiteral("Mean margin"));
        QVERIFY(overview->plots[1].baselineName == QLatin1String("best null"));
    }

    void curvesKeepGapsAndBands()
    {
        auto undefined = evaluation(20, 1.0);
        for (auto& metric : undefined.report.metrics)
            if (metric.id == "pair_accuracy")
                metric.value.reset();
        const std::vector<EvaluationRecord> evaluations{evaluation(0, 0.0), undefined};
        QVERIFY(std::isnan(pairAccuracyCurves(evaluations, {}, {}).lines.front().y[1]));
        const auto profile = lengthGapCurves(evaluations.front());
        QCOMPARE(profile.lines.front().low.size(), profile.lines.front().x.size());
        QCOMPARE(profile.baselines.front().value, 0.5);
        QVERIFY(lengthGapCurves(EvaluationRecord{}).lines.empty());
    }

private:
    RunId m_run;
};

QTEST_MAIN(PairRunPageTest)
#include "tst_pair_run_page.moc"
