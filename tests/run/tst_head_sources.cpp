// What becomes of the head that a folder has, lacks, or has in another shape, when a model is built to be
// trained.
#include "core/model/heads.h"
#include "core/run/build_model.h"
#include "tests/support/reference_vector.h"
#include "tests/support/test_data.h"

#include <ATen/TensorOperators.h>

#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;
using namespace assay::tests;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

at::Tensor parameterOf(const RewardModel& model, const std::string& name)
{
    for (const auto& parameter : model.parameters())
        if (parameter.name == name)
            return parameter.tensor;
    return {};
}

bool says(const Ledger& ledger, const QString& tensor, const QString& action)
{
    return std::any_of(ledger.begin(), ledger.end(), [&](const auto& entry) {
        return entry.tensor == tensor.toStdString() && entry.action == action.toStdString();
    });
}

/// First value of a tensor of the vector's fill.
double firstOf(const std::vector<Filled>& tensors, const std::string& name)
{
    for (const auto& tensor : tensors)
        if (tensor.name == name)
            return tensor.values.front();
    return NAN;
}

} // namespace

class TestHeadSources : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void heads_data()
    {
        QTest::addColumn<QString>("head"); // of the file: score, score and bias, language, none
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QString>("action");
        QTest::addColumn<bool>("ofTheFile"); // the head's weight is the file's
        const auto row = [](const char* name, const char* head, const char* kind, const char* tensor,
                            const char* action, bool ofTheFile) {
            QTest::newRow(name) << QString::fromLatin1(head) << QString::fromLatin1(kind)
                                << QString::fromLatin1(tensor) << QString::fromLatin1(action) << ofTheFile;
        };
        row("same shape: the file's head wins", "score", "pair-scalar", "score.weight", "loaded", true);
        row("a bias that the kind has no place for", "bias", "pair-scalar", "score.bias", "unused", true);
        row("a bias that the kind has", "bias", "step-scalar", "score.bias", "loaded", true);
        row("a bias that the file lacks", "score", "step-scalar", "score.bias", "initialised", true);
        row("another number of outputs", "score", "step-classifier", "score.weight", "unused", false);
        row("a language model", "language", "step-classifier", "score.weight", "initialised", false);
        row("a language model with a bias", "language bias", "step-classifier", "lm_head.bias", "unused",
            false);
        row("a new head is asked for", "fresh", "pair-scalar", "score.weight", "initialised", false);
        row("so the file's is left", "fresh", "pair-scalar", "score.weight", "unused", false);
        row("a classifier without its head", "none", "pair-scalar", "score.weight", "initialised", false);
    }
    void heads()
    {
        QFETCH(QString, head);
        QFETCH(QString, kind);
        QFETCH(QString, tensor);
        QFETCH(QString, action);
        QFETCH(bool, ofTheFile);
        auto tensors = vectorTensors();
        Json change = Json::object();
        if (head == QLatin1String("bias"))
            tensors.push_back({"score.bias", {1}, {0.25F}});
        if (head == QLatin1String("language bias"))
            tensors.insert(tensors.begin(), filled("lm_head.bias", {50}, 21, false));
        if (head.startsWith(QLatin1String("language"))) {
            tensors.back() = filled("lm_head.weight", {50, 16}, 20, false);
            change = {{"architectures", {"LlamaForCausalLM"}}};
        }
        if (head == QLatin1String("none"))
            tensors.pop_back();
        const auto built = build(tensors, kind, change, head == QLatin1String("fresh"));
        QVERIFY_RESULT(built);
        QVERIFY(says(built->ledger, tensor, action));
        const auto weight = parameterOf(*built->model, "score.weight");
        QCOMPARE(weight.size(0), std::int64_t(headKind(kind.toStdString())->outputs));
        QCOMPARE(weight.size(1), std::int64_t(16));
        QCOMPARE(weight[0][0].item<double>() == firstOf(vectorTensors(), "score.weight"), ofTheFile);
        // Everything but the head is the file's.
        for (const auto& filledTensor : vectorTensors())
            if (filledTensor.name != "score.weight")
                QCOMPARE(parameterOf(*built->model, filledTensor.name).flatten()[0].item<double>(),
                         double(filledTensor.values.front()));
    }

    void anotherWidthIsAnError()
    {
        auto tensors = vectorTensors();
        tensors.back() = filled("score.weight", {1, 8}, 20, false);
        const auto built = build(tensors, QStringLiteral("pair-scalar"), Json::object());
        QVERIFY(!built.ok());
        QVERIFY2(built.error().message.find("score.weight has shape [1, 8]") != std::string::npos,
                 built.error().text().c_str());
    }

private:
    static Result<BuiltModel> build(const std::vector<Filled>& tensors, const QString& kind,
                                    const Json& change, bool fresh = false)
    {
        const QTemporaryDir folder;
        TRY_STATUS(writeVectorFolder(folder.path().toStdString(), tensors, change));
        ExperimentConfig config;
        config.backbone.source = "folder";
        config.backbone.folder = folder.path().toStdString();
        config.head.kind = kind.toStdString();
        config.head.fresh = fresh;
        TRY(auto plan, planModel(config));
        return buildModel(config, std::move(plan), {});
    }
};

QTEST_APPLESS_MAIN(TestHeadSources)
#include "tst_head_sources.moc"
