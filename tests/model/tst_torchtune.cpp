// torchtune's names and row order, both ways, and a vector that the wrong row order gets wrong.
#include "core/base/durable_file.h"
#include "core/model/torchtune.h"
#include "core/run/exports/export_model.h"
#include "core/run/probes/probe_model.h"
#include "tests/support/reference_vector.h"
#include "tests/support/test_data.h"
#include "tests/support/weight_content.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Half.h>

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

/// torchtune's rows under the names of Hugging Face.
std::vector<Filled> interleavedRows(std::vector<Filled> tensors, std::int64_t heads, std::int64_t keyHeads)
{
    for (auto& tensor : tensors) {
        const auto own = tensor.name.ends_with("q_proj.weight")   ? heads
                         : tensor.name.ends_with("k_proj.weight") ? keyHeads
                                                                  : 0;
        if (own == 0)
            continue;
        const at::Tensor rows = interleaved(at::tensor(tensor.values).reshape(tensor.shape), own);
        const auto* data = rows.const_data_ptr<float>();
        tensor.values.assign(data, data + rows.numel());
    }
    return tensors;
}

/// A classifier of 16 heads and 8 for keys and values, vocabulary 32000 and an MLP of 512.
struct Ramp
{
    std::int64_t width = 64, layers = 2, outputs = 2;

    /// Every parameter rises from 0 to 1.
    std::vector<Filled> tensors() const
    {
        std::vector<Filled> tensors;
        for (auto& tensor : vectorTensors()) {
            const auto& name = tensor.name;
            const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
            if (layers == 1 && has("layers.1."))
                continue;
            tensor.shape = has("embed_tokens")                  ? std::vector<std::int64_t>{32000, width}
                           : has("q_proj") || has("o_proj")     ? std::vector<std::int64_t>{width, width}
                           : has("k_proj") || has("v_proj")     ? std::vector<std::int64_t>{width / 2, width}
                           : has("gate_proj") || has("up_proj") ? std::vector<std::int64_t>{512, width}
                           : has("down_proj")                   ? std::vector<std::int64_t>{width, 512}
                           : has("score")                       ? std::vector<std::int64_t>{outputs, width}
                                                                : std::vector<std::int64_t>{width};
            const auto count = tensor.shape.front() * (tensor.shape.size() > 1 ? tensor.shape[1] : 1);
            tensor.values.clear();
            for (std::int64_t i = 0; i < count; ++i)
                tensor.values.push_back(static_cast<float>(i) / static_cast<float>(count));
            tensors.push_back(std::move(tensor));
        }
        return tensors;
    }

    Json config() const
    {
        Json json = {{"vocab_size", 32000},           {"hidden_size", width},
                     {"num_hidden_layers", layers},   {"num_attention_heads", 16},
                     {"num_key_value_heads", 8},      {"intermediate_size", 512},
                     {"max_position_embeddings", 256}};
        if (outputs == 2)
            json["id2label"] = {{"0", "a"}, {"1", "b"}};
        return json;
    }
};

/// Over all rows, positions and outputs.
double meanOutput(const fs::path& folder, const at::Tensor& ids)
{
    Json cases = Json::array();
    for (std::int64_t row = 0; row < ids.size(0); ++row) {
        const auto* data = ids.const_data_ptr<std::int64_t>() + row * ids.size(1);
        cases.push_back({{"input_ids", std::vector<std::int64_t>(data, data + ids.size(1))}});
    }
    const auto answer = probeModel(folder, cases.dump(), "single");
    if (!answer)
        return NAN;
    const auto json = Json::parse(*answer);
    double sum = 0.0;
    int count = 0;
    for (const auto& entry : json["cases"])
        for (const auto& outputs : entry["outputs"])
            for (const auto& output : outputs) {
                sum += output.get<double>();
                ++count;
            }
    return sum / count;
}

ExportOptions asTorchtune()
{
    ExportOptions options;
    options.format = ExportFormat::Torchtune;
    return options;
}

} // namespace

