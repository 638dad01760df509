// The generated form, its conditions and problems, and what keeps an experiment from starting.
#include "core/config/json.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "tests/ui/experiment_fixture.h"
#include "ui/experiment/config_form.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_row.h"
#include "ui/experiment/finding_row.h"
#include "ui/experiment/form_group.h"
#include "ui/experiment/preflight_figures.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A value of the field that is not its default.
QString otherValue(const Field& field)
{
    switch (field.type) {
    case FieldType::Boolean:
        return std::get<bool>(defaultValue(field)) ? "false" : "true";
    case FieldType::Integer: {
        if (std::holds_alternative<std::monostate>(defaultValue(field)))
            return QStringLiteral("8");
        const auto value = std::get<std::int64_t>(defaultValue(field));
        return QString::number(field.maximum && static_cast<double>(value + 1) > *field.maximum ? value - 1
                                                                                                : value + 1);
    }
    case FieldType::Number: {
        const double value = std::get<double>(defaultValue(field));
        const double high = field.maximum.value_or(value + 1.0), low = field.minimum.value_or(0.0);
        return QString::number(value == (high + low) / 2 ? (high + 2 * low) / 3 : (high + low) / 2, 'g', 17);
    }
    case FieldType::Text:
        return QStringLiteral("a\\n\\tb \\\\ c");
    case FieldType::Path:
        return QStringLiteral("some/where, with comma.jsonl");
    case FieldType::Choice:
        return qt(field.choices.back() == std::get<std::string>(defaultValue(field)) ? field.choices.front()
                                                                                     : field.choices.back());
    case FieldType::TextList:
        return QStringLiteral("one,two");
    case FieldType::NumberList:
        return QStringLiteral("0.5,0.25");
    }
    return {};
}

Preflight checked(Severity severity)
{
    Preflight preflight;
    preflight.trainExamples = 3;
    Finding finding;
    finding.id = "one-class-only";
    finding.severity = severity;
    finding.title = "One class only";
    finding.evidence = "All 12 labels are correct.";
    preflight.report.findings.push_back(finding);
    return preflight;
}

} // namespace

class tst_experiment_page : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyFieldHasAControl();
    void everyValueGoesRound_data();
    void everyValueGoesRound();
    void conditionsHideRows_data();
    void conditionsHideRows();
    void changedAndRevert();
    void unreadableTextIsAProblem();
    void searchNarrows_data();
    void searchNarrows();
    void foldedGroupsShowValues();
    void checksDecideTheStart_data();
    void checksDecideTheStart();
    void overrideIsRecorded();
    void invalidSettingsBlock();
    void editsDuringAProbeCancelIt();
    void undoGoesBack();
    void clonesARun();
    void startsFromACheckpoint();
    void loadsAndSaves();
    void copiesTheCommand();
    void censusIsRead();

private:
    using Fixture = ExperimentFixture;

    StorePlace place() const { return {m_folder.path().toStdString()}; }

    QTemporaryDir m_folder;
    std::shared_ptr<FakeSessionState> m_state;
};

void tst_experiment_page::init()
{
    m_state = std::make_shared<FakeSessionState>();
    m_state->setPreflight(checked(Severity::Note));
}

void tst_experiment_page::everyFieldHasAControl()
{
    ConfigForm form;
    std::size_t rows = 0;
    for (const auto* group : form.groups())
        rows += group->rows().size();
    QCOMPARE(rows, experimentFields().size());
    for (const auto& field : experimentFields()) {
        auto* control = form.findChild<QWidget*>(qt(field.id));
        QVERIFY2(control, qPrintable(qt(field.id)));
        QCOMPARE(control->accessibleName(), qt(field.label));
        QVERIFY2(control->focusPolicy() & Qt::TabFocus, qPrintable(qt(field.id)));
        QVERIFY2(form.row(qt(field.id))->toolTip().contains(qt(field.id)), qPrintable(qt(field.id)));
    }
}

void tst_experiment_page::everyValueGoesRound_data()
{
    QTest::addColumn<QString>("id");
    for (const auto& field : experimentFields())
        QTest::newRow(std::string(field.id).c_str()) << qt(field.id);
}

