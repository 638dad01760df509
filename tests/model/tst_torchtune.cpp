// torchtune's names and row order, both ways, and a vector that the wrong row order gets wrong.
#include "core/base/durable_file.h"
#include "core/model/torchtune.h"
#include "core/run/exports/export_model.h"
#include "core/run/probes/probe_model.h"
#include "tests/support/reference_vector.h"
#include "tests/support/test_data.h"
#include "tests/support/weight_content.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

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
        // torchtune's rows under the names of Hugging Face.
        auto wrong = vectorTensors();
        for (auto& tensor : wrong) {
            const auto heads = tensor.name.ends_with("q_proj.weight")   ? 4
                               : tensor.name.ends_with("k_proj.weight") ? 2
                                                                        : 0;
            if (heads == 0)
                continue;
            const at::Tensor rows = interleaved(at::tensor(tensor.values).reshape(tensor.shape), heads);
            const auto* data = rows.const_data_ptr<float>();
            tensor.values.assign(data, data + rows.numel());
        }
        QVERIFY_RESULT(writeVectorFolder(m_root / "wrong", wrong));
        const auto other = vectorScores(m_root / "wrong");
        QCOMPARE(other.size(), scores.size());
        QVERIFY2(std::abs(other[1] + 1.786033) < 5e-6, qPrintable(QString::number(other[1], 'g', 9)));
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