class TestTorchtune : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
    }

    void rowOrder_data()
    {
        QTest::addColumn<int>("heads");
        QTest::addColumn<QList<qlonglong>>("source");
        QTest::newRow("one head of 8") << 1 << QList<qlonglong>{0, 4, 1, 5, 2, 6, 3, 7};
        QTest::newRow("two heads of 4") << 2 << QList<qlonglong>{0, 2, 1, 3, 4, 6, 5, 7};
    }
    void rowOrder()
    {
        QFETCH(int, heads);
        QFETCH(QList<qlonglong>, source);
        const at::Tensor rows = at::arange(8).reshape({8, 1});
        const at::Tensor there = interleaved(rows, heads);
        for (int i = 0; i < 8; ++i)
            QCOMPARE(qlonglong(there[i][0].item<std::int64_t>()), source[i]);
        QVERIFY(halved(there, heads).equal(rows));
    }

    /// In both row orders the reference's scores; rows in the wrong order give another value at token 1.
    void discriminatingVector()
    {
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", vectorTensors()));
        const auto scores = vectorScores(m_root / "hf");
        QVERIFY(near(scores, kVector, 5e-6));
        QVERIFY_RESULT(
            exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "tune", asTorchtune()));
        QVERIFY(contentOf(m_root / "tune").contains("layers.1.attn.q_proj.weight"));
        QVERIFY(near(vectorScores(m_root / "tune"), scores, 1e-6));
        QVERIFY_RESULT(writeVectorFolder(m_root / "wrong", interleavedRows(vectorTensors(), 4, 2)));
        const auto other = vectorScores(m_root / "wrong");
        QCOMPARE(other.size(), scores.size());
        QVERIFY2(std::abs(other[1] + 1.786033) < 5e-6, qPrintable(QString::number(other[1], 'g', 9)));
    }

    /// The numeric test of torchtune's classifier, kept as a smoke test only: with weights that all rise from
    /// 0 to 1 the wrong row order gives the same mean, so it proves little.
    void upstreamSmoke_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width"); // and tokens
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("outputs");
        QTest::addColumn<double>("expected");
        QTest::newRow("two outputs") << 2 << 64 << 2 << 2 << 22.68798;
        QTest::newRow("one output") << 1 << 256 << 1 << 1 << 110.25616;
    }
    void upstreamSmoke()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        QFETCH(int, layers);
        QFETCH(int, outputs);
        QFETCH(double, expected);
        const at::Generator generator = at::detail::createCPUGenerator(16);
        const at::Tensor ids =
            at::randint(0, 32000, {rows, width}, generator, at::TensorOptions().dtype(at::kLong));
        QCOMPARE(ids[0][0].item<std::int64_t>(), std::int64_t(19881));
        QCOMPARE(ids[0][3].item<std::int64_t>(), std::int64_t(6213));
        const Ramp ramp{width, layers, outputs};
        QVERIFY_RESULT(writeVectorFolder(m_root / "right", ramp.tensors(), ramp.config()));
        QVERIFY_RESULT(
            writeVectorFolder(m_root / "wrong", interleavedRows(ramp.tensors(), 16, 8), ramp.config()));
        for (const char* folder : {"right", "wrong"}) {
            const double mean = meanOutput(m_root / folder, ids);
            QVERIFY2(std::abs(mean - expected) < 1e-5 * expected, qPrintable(QString::number(mean, 'g', 9)));
        }
    }

    void golden_data()
    {
        QTest::addColumn<QString>("tune");
        QTest::addColumn<QString>("source");
        QTest::newRow("llama") << "llama-reward"
                               << "llama-sequence-classification";
        QTest::newRow("mistral") << "mistral-reward"
                                 << "mistral-full-attention";
    }
    /// To torchtune's names the bits of torchtune's own conversion, and back the bits that it came from.
    void golden()
    {
        NEED_TEST_DATA("golden-hf/torchtune");
        QFETCH(QString, tune);
        QFETCH(QString, source);
        const auto golden = testData() / "golden-hf";
        const auto origin = golden / source.toStdString();
        const auto theirs = golden / "torchtune" / tune.toStdString();
        QVERIFY_RESULT(exportModel({}, origin.string(), std::nullopt, m_root / "tune", asTorchtune()));
        QVERIFY(contentOf(m_root / "tune") == contentOf(theirs));
        QVERIFY_RESULT(exportModel({}, (m_root / "tune").string(), std::nullopt, m_root / "back", {}));
        QVERIFY(contentOf(m_root / "back") == contentOf(origin));
        // Their file opens as it is.
        fs::create_directories(m_root / "theirs");
        fs::copy_file(origin / "config.json", m_root / "theirs" / "config.json");
        fs::copy_file(theirs / "model.safetensors", m_root / "theirs" / "model.safetensors");
        QVERIFY_RESULT(exportModel({}, (m_root / "theirs").string(), std::nullopt, m_root / "again", {}));
        QVERIFY(contentOf(m_root / "again") == contentOf(origin));
    }

    /// A language model under torchtune's names; its embedding is tied, so there is no `output`.
    void goldenLanguageModel()
    {
        NEED_TEST_DATA("golden-hf/torchtune");
        const auto golden = testData() / "golden-hf";
        const auto origin = golden / "llama3-rope-scaled";
        fs::copy_file(origin / "config.json", m_root / "config.json");
        fs::copy_file(golden / "torchtune" / "llama-causal-lm-tied" / "model.safetensors",
                      m_root / "model.safetensors");
        const auto cases = R"([{"input_ids": [5, 9, 200, 31, 7, 64, 3, 3, 18, 250]}])";
        const auto mine = probeModel(m_root, cases, "single"), theirs = probeModel(origin, cases, "single");
        QVERIFY_RESULT(mine);
        QVERIFY_RESULT(theirs);
        QVERIFY(Json::parse(*mine)["cases"] == Json::parse(*theirs)["cases"]);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("window") << "mistral-sequence-classification" << int(ErrorCode::Unsupported)
                                << "windows";
        QTest::newRow("biases") << "qwen2-token-classification" << int(ErrorCode::Unsupported) << "biases";
        QTest::newRow("norms") << "qwen3-token-classification" << int(ErrorCode::Unsupported) << "norms";
        QTest::newRow("fused") << "phi3" << int(ErrorCode::Unsupported) << "";
        QTest::newRow("head bias") << "llama-token-classification" << int(ErrorCode::Usage) << "drop";
    }
    void refused()
    {
        NEED_TEST_DATA("golden-hf");
        QFETCH(QString, folder);
        QFETCH(int, code);
        QFETCH(QString, says);
        const auto source = testData() / "golden-hf" / folder.toStdString();
        const auto report = exportModel({}, source.string(), std::nullopt, m_root / "out", asTorchtune());
        QVERIFY(!report.ok());
        QCOMPARE(int(report.error().code), code);
        QVERIFY2(report.error().text().find(says.toStdString()) != std::string::npos,
                 report.error().text().c_str());
        QVERIFY(!fs::exists(m_root / "out"));
    }

    /// The suite's own case: one layer in 16 bits with a bias that torchtune has no place for. 12 tensors go
    /// there and come back with the values they had, and 13 under our names.
    void halfPrecision()
    {
        auto tensors = vectorTensors();
        std::erase_if(tensors,
                      [](const auto& tensor) { return tensor.name.find("layers.1.") != std::string::npos; });
        tensors.push_back({"score.bias", {1}, {0.25F}});
        QCOMPARE(tensors.size(), std::size_t(13));
        std::vector<std::vector<at::Half>> halves;
        std::vector<TensorSource> sources;
        for (auto& tensor : tensors) {
            halves.emplace_back(tensor.values.begin(), tensor.values.end());
            sources.push_back(
                {tensor.name, DType::F16, tensor.shape, std::as_bytes(std::span(halves.back()))});
            tensor.values.assign(halves.back().begin(), halves.back().end());
        }
        const Json oneLayer = {{"num_hidden_layers", 1}};
        QVERIFY_RESULT(writeVectorFolder(m_root / "single", tensors, oneLayer)); // the same values
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", {}, oneLayer));
        QVERIFY_RESULT(writeSafetensors(m_root / "hf" / "model.safetensors", sources));
        const auto expected = contentOf(m_root / "single");
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "kept", keeping()));
        QVERIFY(contentOf(m_root / "kept") == expected);

        auto options = asTorchtune();
        options.headBias = HeadBias::Drop;
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "tune", options));
        QCOMPARE(contentOf(m_root / "tune").size(), std::size_t(12));
        QVERIFY_RESULT(exportModel({}, (m_root / "tune").string(), std::nullopt, m_root / "back", {}));
        auto without = expected;
        without.erase("score.bias");
        QVERIFY(contentOf(m_root / "back") == without);
    }

    /// With the bias dropped on purpose 12 tensors a layer and the rest; without, one more under our names.
    void headBias()
    {
        auto tensors = vectorTensors();
        tensors.push_back({"score.bias", {1}, {0.25F}});
        QVERIFY_RESULT(writeVectorFolder(m_root / "hf", tensors));
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "kept", keeping()));
        QCOMPARE(contentOf(m_root / "kept").size(), tensors.size());
        QVERIFY(near(vectorScores(m_root / "kept"), vectorScores(m_root / "hf"), 0.0));
        auto options = asTorchtune();
        options.headBias = HeadBias::Drop;
        QVERIFY_RESULT(exportModel({}, (m_root / "hf").string(), std::nullopt, m_root / "tune", options));
        QCOMPARE(contentOf(m_root / "tune").size(), tensors.size() - 1);
        QVERIFY(near(vectorScores(m_root / "tune"), kVector, 5e-6));
    }

private:
    static ExportOptions keeping()
    {
        ExportOptions options;
        options.headBias = HeadBias::Keep;
        return options;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

QTEST_APPLESS_MAIN(TestTorchtune)
#include "tst_torchtune.moc"
