// Heads that a folder has, lacks, or has for another model; and what may lie beside the weights.
#include "core/base/durable_file.h"
#include "core/model/model_config.h"
#include "core/run/exports/export_model.h"
#include "core/run/probes/probe_model.h"
#include "tests/support/published_folder.h"
#include "tests/support/reference_vector.h"
#include "tests/support/test_data.h"
#include "tests/support/weight_content.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;
using namespace assay::tests;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TestHeadCases : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
    }

    /// Buffers of old checkpoints change nothing, whatever stands beside them in the file.
    void rotaryBuffersAreLeft_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::newRow("first layer") << QStringList{"model.layers.0.self_attn.rotary_emb.inv_freq"};
        QTest::newRow("all") << QStringList{"model.layers.1.self_attn.rotary_emb.inv_freq",
                                            "model.layers.0.self_attn.rotary_emb.inv_freq"};
        QTest::newRow("outside the layers") << QStringList{"model.rotary_emb.inv_freq"};
    }
    void rotaryBuffersAreLeft()
    {
        QFETCH(QStringList, names);
        auto tensors = vectorTensors();
        for (const auto& name : names)
            tensors.insert(tensors.begin(), {name.toStdString(), {2}, {9.0F, 9.0F}});
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", tensors));
        QVERIFY(near(vectorScores(m_root / "hf"), kVector, 5e-6));
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "out", {}));
        QVERIFY(near(vectorScores(m_root / "out"), kVector, 5e-6));
    }

    void unusable_data()
    {
        QTest::addColumn<QString>("without");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns"); // of a head instead; 0 = none
        QTest::addColumn<QString>("says");
        QTest::newRow("no head") << "score.weight" << 0 << 0 << "score.weight";
        QTest::newRow("same outputs, another width") << "score.weight" << 1 << 8 << "[1, 8]";
        QTest::newRow("other outputs") << "score.weight" << 3 << 16 << "[3, 16]";
        QTest::newRow("a tensor of the backbone")
            << "model.layers.1.mlp.up_proj.weight" << 0 << 0 << "up_proj";
    }
    void unusable()
    {
        QFETCH(QString, without);
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(QString, says);
        auto tensors = vectorTensors();
        std::erase_if(tensors, [&](const auto& tensor) { return tensor.name == without.toStdString(); });
        if (rows > 0)
            tensors.push_back(filled("score.weight", {rows, columns}, 3, false));
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", tensors));
        const auto answer = probeModel(m_root / "hf", R"([{"input_ids": [1]}])", "single");
        QVERIFY(!answer.ok());
        QVERIFY2(answer.error().text().find(says.toStdString()) != std::string::npos,
                 answer.error().text().c_str());
        QVERIFY(!exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "out", {}).ok());
        QVERIFY(!fs::exists(m_root / "out"));
    }

    /// The head is as wide as the backbone, not as its heads together (4 x 8 here, of 16).
    void headsNeedNotFillTheWidth()
    {
        auto tensors = vectorTensors();
        for (auto& tensor : tensors) {
            const auto& name = tensor.name;
            if (name.ends_with("q_proj.weight"))
                tensor = filled(name, {32, 16}, 1, false);
            else if (name.ends_with("k_proj.weight") || name.ends_with("v_proj.weight"))
                tensor = filled(name, {16, 16}, 2, false);
            else if (name.ends_with("o_proj.weight"))
                tensor = filled(name, {16, 32}, 3, false);
        }
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", tensors, {{"head_dim", 8}}));
        QCOMPARE(vectorScores(m_root / "hf").size(), std::size_t(6));
        ExportOptions options;
        options.format = ExportFormat::Torchtune;
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "out", options));
        QVERIFY(near(vectorScores(m_root / "out"), vectorScores(m_root / "hf"), 1e-6));
    }

    /// A reward model has as many outputs as its file says, also where no head of ours has so many.
    void manyOutputs()
    {
        auto tensors = vectorTensors();
        tensors.back() = filled("score.weight", {4, 16}, 20, false);
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", tensors,
                                         {{"id2label", {{"0", "a"}, {"1", "b"}, {"2", "c"}, {"3", "d"}}}}));
        const auto report = exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "out", {});
        QVERIFY_RESULT(report);
        QCOMPARE(report->record.outputs, std::int64_t(4));
        const auto cases = R"([{"input_ids": [3, 17, 42, 8, 29, 11]}])";
        const auto before = probeModel(m_root / "hf", cases, "single");
        const auto after = probeModel(m_root / "out", cases, "single");
        QVERIFY_RESULT(before);
        QVERIFY_RESULT(after);
        const auto outputs = Json::parse(*after)["cases"][0]["outputs"];
        QCOMPARE(outputs[0].size(), std::size_t(4));
        QVERIFY(outputs == Json::parse(*before)["cases"][0]["outputs"]);
    }

    /// Every kind of decoder with one output and with many leaves and comes back with its bits and outputs.
    void familiesAndOutputs_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("architecture");
        QTest::addColumn<int>("outputs");
        for (const int outputs : {1, 4})
            for (const auto& [family, name] : {std::pair{"llama", "Llama"},
                                               {"mistral", "Mistral"},
                                               {"qwen2", "Qwen2"},
                                               {"gpt_neox", "GPTNeoX"}})
                QTest::addRow("%s, %d", family, outputs)
                    << family << QStringLiteral("%1ForSequenceClassification").arg(name) << outputs;
    }
    void familiesAndOutputs()
    {
        QFETCH(QString, family);
        QFETCH(QString, architecture);
        QFETCH(int, outputs);
        PublishedFolder published;
        published.family = family.toStdString();
        published.architecture = architecture.toStdString();
        published.outputs = outputs;
        published.write(m_root / "hf");
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "out", {}));
        QVERIFY(contentOf(m_root / "out") == contentOf(m_root / "hf"));
        const auto cases = R"([{"input_ids": [3, 17, 42, 8, 29, 11]}])";
        const auto before = probeModel(m_root / "hf", cases, "single");
        const auto after = probeModel(m_root / "out", cases, "merged");
        QVERIFY_RESULT(before);
        QVERIFY_RESULT(after);
        const auto mine = Json::parse(*before)["cases"][0]["outputs"];
        QCOMPARE(mine[0].size(), std::size_t(outputs));
        QVERIFY(mine == Json::parse(*after)["cases"][0]["outputs"]);
    }

    /// In float32 every golden model leaves with the bits it came with, in shards too.
    void goldenFolders_data()
    {
        QTest::addColumn<QString>("folder");
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(testData() / "golden-hf", none)) {
            const auto text = readFile(entry.path() / "config.json");
            const auto config = text ? readModelConfig(*text, "config.json") : text.error();
            if (config && config->architecture.ends_with("Classification"))
                QTest::newRow(entry.path().filename().c_str())
                    << QString::fromStdString(entry.path().string());
        }
    }
    void goldenFolders()
    {
        NEED_TEST_DATA("golden-hf");
        QFETCH(QString, folder);
        ExportOptions options;
        options.shardBytes = 30'000;
        QVERIFY_RESULT(exportModel({}, folder.toStdString(), std::nullopt, m_root / "out", options));
        QVERIFY(fs::exists(m_root / "out" / "model.safetensors.index.json"));
        QVERIFY(!contentOf(m_root / "out").empty());
        QVERIFY(contentOf(m_root / "out") == contentOf(folder.toStdString()));
    }

    /// Rounded as torch rounds.
    void goldenBfloat16()
    {
        NEED_TEST_DATA("golden-hf/formats");
        const auto golden = testData() / "golden-hf";
        ExportOptions options;
        options.dtype = "bfloat16";
        const auto source = (golden / "llama-token-classification").string();
        QVERIFY_RESULT(exportModel({}, source, std::nullopt, m_root / "out", options));
        QVERIFY(contentOf(m_root / "out") == contentOf(golden / "formats" / "bf16-safetensors"));
    }

    /// The last true token is read: padding on either side and the pad id inside the text change nothing.
    void readOut_data()
    {
        QTest::addColumn<QByteArray>("ids");
        QTest::addColumn<int>("last");
        QTest::newRow("none") << QByteArray("[1, 3, 4, 9]") << 4;
        QTest::newRow("one") << QByteArray("[4, 5, 6]") << 3;
        QTest::newRow("alone") << QByteArray("[1]") << 1;
        QTest::newRow("pad id inside") << QByteArray("[4, 0, 6]") << 3;
        QTest::newRow("pad id at the end on purpose") << QByteArray("[4, 5, 0]") << 3;
    }
    void readOut()
    {
        QFETCH(QByteArray, ids);
        QFETCH(int, last);
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", vectorTensors(), {{"pad_token_id", 0}}));
        const auto scoreOf = [&](const Json& entry, const char* execution) {
            const Json cases{{{"input_ids", {7, 8, 9, 10, 11, 12}}}, entry};
            const auto answer = probeModel(m_root / "hf", cases.dump(), execution);
            return answer ? Json::parse(*answer)["cases"][1] : Json();
        };
        const Json row = Json::parse(ids.toStdString());
        const auto alone = scoreOf({{"input_ids", row}}, "single");
        QCOMPARE(alone["tokens"].get<int>(), last);
        QVERIFY(alone["score"] == alone["outputs"].back());
        for (const char* execution : {"padded", "left-padded", "merged"}) {
            const auto together = scoreOf({{"input_ids", row}}, execution);
            QVERIFY(std::abs(together["score"][0].get<double>() - alone["score"][0].get<double>()) < 1e-5);
        }
        for (const bool left : {true, false}) {
            Json padded = row, mask = Json::array();
            for (int i = 0; i < last; ++i)
                mask.push_back(1);
            padded.insert(left ? padded.begin() : padded.end(), {0, 0});
            mask.insert(left ? mask.begin() : mask.end(), {0, 0});
            const auto masked = scoreOf({{"input_ids", padded}, {"attention_mask", mask}}, "single");
            QVERIFY(masked["score"] == alone["score"]);
        }
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

QTEST_APPLESS_MAIN(TestHeadCases)
#include "tst_head_cases.moc"
