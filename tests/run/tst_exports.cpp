// Models that leave: what an export holds, that it scores as its run does, and what is refused.
#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/data/format.h"
#include "core/run/exports/export_model.h"
#include "core/run/probes/open_trial.h"
#include "core/run/scoring/batch_scorer.h"
#include "core/run/session.h"
#include "core/run/training/run_ledger.h"
#include "core/train/export_folder.h"
#include "tests/support/character_tokenizer.h"
#include "tests/support/small_pairs.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

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

/// Raw scores of rows, one after the other.
std::vector<double> scoresOf(BatchScorer& scorer, const std::vector<Example>& rows)
{
    std::vector<double> scores;
    const auto answers = scorer.score(rows);
    for (const auto& row : answers)
        if (row)
            for (const auto& value : row->values)
                scores.push_back(value ? value->score : NAN);
    return scores;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = a.size() == b.size() && !a.empty() ? 0.0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

std::vector<Example> examplesOf(const fs::path& file)
{
    const auto data = openDataset(file.string(), {});
    std::vector<Example> rows;
    for (std::int64_t i = 0; data && i < std::min<std::int64_t>(20, (*data)->size()); ++i)
        rows.push_back((*data)->at(i));
    return rows;
}

} // namespace

class TestExports : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_root = m_folder.path().toStdString();
        std::ofstream(m_root / "rows.jsonl") << rowsText(40);
        std::ofstream(m_root / "pairs.jsonl") << pairsText(40);
        m_steps = trained(smallConfig(m_root / "rows.jsonl"));
        auto scalar = smallConfig(m_root / "rows.jsonl");
        scalar.head.kind = "step-scalar";
        m_scalar = trained(scalar);
        auto pairs = smallConfig(m_root / "pairs.jsonl");
        pairs.layout.name = "pairwise";
        m_pairs = trained(pairs);
    }

    void init() { m_out = m_root / ("out-" + std::to_string(++m_count)); }

    void equalsItsRun_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<qulonglong>("shardBytes");
        for (const char* task : {"steps", "pairs", "scalar"})
            for (const char* dtype : {"float32", "bfloat16"})
                for (const qulonglong bytes : {5'000'000'000ULL, 3000ULL})
                    QTest::addRow("%s, %s, %llu bytes", task, dtype, bytes)
                        << QString::fromLatin1(task) << QString::fromLatin1(dtype) << bytes;
    }
    void equalsItsRun()
    {
        QFETCH(QString, task);
        QFETCH(QString, dtype);
        QFETCH(qulonglong, shardBytes);
        const bool pairs = task == QLatin1String("pairs");
        ExportOptions options;
        options.dtype = dtype.toStdString();
        options.shardBytes = shardBytes;
        const auto& run = pairs ? m_pairs : task == QLatin1String("steps") ? m_steps : m_scalar;
        const auto report = exportModel(store(), run, std::nullopt, m_out, options);
        QVERIFY_RESULT(report);
        QCOMPARE(fs::exists(m_out / "model.safetensors.index.json"), shardBytes == 3000);
        const auto config = jsonOf(m_out / "config.json");
        QCOMPARE(config["architectures"][0].get<std::string>(),
                 std::string(pairs ? "LlamaForSequenceClassification" : "LlamaForTokenClassification"));
        QCOMPARE(config["torch_dtype"].get<std::string>(), options.dtype);
        QCOMPARE(config["id2label"].size(), std::size_t(task == QLatin1String("steps") ? 2 : 1));
        const auto rows = examplesOf(m_root / (pairs ? "pairs.jsonl" : "rows.jsonl"));
        const auto original = openBatchScorer(store(), run, std::nullopt);
        const auto exported = openBatchScorer(m_out);
        QVERIFY_RESULT(original);
        QVERIFY_RESULT(exported);
        const auto before = scoresOf(**original, rows), after = scoresOf(**exported, rows);
        const double difference = largestDifference(before, after);
        if (dtype == QLatin1String("float32")) {
            QCOMPARE(difference, 0.0);
            QCOMPARE(report->record.largestChange, 0.0);
            return;
        }
        // Eight bits of precision: said, seen, and small beside the scores' own size.
        QVERIFY(difference > 0.0 && difference < 0.2);
        QVERIFY(report->record.largestChange > 0.0);
        // What is rounded already loses nothing more.
        const auto again = m_out.string() + "-again";
        QVERIFY_RESULT(exportModel(store(), m_out.string(), std::nullopt, again, {}));
        QCOMPARE(largestDifference(after, scoresOf(**openBatchScorer(again), rows)), 0.0);
    }

    /// A checkpoint and its export can be tried like any folder, and say the same.
    void canBeTried_data()
    {
        QTest::addColumn<bool>("pairs");
        QTest::newRow("steps") << false;
        QTest::newRow("pairs") << true;
    }
    void canBeTried()
    {
        QFETCH(bool, pairs);
        const auto& run = pairs ? m_pairs : m_steps;
        QVERIFY_RESULT(exportModel(store(), run, std::nullopt, m_out, {}));
        const auto reader = RunReader::open(store());
        QVERIFY_RESULT(reader);
        const auto checkpoints = (*reader)->checkpoints(run);
        QVERIFY_RESULT(checkpoints);
        const TrialText text{"2 + 3 =", {"5", "6"}};
        std::vector<double> rewards;
        for (const auto& folder : {store().artefacts() / checkpoints->back().path, m_out}) {
            const auto trial = openTrial({folder.string()});
            QVERIFY_RESULT(trial);
            QVERIFY2(!(*trial)->withoutScores(),
                     (*trial)->withoutScores() ? (*trial)->withoutScores()->text().c_str() : "");
            QCOMPARE((*trial)->steps(), !pairs);
            const auto answer = (*trial)->answer(text);
            QVERIFY_RESULT(answer);
            for (const auto& value : answer->values)
                rewards.push_back(value.value().reward);
        }
        QCOMPARE(rewards.size(), std::size_t(4));
        QCOMPARE(rewards[0], rewards[2]);
        QCOMPARE(rewards[1], rewards[3]);
    }

    /// Asked to stop at any of its phases, it leaves nothing.
    void stops_data()
    {
        QTest::addColumn<QString>("phase");
        for (const char* phase : {"Opening the model", "Scoring", "Writing"})
            QTest::newRow(phase) << QString::fromLatin1(phase);
    }
    void stops()
    {
        QFETCH(QString, phase);
        std::stop_source stop;
        ExportWatch watch;
        watch.stop = stop.get_token();
        watch.phase = [&](const std::string& now) {
            if (now == phase.toStdString())
                stop.request_stop();
        };
        const auto report = exportModel(store(), m_steps, std::nullopt, m_out, {}, watch);
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
        QVERIFY(!fs::exists(m_out));
        for (const auto& entry : fs::directory_iterator(m_root))
            QVERIFY2(entry.path().filename().string().find(".tmp-") == std::string::npos,
                     entry.path().c_str());
    }

    /// What loading did is kept with the run, and read as it was kept.
    void ledgerOfTheRun()
    {
        const auto ledger = readLedger(store(), m_steps);
        QVERIFY_RESULT(ledger);
        QVERIFY(std::any_of(ledger->begin(), ledger->end(), [](const auto& entry) {
            return entry.tensor == "score.weight" && entry.action == "initialised";
        }));
        QVERIFY_RESULT(keepLedger(store(), m_steps, {})); // a resume keeps the first
        QCOMPARE(readLedger(store(), m_steps)->size(), ledger->size());
        QCOMPARE(readLedger(store(), "0123456789ab").error().code, ErrorCode::NotFound);
        const auto file = store().artefacts() / "runs" / m_pairs / "ledger.json";
        for (const char* text : {"", "{}", "[1]", R"([{"tensor": 1}])"}) {
            std::ofstream(file, std::ios::trunc) << text;
            QCOMPARE(readLedger(store(), m_pairs).error().code, ErrorCode::BadData);
        }
    }

    void tellsNothingOfThisMachine()
    {
        QVERIFY_RESULT(exportModel(store(), m_steps, 5, m_out, {}));
        for (const auto& entry : fs::directory_iterator(m_out)) {
            const auto text = readFile(entry.path());
            QVERIFY_RESULT(text);
            QVERIFY2(text->find(m_root.string()) == std::string::npos, entry.path().c_str());
        }
        const auto record = jsonOf(m_out / "export.json");
        QCOMPARE(record["threshold"].get<double>(), 0.5);
        QVERIFY(!record["separator_ids"]["step"].empty());
        QCOMPARE(jsonOf(m_out / "training.json")["step"].get<int>(), 5);
    }

    /// A sequence class has no place for the bias of a step head.
    void headBias_data()
    {
        QTest::addColumn<int>("choice");
        QTest::newRow("not said") << -1;
        QTest::newRow("keep") << int(HeadBias::Keep);
        QTest::newRow("drop") << int(HeadBias::Drop);
    }
    void headBias()
    {
        QFETCH(int, choice);
        ExportOptions options;
        options.perToken = false;
        if (choice >= 0)
            options.headBias = static_cast<HeadBias>(choice);
        const auto report = exportModel(store(), m_scalar, std::nullopt, m_out, options);
        if (choice < 0) {
            QVERIFY(!report.ok());
            QCOMPARE(report.error().code, ErrorCode::Usage);
            QVERIFY(report.error().text().find("keep") != std::string::npos);
            QVERIFY(!fs::exists(m_out));
            return;
        }
        QVERIFY_RESULT(report);
        const bool dropped = options.headBias == HeadBias::Drop;
        QCOMPARE(jsonOf(m_out / "export.json")["head"]["bias"].get<std::string>(),
                 std::string(dropped ? "dropped" : "kept"));
        const auto rows = examplesOf(m_root / "rows.jsonl");
        const auto before = scoresOf(**openBatchScorer(store(), m_scalar, std::nullopt), rows);
        const auto exported = openBatchScorer(m_out);
        QVERIFY_RESULT(exported);
        const auto after = scoresOf(**exported, rows);
        QCOMPARE(before.size(), after.size());
        const double bias = before.front() - after.front();
        QCOMPARE(bias != 0.0, dropped);
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(std::abs(before[i] - after[i] - bias) < 1e-5);
    }

    /// The class of single tokens has a bias; a head of pairs has none, so it is zero.
    void pairsAsTokens()
    {
        ExportOptions options;
        options.perToken = true;
        QVERIFY_RESULT(exportModel(store(), m_pairs, std::nullopt, m_out, options));
        const auto weights = SafetensorsFile::open(m_out / "model.safetensors");
        QVERIFY_RESULT(weights);
        QVERIFY(weights->find("score.bias"));
        const auto rows = examplesOf(m_root / "pairs.jsonl");
        QCOMPARE(largestDifference(scoresOf(**openBatchScorer(store(), m_pairs, std::nullopt), rows),
                                   scoresOf(**openBatchScorer(m_out), rows)),
                 0.0);
    }

    /// transformers reads pairs at the last token that is no padding: EOS must not be the pad token.
    void padTokenEndsNoAnswer()
    {
        QVERIFY_RESULT(exportModel(store(), m_pairs, std::nullopt, m_out, {}));
        const auto config = jsonOf(m_out / "config.json");
        const auto tokenizer = openTokenizer(m_out);
        QVERIFY_RESULT(tokenizer);
        QVERIFY(config.contains("pad_token_id"));
        QVERIFY((*tokenizer)->special().eos.has_value());
        const auto eos = (*tokenizer)->special().eos;
        QVERIFY(config["pad_token_id"] != *eos);
        // Published models often pad with EOS.
        const fs::path folder = m_out.string() + "-eos";
        fs::copy(m_out, folder);
        auto padded = config;
        padded["pad_token_id"] = *eos;
        std::ofstream(folder / "config.json") << padded.dump();
        auto next = smallConfig(m_root / "pairs.jsonl");
        next.layout.name = "pairwise";
        next.backbone.source = "folder";
        next.backbone.folder = folder.string();
        next.schedule.maximumSteps = 1;
        const auto run = trained(next);
        const auto out = m_out.string() + "-again";
        const auto report = exportModel(store(), run, std::nullopt, out, {});
        QVERIFY_RESULT(report);
        QVERIFY(jsonOf(fs::path(out) / "config.json").value("pad_token_id", *eos) != *eos);
        QVERIFY(!report->record.notes.empty());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* source, const char* target, ErrorCode code) {
            QTest::newRow(name) << QString::fromLatin1(source) << QString::fromLatin1(target) << int(code);
        };
        row("folder that holds something", "RUN", "full", ErrorCode::Usage);
        row("file", "RUN", "file", ErrorCode::Usage);
        row("link to an empty folder", "RUN", "link", ErrorCode::Usage);
        row("link to nothing", "RUN", "dangling", ErrorCode::Usage);
        row("no name", "RUN", "", ErrorCode::Usage);
        row("below a file", "RUN", "file/out", ErrorCode::Io);
        row("unknown run", "nowhere", "new", ErrorCode::NotFound);
        row("unknown folder", "./nowhere/at/all", "new", ErrorCode::NotFound);
        row("unknown step", "RUN:7", "new", ErrorCode::NotFound);
        row("inside its source", "FOLDER", "model/inside", ErrorCode::Usage);
        row("backbone without a head", "BACKBONE", "new", ErrorCode::BadModel);
    }
    void refused()
    {
        QFETCH(QString, source);
        QFETCH(QString, target);
        QFETCH(int, code);
        const fs::path place = m_out;
        fs::create_directories(place / "full");
        fs::create_directories(place / "empty");
        std::ofstream(place / "full" / "a") << "mine";
        std::ofstream(place / "file") << "mine";
        fs::create_directory_symlink(place / "empty", place / "link");
        fs::create_directory_symlink(place / "gone", place / "dangling");
        QVERIFY_RESULT(exportModel(store(), m_steps, std::nullopt, place / "model", {}));
        writeBackbone(place / "backbone");
        const auto before = namesIn(place).value();
        source.replace(QLatin1String("RUN"), QString::fromStdString(m_steps));
        source.replace(QLatin1String("FOLDER"), QString::fromStdString((place / "model").string()));
        source.replace(QLatin1String("BACKBONE"), QString::fromStdString((place / "backbone").string()));
        const auto report = exportModel(store(), source.toStdString(), std::nullopt,
                                        target.isEmpty() ? fs::path() : place / target.toStdString(), {});
        QVERIFY(!report.ok());
        QVERIFY2(int(report.error().code) == code, report.error().text().c_str());
        QVERIFY(namesIn(place).value() == before);
        QCOMPARE(readFile(place / "full" / "a").value(), std::string("mine"));
        QCOMPARE(readFile(place / "file").value(), std::string("mine"));
    }

    void takesAnEmptyFolder()
    {
        fs::create_directories(m_out);
        QVERIFY_RESULT(exportModel(store(), m_steps, std::nullopt, m_out.string() + "/", {}));
        QVERIFY(fs::exists(m_out / "config.json"));
    }

    /// What does not score the same after reloading never gets its name.
    void aFailedCheckLeavesNothing()
    {
        const auto model = tinyModel();
        ExportContent content;
        content.model = model.get();
        bool seen = false;
        content.check = [&](const fs::path& written) -> Status {
            seen = fs::exists(written / "config.json") && !fs::exists(m_out);
            return Error{ErrorCode::Io, "scores differently"};
        };
        QVERIFY(!saveExport(m_out, content).ok());
        QVERIFY(seen);
        const auto names = namesIn(m_root).value();
        for (const auto& name : names)
            QVERIFY2(!name.starts_with(".tmp-") && name != m_out.filename(), name.c_str());
    }

    /// Damage after the export is found when it is opened.
    void damaged_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("layout") << "layout.json" << QByteArray("{}");
        QTest::newRow("record") << "export.json" << QByteArray("{}");
        QTest::newRow("config") << "config.json" << QByteArray("{}");
    }
    void damaged()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QVERIFY_RESULT(exportModel(store(), m_steps, std::nullopt, m_out, {}));
        std::ofstream(m_out / file.toStdString()) << content.toStdString();
        const auto scorer = openBatchScorer(m_out);
        QVERIFY(!scorer.ok());
        QVERIFY2(scorer.error().where.find(file.toStdString()) != std::string::npos,
                 scorer.error().text().c_str());
    }

    /// A manifest only proves that files are as they were written, by whomever.
    void anotherSeparatorIsRefused()
    {
        QVERIFY_RESULT(exportModel(store(), m_steps, std::nullopt, m_out, {}));
        auto layout = jsonOf(m_out / "layout.json"), manifest = jsonOf(m_out / "manifest.json");
        layout["step_separator"] = " ;";
        std::ofstream(m_out / "layout.json") << layout.dump();
        manifest["files"]["layout.json"] = {{"bytes", layout.dump().size()},
                                            {"sha256", sha256File(m_out / "layout.json").value()}};
        std::ofstream(m_out / "manifest.json") << manifest.dump();
        const auto scorer = openBatchScorer(m_out);
        QVERIFY(!scorer.ok());
        QVERIFY2(scorer.error().message.find("step separator") != std::string::npos,
                 scorer.error().text().c_str());
    }

    void recordIsReadStrictly_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("good");
        const auto row = [](const char* name, const char* text, bool good = false) {
            QTest::newRow(name) << QByteArray(text) << good;
        };
        row("good", R"({"head":{"bias":"kept"},"separator_ids":{"step":[13],"prompt":[]}})", true);
        row("no JSON", "{");
        row("list", "[]");
        row("no head", R"({"separator_ids":{"step":[13],"prompt":[]}})");
        row("bias no text", R"({"head":{"bias":1},"separator_ids":{"step":[13],"prompt":[]}})");
        row("ids no numbers", R"({"head":{"bias":"kept"},"separator_ids":{"step":["a"],"prompt":[]}})");
        row("negative id", R"({"head":{"bias":"kept"},"separator_ids":{"step":[-1],"prompt":[]}})");
        row("id too large", R"({"head":{"bias":"kept"},"separator_ids":{"step":[1e99],"prompt":[]}})");
    }
    void recordIsReadStrictly()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, good);
        fs::create_directories(m_out);
        std::ofstream(m_out / "export.json") << text.toStdString();
        QCOMPARE(readExportRecord(m_out).ok(), good);
    }

    /// Another tokenizer would put the read-outs where the model was not trained to be read.
    void separatorsMustBeTheSame()
    {
        const auto tokenizer = std::make_shared<CharacterTokenizer>();
        LayoutOptions layout;
        layout.stepSeparator = "a";
        ExportRecord record;
        record.headBias = "kept";
        recordSeparators(record, layout, tokenizer.get());
        QCOMPARE(record.stepSeparator.size(), std::size_t(1));
        QVERIFY(checkSeparators(record, layout, tokenizer.get(), m_out).ok());
        ++record.stepSeparator.front();
        const auto other = checkSeparators(record, layout, tokenizer.get(), m_out);
        QVERIFY(!other.ok());
        QCOMPARE(other.error().code, ErrorCode::BadModel);
    }

private:
    StorePlace store() const { return {m_root / "store"}; }
    RunId trained(const ExperimentConfig& config)
    {
        Listener listener;
        const auto outcome = Session::create(store())->train(config, listener, {});
        return outcome ? outcome->run : RunId();
    }
    static void writeBackbone(const fs::path& folder)
    {
        fs::create_directories(folder);
        const auto model = tinyModel();
        auto saved = model->saved();
        std::erase_if(saved.sources, [](const auto& source) { return source.name.starts_with("score."); });
        QVERIFY(writeSafetensors(folder / "model.safetensors", saved.sources).ok());
        std::ofstream(folder / "config.json") << model->config().json;
    }

    QTemporaryDir m_folder;
    fs::path m_root, m_out;
    RunId m_steps, m_scalar, m_pairs;
    int m_count = 0;
};

QTEST_APPLESS_MAIN(TestExports)
#include "tst_exports.moc"
