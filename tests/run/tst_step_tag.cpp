// A step tag as a new token: what trains, what is saved, and that it scores the same wherever it goes.
#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "core/files/weight_folder.h"
#include "core/run/build_model.h"
#include "core/run/exports/export_model.h"
#include "core/run/scoring/batch_scorer.h"
#include "core/run/session.h"
#include "core/train/checkpoint.h"
#include "core/train/collate.h"
#include "tests/support/published_folder.h"
#include "tests/support/small_run.h"
#include "tests/support/test_data.h"

#include <ATen/TensorOperators.h>

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

namespace {

using Tensors = std::map<std::string, std::vector<float>>;

Tensors tensorsOf(const fs::path& folder)
{
    Tensors tensors;
    const auto weights = WeightFolder::open(folder);
    for (const auto& info : weights->tensors()) {
        auto& values = tensors[info.name];
        values.resize(info.bytes() / sizeof(float));
        const auto status =
            weights->read(info.name, {reinterpret_cast<std::byte*>(values.data()), info.bytes()});
        ASSAY_CHECK(status.ok(), "readable");
    }
    return tensors;
}

bool heard(const Listener& listener, const std::string& kind, const std::string& text)
{
    return std::any_of(listener.events.begin(), listener.events.end(), [&](const auto& event) {
        return event.kind == kind && event.text.find(text) != std::string::npos;
    });
}

constexpr const char* kEmbedding = "model.embed_tokens.weight";

} // namespace