void tst_experiment_page::everyValueGoesRound()
{
    QFETCH(QString, id);
    const Field& field = *findField(id.toStdString());
    const QString text = otherValue(field);
    ConfigForm form;
    QSignalSpy changed(&form, &ConfigForm::configChanged);
    form.setField(id, text);
    QCOMPARE(changed.count(), 1);
    const auto expected = parseField(field, text.toStdString());
    QVERIFY_RESULT(expected);
    QVERIFY(field.read(form.config()) == *expected);
    QVERIFY(!isDefault(form.config(), field));
    QVERIFY(form.row(id)->isChanged());
    // Another form filled from the value shows it and gives it back.
    ConfigForm other;
    other.setConfig(form.config());
    other.setField(id, other.row(id)->editor().text());
    QVERIFY(field.read(other.config()) == *expected);
}

void tst_experiment_page::conditionsHideRows_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("value");
    for (const auto& field : experimentFields())
        if (field.condition)
            for (const auto value : field.condition->values)
                QTest::addRow("%s with %s", std::string(field.id).c_str(), std::string(value).c_str())
                    << qt(field.id) << qt(value);
}

void tst_experiment_page::conditionsHideRows()
{
    QFETCH(QString, id);
    QFETCH(QString, value);
    const Field& field = *findField(id.toStdString());
    const Field& decides = *findField(field.condition->field);
    ConfigForm form;
    form.setField(qt(decides.id), value);
    QVERIFY(!form.row(id)->isHidden());
    // Any value that the condition does not name hides it, and what is hidden is no problem.
    const bool listed = decides.type == FieldType::Choice || decides.type == FieldType::Boolean;
    const QString other = listed ? QString() : otherValue(decides);
    if (decides.type == FieldType::Boolean) {
        form.setField(qt(decides.id), value == "true" ? "false" : "true");
        QVERIFY(form.row(id)->isHidden());
    }
    for (const auto choice : decides.choices) {
        const auto& values = field.condition->values;
        const bool named = std::find(values.begin(), values.end(), choice) != values.end();
        form.setField(qt(decides.id), qt(choice));
        QCOMPARE(form.row(id)->isHidden(), !named);
    }
    if (!other.isEmpty()) {
        form.setField(qt(decides.id), other);
        QVERIFY(form.row(id)->isHidden());
    }
    for (const auto& problem : form.problems())
        QVERIFY(isActive(form.config(), *findField(problem.id)));
}

void tst_experiment_page::changedAndRevert()
{
    ConfigForm form;
    form.setField("optimiser.learning_rate", "0.5");
    auto* row = form.row("optimiser.learning_rate");
    QVERIFY(row->isChanged());
    Q_EMIT row->revertAsked();
    QVERIFY(!row->isChanged());
    QCOMPARE(form.config().optimiser.learningRate, ExperimentConfig{}.optimiser.learningRate);
}

void tst_experiment_page::unreadableTextIsAProblem()
{
    ConfigForm form;
    form.setConfig(startable());
    QVERIFY(form.problems().empty());
    form.setField("optimiser.learning_rate", "fast");
    QCOMPARE(form.problems().size(), std::size_t{1});
    QVERIFY(!form.allReadable());
    QVERIFY(form.row("optimiser.learning_rate")->problem().contains("0 to 10"));
    QVERIFY(form.findChild<QWidget*>("optimiser.learning_rate")->property("invalid").toBool());
    form.setField("optimiser.learning_rate", "0.01");
    QVERIFY(form.problems().empty());
    QVERIFY(form.row("optimiser.learning_rate")->problem().isEmpty());
}

void tst_experiment_page::searchNarrows_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("shown");
    QTest::addColumn<QStringList>("hidden");
    const QStringList warmup{"schedule.warmup_steps"}, betas{"optimiser.betas"}, name{"run.name"};
    QTest::newRow("label") << "Warm-up" << warmup << betas + name;
    QTest::newRow("case does not matter") << "wARM" << warmup << betas + name;
    QTest::newRow("id") << "optimiser.betas" << betas << warmup + name;
    QTest::newRow("part of an id") << "_steps" << warmup << betas + name;
    QTest::newRow("help") << "rate rises from 0" << warmup << betas + name;
    QTest::newRow("choice") << "cut-right" << QStringList{"layout.truncation"} << betas + warmup;
    QTest::newRow("words in any order") << "steps  rate" << warmup << name;
    QTest::newRow("what a condition hides stays hidden")
        << "rotary" << QStringList{} << QStringList{"backbone.rope_theta"};
    QTest::newRow("nothing") << "zebra" << QStringList{} << betas + warmup + name;
    QTest::newRow("blanks only") << "  " << betas + warmup + name << QStringList{};
}

