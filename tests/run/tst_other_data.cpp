// Evaluations on other data, and the settings that choose which rows and labels a run sees.
#include "core/data/format.h"
#include "core/run/session.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

namespace {

const Finding* finding(const Report& report, const std::string& id)
{
    for (const auto& one : report.findings)
        if (one.id == id)
            return &one;
    return nullptr;
}

bool hasMetric(const Report& report, const std::string& id)
{
    const auto* metric = report.metric(id);
    return metric && metric->value;
}

} // namespace

class TestOtherData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_place = StorePlace{m_root / "store"};
        m_session = Session::create(m_place);
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
    }

    /// A file is compared with the rows that were trained on: held-out rows of the same file are no leak.
    void leaksAreThoseOfTheTrainingSide_data()
    {
        QTest::addColumn<bool>("heldOut");
        QTest::newRow("held-out rows") << true;
        QTest::newRow("rows that were trained on") << false;
    }
    void leaksAreThoseOfTheTrainingSide()
    {
        QFETCH(bool, heldOut);
        const auto run = trained(smallConfig(m_root / "rows.jsonl"));
        const auto ids = RunReader::open(m_place).value()->splitIds(run).value();
        writeRows(m_root / "part.jsonl", heldOut ? ids.second : ids.first);
        const auto evaluation = evaluate(run, "part.jsonl");
        QVERIFY_RESULT(evaluation);
        QCOMPARE(finding(m_listener.preflight, "prompt-leak") != nullptr, !heldOut);
        QVERIFY(hasMetric(evaluation->report, "baseline_auroc_bag"));
        QVERIFY(!finding(evaluation->report, "training-file-missing"));
        if (!heldOut)
            return;
        // The ladder is fitted on the training side, as during training: the same rows give the same figures.
        const auto own = m_listener.evaluations.at(m_listener.evaluations.size() - 2).report;
        for (const char* id : {"baseline_auroc_bag", "baseline_auroc_length", "baseline_auroc_position"})
            QCOMPARE(*evaluation->report.metric(id)->value, *own.metric(id)->value);
    }

    /// Without the training rows the scores are the same; what would be compared with them is left out.
    void theTrainingFileMayBeGone_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("said"); // empty = compared as ever
        QTest::newRow("there") << ""
                               << "";
        QTest::newRow("gone") << "gone"
                              << "is gone";
        QTest::newRow("other rows") << "rows"
                                    << "has changed";
        QTest::newRow("not readable as rows") << "noise"
                                              << "has changed";
    }
    void theTrainingFileMayBeGone()
    {
        QFETCH(QString, change);
        QFETCH(QString, said);
        const auto run = trained(smallConfig(m_root / "rows.jsonl"));
        std::ofstream(m_root / "part.jsonl") << rowsText(30);
        const auto before = evaluate(run, "part.jsonl");
        QVERIFY_RESULT(before);
        if (change == "gone")
            fs::remove(m_root / "rows.jsonl");
        else if (change == "rows")
            std::ofstream(m_root / "rows.jsonl") << rowsText(9);
        else if (change == "noise")
            std::ofstream(m_root / "rows.jsonl") << "no rows at all\n";
        m_listener.events.clear();
        const auto after = evaluate(run, "part.jsonl");
        QVERIFY_RESULT(after);
        QCOMPARE(after->loss, before->loss);
        QCOMPARE(*after->report.metric("accuracy")->value, *before->report.metric("accuracy")->value);
        const auto* missing = finding(after->report, "training-file-missing");
        QCOMPARE(missing != nullptr, !said.isEmpty());
        QCOMPARE(hasMetric(after->report, "baseline_auroc_bag"), said.isEmpty());
        QCOMPARE(after->verdictEvidence.find("is not known") != std::string::npos, !said.isEmpty());
        if (missing)
            QVERIFY2(missing->evidence.find(said.toStdString()) != std::string::npos,
                     missing->evidence.c_str());
        QCOMPARE(std::any_of(
                     m_listener.events.begin(), m_listener.events.end(),
                     [](const auto& event) { return event.text.find("were left out") != std::string::npos; }),
                 !said.isEmpty());
    }

    void theRunsOwnRowsNeedTheirFile()
    {
        const auto run = trained(smallConfig(m_root / "rows.jsonl"));
        fs::remove(m_root / "rows.jsonl");
        QCOMPARE(evaluate(run, "").error().code, ErrorCode::NotFound);
    }

    /// The control: labels move among the training rows, evaluation rows keep theirs.
    void shuffledLabels()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 2;
        const auto plain = trained(config);
        const auto before = m_listener;
        config.run.shuffleLabels = true;
        trained(config);
        const auto& after = m_listener;
        // The untrained model scores the same evaluation rows, but learns from other labels.
        QCOMPARE(after.evaluations.front().loss, before.evaluations.front().loss);
        QVERIFY(after.steps.front().loss != before.steps.front().loss);
        const auto counts = [](const Listener& listener) {
            return *listener.evaluations.front().report.metric("negatives")->value;
        };
        QCOMPARE(counts(after), counts(before));
    }

    void aSplitIsTakenFromARun()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 1;
        config.run.splitSeed = 5;
        const auto first = trained(config);
        config.run.splitSeed = 6;
        const auto other = trained(config);
        config.data.splitFromRun = first;
        const auto taken = trained(config);
        const auto reader = RunReader::open(m_place).value();
        const auto ids = [&](const RunId& run) { return reader->splitIds(run).value(); };
        QVERIFY(ids(first) != ids(other)); // else the test would show nothing
        QVERIFY(ids(taken) == ids(first));
        // Rows that the file does not have cannot be taken.
        std::ofstream(m_root / "rows.jsonl") << rowsText(9);
        Listener listener;
        const auto refused = m_session->train(config, listener, {});
        QCOMPARE(refused.error().code, ErrorCode::BadData);
        config.data.splitFromRun = "nobody";
        QCOMPARE(m_session->train(config, listener, {}).error().code, ErrorCode::NotFound);
    }

    void theFormatIsTold_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("told");
        QTest::newRow("recognised") << "auto" << true;
        QTest::newRow("given") << "stepwise" << false;
    }
    void theFormatIsTold()
    {
        QFETCH(QString, format);
        QFETCH(bool, told);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.data.format = format.toStdString();
        const auto preflight = m_session->probe(config, {});
        QVERIFY_RESULT(preflight);
        bool found = false;
        for (const auto& table : preflight->report.tables)
            for (const auto& row : table.rows)
                found = found || (table.id == "checks_passed" && row.front() == "format" &&
                                  row.back() == "rows.jsonl was recognised as \"stepwise\".");
        QCOMPARE(found, told);
    }

    void limitsOfRows()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 1;
        config.data.maximumRows = 40;
        config.evaluation.maximumExamples = 7;
        trained(config);
        const auto reader = RunReader::open(m_place).value();
        const auto ids = reader->splitIds(reader->findRun("last").value()).value();
        QCOMPARE(ids.first.size() + ids.second.size(), std::size_t(40));
        QCOMPARE(ids.second.size(), std::size_t(10)); // a quarter; the split does not know the other limit
        QCOMPARE(m_listener.evaluations.back().examples, std::int64_t(7));
    }

    /// The weight of wrong steps changes the loss of the same weights, and what a constant reaches with it.
    void weightOfWrongSteps()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 1;
        trained(config);
        const auto plain = m_listener.evaluations.front();
        config.objective.wrongWeight = 10.0;
        trained(config);
        const auto weighted = m_listener.evaluations.front();
        const auto value = [](const EvaluationRecord& record, const char* id) {
            return *record.report.metric(id)->value;
        };
        QCOMPARE(value(weighted, "auroc"), value(plain, "auroc")); // the same untrained model
        QVERIFY(weighted.loss > 2.0 * plain.loss);
        QVERIFY(value(weighted, "trivial_loss") > value(plain, "trivial_loss"));
        QVERIFY(value(weighted, "skill") <= 1e-6); // an untrained model is no better than a constant
        for (const auto& record : {plain, weighted}) {
            const auto* loss = record.report.metric("loss");
            QVERIFY(loss->low && loss->high);
            QVERIFY(*loss->low <= record.loss && record.loss <= *loss->high);
        }
    }

    void headFromAFile()
    {
        auto config = smallConfig(m_root / "rows.jsonl");
        config.schedule.maximumSteps = 1;
        const auto first = trained(config);
        const auto folder = m_place.artefacts() / m_listener.checkpoints.back().path;
        config.run.headSeed = 77;
        const auto other = trained(config);
        config.head.initialWeights = folder.string();
        const auto taken = trained(config);
        const auto reader = RunReader::open(m_place).value();
        QVERIFY(reader->run(taken)->headHash != reader->run(other)->headHash);
        QVERIFY(reader->run(taken)->headHash != reader->run(first)->headHash); // a step later
        config.head.initialWeights = (m_root / "nothing").string();
        Listener listener;
        QVERIFY(!m_session->train(config, listener, {}).ok());
    }

private:
    RunId trained(const ExperimentConfig& config)
    {
        m_listener = Listener();
        const auto outcome = m_session->train(config, m_listener, {});
        return outcome.ok() ? outcome->run : outcome.error().text();
    }

    Result<EvaluationRecord> evaluate(const RunId& run, const std::string& file)
    {
        return m_session->evaluate(run, 0, file.empty() ? file : (m_root / file).string(), m_listener, {});
    }

    /// The lines of rows.jsonl whose examples have these ids.
    void writeRows(const fs::path& path, const std::vector<std::string>& ids) const
    {
        const std::set<std::string> wanted(ids.begin(), ids.end());
        const auto dataset = openDataset(m_root / "rows.jsonl");
        QVERIFY_RESULT(dataset);
        std::istringstream lines(rowsText(60));
        std::ofstream file(path);
        std::string line;
        for (std::int64_t row = 0; std::getline(lines, line); ++row)
            if (wanted.contains((*dataset)->at(row).id))
                file << line << "\n";
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    StorePlace m_place;
    std::unique_ptr<Session> m_session;
    Listener m_listener;
};

QTEST_GUILESS_MAIN(TestOtherData)
#include "tst_other_data.moc"