class TestStepTag : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_place = StorePlace{m_root / "store"};
        std::ofstream(m_root / "rows.jsonl") << rowsText(40);
    }

    /// Nothing but the row of the tag and the head may move; with the whole backbone, everything may.
    void trains_data()
    {
        QTest::addColumn<bool>("frozen");
        QTest::addColumn<int>("spareRows");
        QTest::addColumn<bool>("recompute");
        QTest::newRow("frozen, one row more") << true << 0 << false;
        QTest::newRow("frozen, a spare row") << true << 5 << false;
        QTest::newRow("frozen, activations computed again") << true << 0 << true;
        QTest::newRow("all, one row more") << false << 0 << false;
        QTest::newRow("all, a spare row") << false << 5 << false;
    }
    void trains()
    {
        QFETCH(bool, frozen);
        QFETCH(int, spareRows);
        QFETCH(bool, recompute);
        auto config = tagged(spareRows);
        config.backbone.frozen = frozen;
        config.compute.activationCheckpointing = recompute;
        Listener listener;
        const auto session = Session::create(m_place);
        const auto outcome = session->train(config, listener, {});
        QVERIFY_RESULT(outcome);
        QVERIFY(heard(listener, "step-tag",
                      spareRows > 0 ? "takes an embedding that no token had" : "one embedding more"));
        QVERIFY(saysPreflight(listener.preflight, "\"<step>\" becomes token"));
        const auto before = tensorsOf(m_root / "model");
        const auto after = tensorsOf(m_place.artefacts() / listener.checkpoints.back().path);
        const auto& old = before.at(kEmbedding);
        const auto& rows = after.at(kEmbedding);
        QCOMPARE(rows.size(), old.size() + (spareRows > 0 ? 0U : kWidth));
        const auto begin = static_cast<std::size_t>(m_newId) * kWidth;
        QCOMPARE(std::equal(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin()),
                 frozen);
        double moved = 0.0;
        for (std::size_t i = 0; i < kWidth; ++i)
            moved = std::max(moved, std::abs(rows[begin + i] - meanOf(old, i)));
        QVERIFY(moved > 1e-3);
        if (spareRows > 1) // no token has the others
            QCOMPARE(std::equal(old.begin() + static_cast<std::ptrdiff_t>(begin + kWidth), old.end(),
                                rows.begin() + static_cast<std::ptrdiff_t>(begin + kWidth)),
                     frozen);
        for (const auto& [name, values] : before)
            if (name != kEmbedding)
                QCOMPARE(after.at(name) == values, frozen);
    }

    /// With all else frozen the row has the gradient that it has among all, in every execution.
    void gradientOfTheRow_data()
    {
        QTest::addColumn<QString>("execution");
        for (const auto* name : {"single", "packed", "merged", "padded"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void gradientOfTheRow()
    {
        QFETCH(QString, execution);
        constexpr std::int64_t kToken = 7;
        std::vector<LaidOut> rows(3);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            Sequence sequence;
            for (int i = 0; i < 9 + static_cast<int>(r); ++i) // with one beginning
                sequence.ids.push_back(i % 3 == 2 ? kToken : 10 + i + (i < 4 ? 0 : static_cast<int>(r)));
            for (const std::int32_t place : {2, 5, 8}) {
                rows[r].scores.push_back({static_cast<std::int32_t>(rows[r].readOuts.size()), -1});
                rows[r].readOuts.push_back({0, {{place, place + 1}}, Pooling::Last});
                rows[r].targets.value.push_back(1.0F);
                rows[r].targets.mask.push_back(1);
            }
            rows[r].sequences.push_back(std::move(sequence));
        }
        std::vector<const LaidOut*> pointers{&rows[0], &rows[1], &rows[2]};
        CollateOptions collation;
        collation.execution = executionFromName(execution.toStdString()).value();
        const auto batch = collate(pointers, collation);
        const auto gradientsOf = [&](bool frozen) {
            TinyModelOptions options;
            options.frozen = frozen;
            options.newToken = kToken;
            options.scale = 2.0;
            auto model = tinyModel(options);
            for (const auto& unit : batch.units)
                model->scores(unit.input, unit.readOuts, {}).square().sum().backward();
            return model;
        };
        const auto all = gradientsOf(false), row = gradientsOf(true);
        const auto trained = row->trainable();
        QCOMPARE(trained.size(), row->head().parameters().size() + 1);
        QCOMPARE(trained.front().name, std::string(kEmbedding) + "[7]");
        const at::Tensor expected = all->parameters().front().tensor.grad()[kToken],
                         found = trained.front().tensor.grad()[0];
        QVERIFY(expected.abs().max().item<double>() > 1e-2);
        QVERIFY((found - expected).abs().max().item<double>() <
                1e-5 * expected.abs().max().item<double>() + 1e-6);
        for (const auto& parameter : row->backbone().parameters())
            QVERIFY(!parameter.tensor.grad().defined());
    }

    void beginsAsTheMean()
    {
        auto config = tagged(3);
        auto plan = planModel(config);
        QVERIFY_RESULT(plan);
        QCOMPARE(plan->tag->id, m_newId);
        const auto built = buildModel(config, std::move(plan).value(), {});
        QVERIFY_RESULT(built);
        const auto& last = built->ledger;
        const auto row = std::find_if(last.begin(), last.end(), [](const auto& entry) {
            return entry.tensor.starts_with(kEmbedding) && entry.action == "initialised";
        });
        QVERIFY(row != last.end());
        QCOMPARE(row->detail, "1 row initialised to the mean of " + std::to_string(m_newId) +
                                  ", in place of one that no token had");
        const auto old = tensorsOf(m_root / "model").at(kEmbedding);
        const at::Tensor rows = built->model->backbone().parameters().front().tensor;
        for (std::size_t i = 0; i < kWidth; ++i)
            QVERIFY(std::abs(rows[m_newId][static_cast<std::int64_t>(i)].item<double>() - meanOf(old, i)) <
                    1e-5);
    }

    void resumesBitForBit()
    {
        auto config = tagged(0);
        config.backbone.frozen = true;
        const auto session = Session::create(m_place);
        Listener whole, first, second;
        QVERIFY_RESULT(session->train(config, whole, {}));
        first.stopAfter = 6;
        const auto stopped = session->train(config, first, first.stop.get_token());
        QVERIFY_RESULT(stopped);
        QCOMPARE(stopped->step, 6);
        QVERIFY_RESULT(session->resume(stopped->run, second, {}));
        QVERIFY(heard(second, "step-tag", "which training has added"));
        const auto a = m_place.artefacts() / whole.checkpoints.back().path,
                   b = m_place.artefacts() / second.checkpoints.back().path;
        QVERIFY(tensorsOf(a) == tensorsOf(b));
        for (const auto* file : {"optimiser.safetensors", "tokenizer.model", "tokenizer_config.json"})
            QCOMPARE(*readFile(a / file), *readFile(b / file));
    }

    /// Export, reloading, evaluation and scoring read the tag where training did.
    void scoresTheSameEverywhere()
    {
        const auto session = Session::create(m_place);
        Listener listener;
        const auto outcome = session->train(tagged(0), listener, {});
        QVERIFY_RESULT(outcome);
        QVERIFY_RESULT(exportModel(m_place, outcome->run, std::nullopt, m_root / "out", {}));
        const auto config = readFile(m_root / "out" / "config.json");
        QVERIFY(config->find("\"vocab_size\": " + std::to_string(m_newId + 1)) != std::string::npos);
        const auto run = openBatchScorer(m_place, outcome->run, std::nullopt);
        const auto exported = openBatchScorer(m_root / "out");
        QVERIFY_RESULT(run);
        QVERIFY_RESULT(exported);
        const auto data = openDataset((m_root / "rows.jsonl").string(), {});
        std::vector<Example> rows{(*data)->at(0), (*data)->at(1)};
        const auto ours = (*run)->score(rows), theirs = (*exported)->score(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QVERIFY_RESULT(ours[i]);
            QVERIFY_RESULT(theirs[i]);
            QCOMPARE(ours[i]->values.size(), std::size_t{4});
            for (std::size_t s = 0; s < 4; ++s)
                QCOMPARE(ours[i]->values[s]->score, theirs[i]->values[s]->score);
        }
        const auto again = session->evaluate(outcome->run, 0, {}, listener, {});
        QVERIFY_RESULT(again);
        QCOMPARE(again->loss, listener.evaluations.back().loss);
        // Training goes on from it without another token.
        auto further = tagged(0);
        further.backbone.source = "checkpoint";
        further.backbone.checkpoint = (m_root / "out").string();
        further.backbone.frozen = true;
        Listener second;
        QVERIFY_RESULT(session->train(further, second, {}));
        QVERIFY(heard(second, "step-tag", "which training has added"));
        const auto start = tensorsOf(m_root / "out").at(kEmbedding);
        const auto end = tensorsOf(m_place.artefacts() / second.checkpoints.back().path).at(kEmbedding);
        QCOMPARE(end.size(), start.size());
        const auto begin = static_cast<std::ptrdiff_t>(m_newId) * static_cast<std::ptrdiff_t>(kWidth);
        QVERIFY(std::equal(start.begin(), start.begin() + begin, end.begin()));
        QVERIFY(!std::equal(start.begin() + begin, start.end(), end.begin() + begin));
    }

    void nothingToAdd()
    {
        auto config = tagged(0);
        config.layout.stepTag = kAddedTag;
        config.layout.stepSeparator = kAddedTag;
        config.backbone.frozen = true;
        Listener listener;
        QVERIFY_RESULT(Session::create(m_place)->train(config, listener, {}));
        QVERIFY(heard(listener, "step-tag", "is already one token"));
        const auto folder = m_place.artefacts() / listener.checkpoints.back().path;
        QVERIFY(tensorsOf(folder).at(kEmbedding) == tensorsOf(m_root / "model").at(kEmbedding));
        QVERIFY(!readTrainingPosition(folder)->newToken);
    }

    void aNewModelHasItFromTheStart()
    {
        auto config = tagged(0);
        config.backbone.source = "scratch";
        config.backbone.tokenizer = (m_root / "model").string();
        Listener listener;
        QVERIFY_RESULT(Session::create(m_place)->train(config, listener, {}));
        const auto folder = m_place.artefacts() / listener.checkpoints.back().path;
        QCOMPARE(tensorsOf(folder).at(kEmbedding).size(),
                 static_cast<std::size_t>((m_newId + 1) * config.backbone.width));
        QVERIFY_RESULT(openBatchScorer(folder));
    }

    void refused()
    {
        auto config = tagged(0);
        const auto session = Session::create(m_place);
        Listener listener;
        // The tag inside a row would be read as the end of a step.
        std::ofstream(m_root / "bad.jsonl")
            << rowsText(20) << R"({"prompt":"p","completions":["a <step> b"],"labels":[true]})" << '\n';
        config.data.train = (m_root / "bad.jsonl").string();
        const auto spelt = session->train(config, listener, {});
        QVERIFY(!spelt.ok());
        QVERIFY2(spelt.error().message.find("spells a special token") != std::string::npos,
                 spelt.error().text().c_str());
        // A tag that was never trained says nothing.
        const auto scorer = openBatchScorer(m_root / "model",
                                            {{"layout.name", "marker"},
                                             {"layout.step_tag", "<step>"},
                                             {"layout.step_separator", "<step>"},
                                             {"layout.add_step_tag", "true"}},
                                            FreshHead::Allow);
        QVERIFY(!scorer.ok());
        QCOMPARE(scorer.error().where, std::string("layout.add_step_tag"));
        // A vocabulary that is larger than the embedding.
        PublishedFolder short_;
        short_.spareRows = -1;
        short_.write(m_root / "short");
        config = tagged(0);
        config.backbone.folder = (m_root / "short").string();
        const auto plan = planModel(config);
        QVERIFY(!plan.ok());
        QVERIFY2(plan.error().message.find("has no place") != std::string::npos, plan.error().text().c_str());
    }

private:
    static constexpr std::size_t kWidth = 32;

    ExperimentConfig tagged(int spareRows)
    {
        PublishedFolder folder;
        folder.spareRows = spareRows;
        folder.write(m_root / "model");
        m_newId = writeChatVocabulary(m_root / "model");
        auto config = smallConfig(m_root / "rows.jsonl");
        config.backbone.source = "folder";
        config.backbone.folder = (m_root / "model").string();
        config.layout.name = "marker";
        config.layout.stepTag = "<step>";
        config.layout.stepSeparator = " <step>\n";
        config.layout.addStepTag = true;
        return config;
    }

    double meanOf(const std::vector<float>& rows, std::size_t column) const
    {
        double sum = 0.0;
        for (std::int64_t row = 0; row < m_newId; ++row)
            sum += rows[static_cast<std::size_t>(row) * kWidth + column];
        return sum / static_cast<double>(m_newId);
    }

    static bool saysPreflight(const Report& report, const std::string& text)
    {
        for (const auto& table : report.tables)
            for (const auto& row : table.rows)
                if (row.front() == "step_tag" && row.back().find(text) != std::string::npos)
                    return true;
        return false;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
    StorePlace m_place;
    std::int64_t m_newId = 0;
};

QTEST_APPLESS_MAIN(TestStepTag)
#include "tst_step_tag.moc"