void tst_experiment_page::searchNarrows()
{
    QFETCH(QString, text);
    QFETCH(QStringList, shown);
    QFETCH(QStringList, hidden);
    ConfigForm form;
    form.setSearch(text);
    for (const auto& id : shown)
        QVERIFY2(!form.row(id)->isHidden(), qPrintable(id));
    for (const auto& id : hidden)
        QVERIFY2(form.row(id)->isHidden(), qPrintable(id));
    form.setSearch("");
    QVERIFY(!form.row("run.name")->isHidden());
}

void tst_experiment_page::foldedGroupsShowValues()
{
    ConfigForm form;
    auto* schedule = *std::find_if(form.groups().begin(), form.groups().end(),
                                   [](auto* g) { return g->id() == "schedule"; });
    schedule->setFolded(true);
    QVERIFY(schedule->rows().front()->isHidden() || !schedule->rows().front()->isVisibleTo(&form));
    form.showGroup("schedule");
    QVERIFY(!schedule->isFolded());
}

void tst_experiment_page::checksDecideTheStart_data()
{
    QTest::addColumn<int>("severity");
    QTest::addColumn<bool>("starts");
    QTest::newRow("note") << static_cast<int>(Severity::Note) << true;
    QTest::newRow("warning") << static_cast<int>(Severity::Warning) << true;
    QTest::newRow("red") << static_cast<int>(Severity::Red) << false;
}

void tst_experiment_page::checksDecideTheStart()
{
    QFETCH(int, severity);
    QFETCH(bool, starts);
    m_state->setPreflight(checked(static_cast<Severity>(severity)));
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QVERIFY2(!fixture.start()->isEnabled(), "not before the labels are checked");
    QTRY_VERIFY(fixture.page.ready());
    QCOMPARE(m_state->probed.load(), 1);
    QCOMPARE(fixture.start()->isEnabled(), starts);
    QCOMPARE(fixture.page.findChild<FindingList*>()->count(), 1);
    QSignalSpy finished(&fixture.controller, &RunController::runFinished);
    fixture.page.start();
    if (starts)
        QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(m_state->trained.load(), starts ? 1 : 0);
}

void tst_experiment_page::overrideIsRecorded()
{
    m_state->setPreflight(checked(Severity::Red));
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.page.ready());
    QVERIFY(!fixture.start()->isEnabled());
    fixture.page.form().setField("run.override_reason", "planted on purpose");
    QVERIFY(fixture.start()->isEnabled());
    QTest::qWait(700);
    QVERIFY2(m_state->probed.load() == 1, "a reason changes no check");
    QSignalSpy finished(&fixture.controller, &RunController::runFinished);
    fixture.page.start();
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(m_state->trainedConfig().run.overrideReason, std::string("planted on purpose"));
}

void tst_experiment_page::invalidSettingsBlock()
{
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_VERIFY(fixture.start()->isEnabled());
    fixture.page.form().setField("schedule.epochs", "0");
    QVERIFY(!fixture.start()->isEnabled());
    QVERIFY(fixture.page.blockedReason().contains("1 invalid"));
    fixture.page.start();
    QTest::qWait(50);
    QCOMPARE(m_state->trained.load(), 0);
    fixture.page.form().setField("schedule.epochs", "2");
    QTRY_VERIFY(fixture.start()->isEnabled());
}

