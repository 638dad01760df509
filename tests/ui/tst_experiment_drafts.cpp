// Drafts of the Experiment page, what "changed" means for a clone, the queue, and when memory and time are
// measured.
#include "core/config/fields.h"
#include "core/config/json.h"
#include "tests/support/test_data.h"
#include "tests/ui/experiment_fixture.h"
#include "ui/experiment/config_form.h"
#include "ui/experiment/draft_keeper.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_row.h"
#include "ui/experiment/finding_row.h"
#include "ui/experiment/form_remarks.h"
#include "ui/experiment/preflight/token_section.h"
#include "ui/threads/file_work.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <future>

using namespace assay;
using namespace assay::tests;

namespace {

Preflight checkedRows(std::int64_t rows)
{
    Preflight preflight;
    preflight.trainExamples = rows;
    preflight.trainRows = rows;
    preflight.evaluationExamples = 4;
    preflight.trainTokens = 100 * rows;
    preflight.plannedSteps = 12;
    preflight.report.metrics.push_back({"longest_row_tokens", "Longest row", 1187.0, {}, {}, {}, {}});
    return preflight;
}

Finding finding(const std::string& id, Severity severity, double number = 0.0)
{
    Finding result;
    result.id = id;
    result.severity = severity;
    result.title = id;
    result.evidence = "Evidence of " + id + ".";
    result.number = number;
    return result;
}

} // namespace

class tst_experiment_drafts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void textGoesRound_data();
    void textGoesRound();
    void damagedTextIsRefused_data();
    void damagedTextIsRefused();
    void survivesTheWindow();
    void editsComeBeforeTheDraft();
    void absentStoreIsNotCreated();
    void loadingCanBeUndone();
    void aSlowDiskHoldsNothingUp();
    void revertsToTheRun();
    void queuesBehindARun();
    void measuresWhenNeeded_data();
    void measuresWhenNeeded();
    void largeBackboneIsMeasuredOnRequest();
    void runningRunKeepsTheDevice();
    void remarksAreBesideTheirFields();
    void findingsOfferASetting();
    void passedChecksAreListed();
    void rowsAreStepped();

private:
    StorePlace place() const { return {m_folder->path().toStdString()}; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::shared_ptr<FakeSessionState> m_state;
};

void tst_experiment_drafts::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_state = std::make_shared<FakeSessionState>();
    m_state->setPreflight(checkedRows(3));
}

void tst_experiment_drafts::textGoesRound_data()
{
    QTest::addColumn<QString>("origin");
    QTest::addColumn<bool>("cloned");
    QTest::addColumn<QString>("unreadable");
    QTest::newRow("plain") << QString() << false << QString();
    QTest::newRow("cloned") << "cloned from \"ä\\n\"" << true << QString();
    QTest::newRow("with a text that is no number") << "from a.json" << false << "fast \"er\"";
}

void tst_experiment_drafts::textGoesRound()
{
    QFETCH(QString, origin);
    QFETCH(bool, cloned);
    QFETCH(QString, unreadable);
    ExperimentDraft draft{startable(), origin, std::nullopt, {}};
    draft.config.run.seed = (std::int64_t{1} << 62) + 1; // more than a double holds
    draft.config.optimiser.learningRate = 0.1 + 0.2;
    if (cloned)
        draft.baseline = startable();
    if (!unreadable.isEmpty())
        draft.unreadable["optimiser.learning_rate"] = unreadable;
    const auto read = draftFromText(draftToText(draft));
    QVERIFY_RESULT(read);
    QVERIFY(differences(read->config, draft.config).empty());
    QCOMPARE(read->config.run.seed, draft.config.run.seed);
    QCOMPARE(read->origin, origin);
    QCOMPARE(read->baseline.has_value(), cloned);
    QVERIFY(read->unreadable == draft.unreadable);
}

void tst_experiment_drafts::damagedTextIsRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QString();
    QTest::newRow("no JSON") << "{\"config\":";
    QTest::newRow("another object") << "{\"a\":1}";
    QTest::newRow("settings of the wrong type") << R"({"config":"{\"run.seed\":\"x\"}"})";
    QTest::newRow("unknown setting") << R"({"config":"{\"no.such\":1}"})";
}

void tst_experiment_drafts::damagedTextIsRefused()
{
    QFETCH(QString, text);
    QVERIFY(!draftFromText(text).ok());
}

void tst_experiment_drafts::survivesTheWindow()
{
    {
        ExperimentFixture fixture(place(), m_state);
        fixture.page.setExperiment(startable(), "cloned from x", ExperimentConfig{});
        fixture.page.form().setField("schedule.epochs", "9");
        fixture.page.form().setField("optimiser.learning_rate", "fast");
        auto* keeper = fixture.page.findChild<DraftKeeper*>();
        QVERIFY(keeper);
        QTRY_VERIFY_WITH_TIMEOUT(keeper->state().startsWith("saved"), 20000);
        // Nothing is asked of the page when it goes: what was saved is all there is.
    }
    ExperimentFixture again(place(), m_state);
    QTRY_COMPARE_WITH_TIMEOUT(again.page.form().config().schedule.epochs, std::int64_t{9}, 20000);
    auto* row = again.page.form().row("optimiser.learning_rate");
    QCOMPARE(row->editor().text(), QString("fast"));
    QVERIFY(!row->problem().isEmpty());
    QVERIFY(again.page.draft().baseline.has_value());
    QCOMPARE(again.page.draft().origin, QString("cloned from x"));
    QVERIFY2(!again.button("undo")->isEnabled(), "what was restored is the beginning");
}

