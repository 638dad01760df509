// Exports that carry temperature, centre, threshold and aggregation: fitted, recorded, applied when they are
// read.
#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/data/format.h"
#include "core/run/exports/export_model.h"
#include "core/run/scoring/batch_scorer.h"
#include "core/run/session.h"
#include "tests/support/small_pairs.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace assay;
using namespace assay::tests;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

Json jsonOf(const fs::path& path)
{
    const auto text = readFile(path);
    return text ? Json::parse(*text, nullptr, false) : Json();
}

double sigmoid(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

std::vector<RowScores> scored(BatchScorer& scorer, const fs::path& file)
{
    const auto data = openDataset(file.string(), {});
    std::vector<Example> rows;
    for (std::int64_t i = 0; data && i < (*data)->size(); ++i)
        rows.push_back((*data)->at(i));
    std::vector<RowScores> scores;
    for (auto& answer : scorer.score(rows))
        if (answer.ok())
            scores.push_back(std::move(answer).value());
    return scores;
}

} // namespace

class TestCalibratedExports : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_root = m_folder.path().toStdString();
        std::ofstream(m_root / "rows.jsonl") << rowsText(60);
        std::ofstream(m_root / "pairs.jsonl") << pairsText(60);
        std::ofstream(m_root / "reference.jsonl") << pairsText(9);
        auto config = smallConfig(m_root / "rows.jsonl");
        config.evaluation.threshold = 0.6;
        m_steps = trained(config);
        auto pairs = smallConfig(m_root / "pairs.jsonl");
        pairs.layout.name = "pairwise";
        m_pairs = trained(pairs);
    }

    void init() { m_out = m_root / ("out-" + std::to_string(++m_count)); }

    void stepsAreScaled()
    {
        const auto report = exported(m_steps, {.temperature = "2.5", .aggregation = "min"});
        QVERIFY_RESULT(report);
        const auto plain = openBatchScorer(store(), m_steps, std::nullopt);
        const auto scorer = openBatchScorer(m_out);
        QVERIFY_RESULT(scorer);
        QVERIFY((*plain)->scale().text().empty());
        QVERIFY((*scorer)->scale() == report->record.scale);
        // The threshold moves with the temperature: the same steps are wrong.
        const double threshold = sigmoid(std::log(0.6 / 0.4) / 2.5);
        QVERIFY(std::abs(*(*scorer)->scale().threshold - threshold) < 1e-12);
        const auto before = scored(**plain, m_root / "rows.jsonl"),
                   after = scored(**scorer, m_root / "rows.jsonl");
        QCOMPARE(after.size(), std::size_t{60});
        for (std::size_t i = 0; i < after.size(); ++i) {
            double least = 1.0;
            for (std::size_t s = 0; s < after[i].values.size(); ++s) {
                const auto& value = *after[i].values[s];
                QCOMPARE(value.score, before[i].values[s]->score);
                QVERIFY(std::abs(value.reward - sigmoid(value.score / 2.5)) < 1e-12);
                QVERIFY(value.correct.has_value());
                QCOMPARE(*value.correct, before[i].values[s]->reward >= 0.6);
                least = std::min(least, value.reward);
            }
            QCOMPARE(*after[i].reward, least);
            QVERIFY(!before[i].reward);
        }
        // Handed on once more, it stays.
        const auto again = exportModel(store(), m_out.string(), std::nullopt, m_out.string() + "-2", {});
        QVERIFY_RESULT(again);
        QVERIFY(again->record.scale == report->record.scale);
    }

    void fits()
    {
        const auto report = exported(m_steps, {.temperature = "fit", .threshold = "fit"});
        QVERIFY_RESULT(report);
        const auto record = jsonOf(m_out / "export.json");
        QCOMPARE(record["temperature"].get<double>(), report->record.scale.temperature);
        QVERIFY(record["temperature"].get<double>() != 1.0);
        const auto from = record["calibration"]["temperature"].get<std::string>();
        QVERIFY2(from.find("labelled steps of the run's evaluation rows") != std::string::npos, from.c_str());
        QVERIFY(record["calibration"]["threshold"].get<std::string>().find("balanced accuracy") !=
                std::string::npos);
        QVERIFY(*report->record.scale.threshold > 0.0 && *report->record.scale.threshold < 1.0);
    }

    void pairsAreCentred_data()
    {
        QTest::addColumn<QString>("from");
        QTest::newRow("a file") << "reference.jsonl";
        QTest::newRow("the run's rows") << "rows";
    }
    void pairsAreCentred()
    {
        QFETCH(QString, from);
        const bool file = from != QLatin1String("rows");
        const auto report =
            exported(m_pairs, {.temperature = "0.5",
                               .centre = file ? (m_root / from.toStdString()).string() : from.toStdString()});
        QVERIFY_RESULT(report);
        const auto plain = openBatchScorer(store(), m_pairs, std::nullopt);
        const auto scorer = openBatchScorer(m_out);
        QVERIFY_RESULT(scorer);
        const auto reference = scored(**plain, m_root / "reference.jsonl");
        double sum = 0.0;
        std::size_t count = 0;
        for (const auto& row : reference)
            for (const auto& value : row.values) {
                sum += value->score;
                ++count;
            }
        const double centre = report->record.scale.centre;
        QVERIFY(centre != 0.0);
        if (file)
            QVERIFY(std::abs(centre - sum / static_cast<double>(count)) < 1e-6);
        const auto after = scored(**scorer, m_root / "pairs.jsonl");
        for (const auto& row : after)
            for (const auto& value : row.values) {
                QVERIFY(std::abs(value->reward - (value->score - centre) / 0.5) < 1e-12);
                QVERIFY(!value->correct);
            }
        const auto text = jsonOf(m_out / "export.json")["calibration"]["centre"].get<std::string>();
        QVERIFY2(text.find(file ? "18 answers of reference.jsonl" : "of the run's evaluation rows") !=
                     std::string::npos,
                 text.c_str());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("run");
        QTest::addColumn<QStringList>("request"); // temperature, centre, aggregation, threshold
        QTest::addColumn<QString>("where");
        const auto row = [](const char* name, const char* run, QStringList request, const char* where) {
            QTest::newRow(name) << QString::fromLatin1(run) << request << QString::fromLatin1(where);
        };
        row("no number", "steps", {"warm", "", "", ""}, "--temperature");
        row("zero", "steps", {"0", "", "", ""}, "--temperature");
        row("not finite", "steps", {"inf", "", "", ""}, "--temperature");
        row("threshold above 1", "steps", {"", "", "", "1.5"}, "--threshold");
        row("threshold no number", "steps", {"", "", "", "0.5x"}, "--threshold");
        row("aggregation", "steps", {"", "", "sum", ""}, "--aggregation");
        row("centre of steps", "steps", {"", "rows", "", ""}, "--centre");
        row("threshold of pairs", "pairs", {"", "", "", "0.5"}, "--threshold");
        row("aggregation of pairs", "pairs", {"", "", "min", ""}, "--aggregation");
        row("no such file", "pairs", {"", "./nowhere.jsonl", "", ""}, "nowhere.jsonl");
        row("another kind of rows", "pairs", {"", "ROWS", "", ""}, "rows.jsonl");
    }
    void refused()
    {
        QFETCH(QString, run);
        QFETCH(QStringList, request);
        QFETCH(QString, where);
        request.replaceInStrings(QStringLiteral("ROWS"),
                                 QString::fromStdString((m_root / "rows.jsonl").string()));
        const auto report = exported(run == QLatin1String("steps") ? m_steps : m_pairs,
                                     {request[0].toStdString(), request[1].toStdString(),
                                      request[2].toStdString(), request[3].toStdString()});
        QVERIFY(!report.ok());
        QVERIFY2(report.error().text().find(where.toStdString()) != std::string::npos,
                 report.error().text().c_str());
        QVERIFY(!fs::exists(m_out));
    }

    /// The run's rows are gone from the store's side: a number still does.
    void fitNeedsTheRun()
    {
        QVERIFY_RESULT(exported(m_steps, {}));
        const StorePlace other{m_root / "other"};
        QVERIFY_RESULT(RunWriter::open(other));
        ExportOptions options;
        options.calibration.temperature = "fit";
        const auto out = m_out.string() + "-fit";
        const auto report = exportModel(other, m_out.string(), std::nullopt, out, options);
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, ErrorCode::NotFound);
        options.calibration.temperature = "2";
        QVERIFY_RESULT(exportModel(other, m_out.string(), std::nullopt, out, options));
    }

    void recordIsReadStrictly_data()
    {
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<bool>("good");
        QTest::newRow("older") << QByteArray(R"("threshold":0.5)") << true;
        QTest::newRow("all") << QByteArray(
                                    R"("threshold":null,"temperature":2,"centre":-1.5,"aggregation":"mean")")
                             << true;
        QTest::newRow("temperature 0") << QByteArray(R"("temperature":0)") << false;
        QTest::newRow("temperature a text") << QByteArray(R"("temperature":"1")") << false;
        QTest::newRow("centre a list") << QByteArray(R"("centre":[1])") << false;
        QTest::newRow("centre too large") << QByteArray(R"("centre":1e999)") << false;
        QTest::newRow("threshold 2") << QByteArray(R"("threshold":2)") << false;
        QTest::newRow("aggregation unknown") << QByteArray(R"("aggregation":"sum")") << false;
        QTest::newRow("aggregation a number") << QByteArray(R"("aggregation":1)") << false;
    }
    void recordIsReadStrictly()
    {
        QFETCH(QByteArray, more);
        QFETCH(bool, good);
        fs::create_directories(m_out);
        std::ofstream(m_out / "export.json")
            << R"({"head":{"bias":"kept"},"separator_ids":{"step":[13],"prompt":[]},)" << more.toStdString()
            << "}";
        const auto record = readExportRecord(m_out);
        QVERIFY2(record.ok() == good, record.ok() ? "" : record.error().text().c_str());
        QVERIFY(good || record.error().code == ErrorCode::BadModel);
    }

private:
    StorePlace store() const { return {m_root / "store"}; }
    RunId trained(const ExperimentConfig& config)
    {
        Listener listener;
        const auto outcome = Session::create(store())->train(config, listener, {});
        return outcome ? outcome->run : RunId();
    }
    Result<ExportReport> exported(const RunId& run, const CalibrationRequest& request)
    {
        ExportOptions options;
        options.calibration = request;
        return exportModel(store(), run, std::nullopt, m_out, options);
    }

    QTemporaryDir m_folder;
    fs::path m_root, m_out;
    RunId m_steps, m_pairs;
    int m_count = 0;
};

QTEST_APPLESS_MAIN(TestCalibratedExports)
#include "tst_calibrated_exports.moc"