void tst_experiment_page::editsDuringAProbeCancelIt()
{
    m_state->probeMilliseconds = 400;
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    QTRY_COMPARE(m_state->probed.load(), 1);
    fixture.page.form().setField("layout.maximum_tokens", "128");
    QTRY_COMPARE(m_state->probesCancelled.load(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.page.ready(), 10000);
    QCOMPARE(m_state->probed.load(), 2);
    QVERIFY(fixture.start()->isEnabled());
}

void tst_experiment_page::undoGoesBack()
{
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    auto& form = fixture.page.form();
    form.setField("run.seed", "1");
    form.setField("run.seed", "12");
    form.setField("schedule.epochs", "4");
    auto* undo = fixture.page.findChild<QPushButton*>("undo");
    QVERIFY(undo && undo->isEnabled());
    undo->click();
    QCOMPARE(form.config().schedule.epochs, std::int64_t{1});
    QCOMPARE(form.config().run.seed, std::int64_t{12});
    undo->click(); // both edits of the seed are one step
    QCOMPARE(form.config().run.seed, std::int64_t{0});
    QVERIFY(!undo->isEnabled());
}

void tst_experiment_page::clonesARun()
{
    const QString folder = m_folder.filePath("store");
    const auto store = fillSampleStore(folder.toStdString());
    QVERIFY_RESULT(store);
    Fixture fixture(store->place, m_state);
    fixture.page.showRun(QString::fromStdString(store->full), 0);
    QTRY_COMPARE(QString::fromStdString(fixture.page.form().config().run.parent),
                 QString::fromStdString(store->full));
    const auto reader = RunReader::open(store->place);
    QVERIFY_RESULT(reader);
    const auto details = (*reader)->run(store->full);
    QVERIFY_RESULT(details);
    const auto config = configFromJson(details->configJson);
    QVERIFY_RESULT(config);
    for (const auto& difference : differences(*config, fixture.page.form().config()))
        QVERIFY2(difference.id == "run.name" || difference.id == "run.parent", difference.id.c_str());
}

void tst_experiment_page::startsFromACheckpoint()
{
    const auto store = fillSampleStore(m_folder.filePath("origin").toStdString());
    QVERIFY_RESULT(store);
    Fixture fixture(store->place, m_state);
    fixture.page.showStartFrom(QString::fromStdString(store->full), 257);
    QTRY_COMPARE(QString::fromStdString(fixture.page.form().config().backbone.checkpoint),
                 QString::fromStdString(store->full + ":257"));
    const auto& config = fixture.page.form().config();
    QCOMPARE(config.backbone.source, std::string("checkpoint"));
    QVERIFY(config.head.initialWeights.empty());
    QVERIFY(config.run.name.ends_with("-from-257"));
}

void tst_experiment_page::loadsAndSaves()
{
    Fixture fixture(place(), m_state);
    auto config = startable();
    config.data.train = m_folder.filePath("rows.jsonl").toStdString();
    config.schedule.epochs = 7;
    fixture.page.setExperiment(config, "");
    const QString file = m_folder.filePath("saved.json");
    fixture.page.save(file);
    QTRY_VERIFY(fixture.page.ready());
    const auto read = readExperiment(file.toStdString());
    QVERIFY_RESULT(read);
    QVERIFY(differences(*read, config).empty());
    fixture.page.setExperiment(ExperimentConfig{}, "");
    fixture.page.load(file);
    QTRY_VERIFY(differences(fixture.page.form().config(), config).empty());
    fixture.page.load(m_folder.filePath("absent.json"));
    QTRY_VERIFY(fixture.page.message().contains("absent.json"));
    QVERIFY(differences(fixture.page.form().config(), config).empty());
    fixture.page.save(m_folder.filePath("no/such/folder.json"));
    QTRY_VERIFY(fixture.page.message().contains("folder.json"));
    QVERIFY(!fixture.page.message().startsWith("Saved"));
}

void tst_experiment_page::copiesTheCommand()
{
    Fixture fixture(place(), m_state);
    fixture.page.setExperiment(startable(), "");
    fixture.page.copyAsCommand();
    QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromStdString(configAsCommand(startable())));
}

void tst_experiment_page::censusIsRead()
{
    Report report;
    QVERIFY(!preflightFigures(report).census);
    report.tables.push_back({"label_census",
                             "Labels",
                             {"", "train", "evaluation"},
                             {{"labelled correct", "90", "9"},
                              {"labelled wrong", "8", "1"},
                              {"without a label", "2", "0"},
                              {"supervised positions", "98", "10"},
                              {"share correct", "0.918", "0.900"}}});
    report.tables.push_back({"base_rate_by_position",
                             "Base rate by step",
                             {"step", "labels", "mean label"},
                             {{"1", "50", "0.960"}, {"2", "48", "0.875"}}});
    report.curves.push_back({"base_rate_by_position", "base rate", {1, 2}, {0.96, 0.875}});
    const auto figures = preflightFigures(report);
    QVERIFY(figures.census.has_value());
    QCOMPARE(figures.census->correct, 90.0);
    QCOMPARE(figures.census->unsupervised, 2.0);
    QCOMPARE(*figures.census->evaluationWrong, 1.0);
    QCOMPARE(figures.baseRate, 0.918);
    QCOMPARE(figures.counts, (std::vector<double>{50, 48}));
    QCOMPARE(figures.rates, (std::vector<double>{0.96, 0.875}));
}

QTEST_MAIN(tst_experiment_page)
#include "tst_experiment_page.moc"