void tst_experiment_drafts::editsComeBeforeTheDraft()
{
    {
        const auto editor = RunEditor::open(place());
        QVERIFY_RESULT(editor);
        ExperimentDraft draft{startable(), {}, std::nullopt, {}};
        draft.config.schedule.epochs = 5;
        QVERIFY_RESULT((*editor)->saveDraft("experiment", draftToText(draft).toStdString()));
    }
    ExperimentFixture fixture(place(), m_state);
    fixture.page.form().setField("schedule.epochs", "2");
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{2});
}

void tst_experiment_drafts::absentStoreIsNotCreated()
{
    const StorePlace absent{place().folder / "none"};
    ExperimentFixture fixture(absent, m_state);
    QTRY_VERIFY(fixture.page.ready());
    QVERIFY(!std::filesystem::exists(absent.folder));
}

void tst_experiment_drafts::loadingCanBeUndone()
{
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    const QString file = m_folder->filePath("other.json");
    fixture.page.form().setField("schedule.epochs", "7");
    fixture.page.save(file);
    fixture.page.form().setField("schedule.epochs", "3");
    fixture.page.load(file);
    QTRY_COMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{7});
    QCOMPARE(fixture.page.draft().origin, QString("from other.json"));
    fixture.button("undo")->click();
    QCOMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{3});
    QCOMPARE(fixture.page.draft().origin, QString());
}

void tst_experiment_drafts::aSlowDiskHoldsNothingUp()
{
    ExperimentFixture fixture(place(), m_state);
    const QString file = m_folder->filePath("slow.json");
    auto config = startable();
    config.schedule.epochs = 7;
    fixture.page.setExperiment(config, "");
    // The disk: nothing is read or written before it is let go.
    std::promise<void> letGo;
    auto* disk = fixture.page.findChild<FileWork*>();
    const auto stand = [disk](std::future<void> until) {
        disk->run(
            [until = std::make_shared<std::future<void>>(std::move(until))] { return (until->wait(), 0); },
            [](int) {});
    };
    stand(letGo.get_future());
    fixture.page.save(file);
    fixture.page.form().setField("schedule.epochs", "8"); // what is saved is what was there when it was asked
    QTRY_VERIFY(fixture.page.message().startsWith("Saving"));
    QVERIFY(!QFile::exists(file) && !fixture.page.ready());
    letGo.set_value();
    QTRY_COMPARE(fixture.page.message(), "Saved as " + file);
    QCOMPARE(readExperiment(file.toStdString())->schedule.epochs, std::int64_t{7});

    letGo = {};
    stand(letGo.get_future());
    fixture.page.load(file);
    QTRY_COMPARE(fixture.page.message(), QString("Reading slow.json…"));
    QCOMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{8});
    letGo.set_value();
    QTRY_COMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{7});
    QTRY_COMPARE(fixture.page.message(), QString());
}

void tst_experiment_drafts::revertsToTheRun()
{
    ExperimentFixture fixture(place(), m_state);
    auto run = startable();
    run.schedule.epochs = 6;
    fixture.page.setExperiment(run, "cloned from x", run);
    auto* row = fixture.page.form().row("schedule.epochs");
    QVERIFY2(!row->isChanged(), "a clone begins without a change");
    fixture.page.form().setField("schedule.epochs", "8");
    QVERIFY(row->isChanged());
    Q_EMIT row->revertAsked();
    QCOMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{6});
    // Against the defaults instead.
    fixture.page.form().setBaseline(ExperimentConfig{}, "default");
    QVERIFY(row->isChanged());
    Q_EMIT row->revertAsked();
    QCOMPARE(fixture.page.form().config().schedule.epochs, std::int64_t{1});
}

void tst_experiment_drafts::queuesBehindARun()
{
    m_state->steps = 1000;
    m_state->stepMilliseconds = 5;
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    QVERIFY(fixture.start()->isEnabled());
    QVERIFY2(!fixture.button("queue")->isEnabled(), "nothing to wait for");
    fixture.start()->click();
    QTRY_VERIFY(!fixture.controller.currentRun().empty());
    QTRY_VERIFY(fixture.button("queue")->isEnabled());
    QVERIFY(!fixture.start()->isEnabled());
    fixture.button("queue")->click();
    QCOMPARE(fixture.controller.waiting(), std::size_t{1});
    m_state->steps = 1;
    QTRY_COMPARE_WITH_TIMEOUT(m_state->trained.load(), 2, 20000);
}

void tst_experiment_drafts::measuresWhenNeeded_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("again");
    QTest::newRow("rows per batch") << "batch.examples"
                                    << "3" << true;
    QTest::newRow("recomputed activations") << "compute.activation_checkpointing"
                                            << "true" << true;
    QTest::newRow("evaluations") << "evaluation.every_steps"
                                 << "7" << true;
    QTest::newRow("learning rate") << "optimiser.learning_rate"
                                   << "0.5" << false;
    QTest::newRow("name") << "run.name"
                          << "other" << false;
    QTest::newRow("seed") << "run.seed"
                          << "4" << false;
}

void tst_experiment_drafts::measuresWhenNeeded()
{
    QFETCH(QString, id);
    QFETCH(QString, value);
    QFETCH(bool, again);
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(m_state->measured.load(), 1);
    fixture.page.form().setField(id, value);
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(m_state->measured.load(), again ? 2 : 1);
    QVERIFY(fixture.start()->isEnabled());
}

void tst_experiment_drafts::largeBackboneIsMeasuredOnRequest()
{
    auto preflight = checkedRows(3);
    preflight.weightBytes = std::int64_t{8} << 30;
    m_state->setPreflight(preflight);
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(m_state->measured.load(), 0);
    QVERIFY(fixture.button("probe-again")->isEnabled());
    fixture.button("probe-again")->click();
    QTRY_COMPARE(m_state->measured.load(), 1);
}

void tst_experiment_drafts::runningRunKeepsTheDevice()
{
    m_state->steps = 1000;
    m_state->stepMilliseconds = 5;
    ExperimentFixture fixture(place(), m_state);
    fixture.controller.start(startable());
    QTRY_VERIFY(m_state->training.load());
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(m_state->measured.load(), 0);
    QVERIFY(!fixture.button("probe-again")->isEnabled());
    fixture.controller.stopAll();
    QTRY_COMPARE_WITH_TIMEOUT(m_state->measured.load(), 1, 20000);
}

void tst_experiment_drafts::remarksAreBesideTheirFields()
{
    auto preflight = checkedRows(128);
    preflight.report.findings = {finding("truncation-loss", Severity::Warning),
                                 finding("warm-up-longer-than-run", Severity::Note)};
    const auto remarks = formRemarks(startable(), preflight);
    QCOMPARE(remarks.hints.at("data.train"), QString("128 examples"));
    QCOMPARE(remarks.hints.at("data.evaluation_share"), QString("4 examples"));
    QCOMPARE(remarks.hints.at("layout.maximum_tokens"), QString("longest row 1,187"));
    QCOMPARE(remarks.hints.at("schedule.epochs"), QString("12 steps"));
    QCOMPARE(remarks.notes.size(), std::size_t{1}); // notes of the report are no warnings
    for (const auto& [id, text] : remarks.hints)
        QVERIFY2(findField(id.toStdString()), qPrintable(id));
    m_state->setPreflight(preflight);
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    auto* row = fixture.page.form().row("layout.maximum_tokens");
    QCOMPARE(row->hint(), QString("longest row 1,187"));
    QVERIFY(row->note().contains("truncation-loss"));
}

void tst_experiment_drafts::findingsOfferASetting()
{
    auto preflight = checkedRows(3);
    preflight.report.findings = {finding("truncation-loss", Severity::Warning)};
    m_state->setPreflight(preflight);
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    auto* list = fixture.page.findChild<FindingList*>();
    auto* offer = list->findChild<QPushButton*>();
    QVERIFY(offer);
    offer->click();
    QCOMPARE(*fixture.page.form().config().layout.maximumTokens, std::int64_t{1187});
    QVERIFY(fixture.button("undo")->isEnabled());
}

void tst_experiment_drafts::passedChecksAreListed()
{
    Report report;
    report.findings = {finding("a", Severity::Note), finding("b", Severity::Red)};
    report.tables.push_back({"checks_passed",
                             "Passed",
                             {"id", "check", "evidence"},
                             {{"prompt-leak", "Leakage", "None."}, {"x", "Duplicates", "None."}}});
    FindingList list;
    list.setReport(report);
    QCOMPARE(list.count(), 2);
    QCOMPARE(list.passed(), 2);
    QCOMPARE(list.findChildren<FindingRow*>().size(), 4);
    list.setReport({});
    QCOMPARE(list.findChildren<FindingRow*>().size(), 0);
}

void tst_experiment_drafts::rowsAreStepped()
{
    ExperimentFixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    auto* section = fixture.page.findChild<TokenSection*>();
    QCOMPARE(section->row(), 0);
    fixture.button("next-row")->click();
    QTRY_VERIFY(!section->pending());
    QCOMPARE(section->row(), 1);
    fixture.button("next-row")->click();
    QTRY_VERIFY(!section->pending());
    QVERIFY2(!fixture.button("next-row")->isEnabled(), "three rows");
}

QTEST_MAIN(tst_experiment_drafts)
#include "tst_experiment_drafts.moc"
