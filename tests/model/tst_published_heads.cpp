// Step reward models that keep their heads in other ways than ours, against what their authors' code
// computes.
#include "core/model/heads/head_declaration.h"
#include "core/model/model_folder.h"
#include "core/run/probes/probe_model.h"
#include "core/run/scoring/batch_scorer.h"
#include "tests/support/published_folder.h"
#include "tests/support/test_data.h"

#include <ATen/ops/equal.h>

#include <QTemporaryDir>

#include <cmath>

using namespace assay;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-5;
const std::string kPrompt = "what is 2 + 3?";
const std::vector<std::string> kSteps{"2 + 3 = 5.", "the sum is 5", "so 6"};

Example example()
{
    StepwiseExample content;
    content.prompt = kPrompt;
    for (const auto& step : kSteps)
        content.steps.push_back({step, Label::none()});
    Example result;
    result.source = "test";
    result.content = std::move(content);
    return result;
}

std::vector<TokenId> idsOf(const Tokenizer& tokenizer, const std::string& text, bool bos)
{
    std::vector<TokenId> ids;
    if (bos)
        ids.push_back(*tokenizer.special().bos);
    for (const auto& piece : tokenizer.encodeParsed(text))
        ids.push_back(piece.id);
    return ids;
}

/// What the folder computes at every position without any declaration: logits, or hidden states.
Json probed(const fs::path& folder, const std::vector<TokenId>& ids, const std::string& head)
{
    const auto answer =
        probeModel(folder, Json::array({{{"input_ids", ids}}}).dump(), "single", "float32", head);
    return answer.ok() ? Json::parse(*answer)["cases"][0] : Json(answer.error().text());
}

/// Softmax over two logits, the second one's share.
double share(double wrong, double correct)
{
    return 1.0 / (1.0 + std::exp(wrong - correct));
}

} // namespace

class TestPublishedHeads : public QObject
{
    Q_OBJECT

    QTemporaryDir m_place;

    fs::path folder(const char* name) const { return fs::path(m_place.path().toStdString()) / name; }

    /// Step probabilities by our own way through layout, batch and head.
    void compare(const fs::path& folder, const char* head, const std::vector<double>& expected)
    {
        const auto scorer = openBatchScorer(folder, {{"head.declaration", head}});
        QVERIFY_RESULT(scorer);
        const auto row = example();
        const auto answers = (*scorer)->score({&row, 1});
        QVERIFY_RESULT(answers.front());
        const auto& values = answers.front()->values;
        QCOMPARE(values.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(values[i].has_value());
            QVERIFY2(std::abs(values[i]->reward - expected[i]) <= kTolerance,
                     qPrintable(QStringLiteral("step %1: %2, not %3")
                                    .arg(i + 1)
                                    .arg(values[i]->reward)
                                    .arg(expected[i])));
        }
        QVERIFY(std::abs(expected[0] - expected[1]) > 1e-3); // a score that is always the same proves nothing
    }

private Q_SLOTS:
    void mathShepherd()
    {
        tests::PublishedFolder published;
        published.languageHead = true;
        published.write(folder("shepherd"));
        const auto tokenizer = openTokenizer(folder("shepherd"));
        QVERIFY_RESULT(tokenizer);
        // logits[:, :, [+, -]].softmax(-1)[:, :, 0] where input_ids == step tag
        const auto plus = (*tokenizer)->encode("+").back(), minus = (*tokenizer)->encode("-").back();
        const auto tag = (*tokenizer)->encode("ки").back();
        const auto ids = idsOf(
            **tokenizer, kPrompt + " " + kSteps[0] + " ки\n" + kSteps[1] + " ки\n" + kSteps[2] + " ки", true);
        const auto entry = probed(folder("shepherd"), ids, "none");
        QVERIFY2(entry.is_object(), entry.dump().c_str());
        std::vector<double> expected;
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (ids[i] == tag)
                expected.push_back(share(entry["outputs"][i][static_cast<std::size_t>(minus)],
                                         entry["outputs"][i][static_cast<std::size_t>(plus)]));
        QCOMPARE(expected.size(), kSteps.size());
        compare(folder("shepherd"), "math-shepherd", expected);
    }

    void chatTurns()
    {
        tests::PublishedFolder published;
        published.family = "llama";
        published.architecture = "LlamaForCausalLM";
        published.languageHead = true;
        published.write(folder("turns"));
        const auto tokenizer = openTokenizer(folder("turns"));
        QVERIFY_RESULT(tokenizer);
        const auto plus = (*tokenizer)->encode("+").back(), minus = (*tokenizer)->encode("-").back();
        // One conversation for every step, as the authors' simple version has it; read in front of the last
        // "+".
        std::string text = "<s>";
        std::vector<double> expected;
        for (std::size_t step = 0; step < kSteps.size(); ++step) {
            text +=
                "user: " + (step == 0 ? kPrompt + " " : std::string()) + kSteps[step] + "\nassistant: +\n";
            const auto ids = idsOf(**tokenizer, text, false);
            const auto last =
                static_cast<std::size_t>(std::find(ids.rbegin(), ids.rend(), plus).base() - ids.begin());
            const auto entry = probed(folder("turns"), ids, "none");
            QVERIFY2(entry.is_object(), entry.dump().c_str());
            const auto& logits = entry["outputs"][last - 2];
            expected.push_back(
                share(logits[static_cast<std::size_t>(minus)], logits[static_cast<std::size_t>(plus)]));
        }
        compare(folder("turns"), "rlhflow", expected);
    }

    void twoLayers()
    {
        tests::PublishedFolder published;
        published.family = "qwen2";
        published.architecture = "Qwen2ForProcessRewardModel";
        published.twoLayers = true;
        published.write(folder("layers"));
        const auto tokenizer = openTokenizer(folder("layers"));
        QVERIFY_RESULT(tokenizer);
        const auto tag = idsOf(**tokenizer, tests::kAddedTag, false);
        QCOMPARE(tag.size(), std::size_t{1});
        std::string text = "<s>system: Please reason step by step, and put your final answer within "
                           "\\boxed{}.\nuser: " +
                           kPrompt + "\nassistant: ";
        for (const auto& step : kSteps)
            text += step + tests::kAddedTag;
        const auto ids = idsOf(**tokenizer, text + "\n", false);
        const auto entry = probed(folder("layers"), ids, "auto");
        QVERIFY2(entry.is_object(), entry.dump().c_str());
        const auto value = [&](const char* name, std::int64_t row, std::int64_t column = -1) {
            const auto& tensor = published.tensors.at(name);
            return column < 0 ? tensor[row].item<double>() : tensor[row][column].item<double>();
        };
        std::vector<double> expected;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (ids[i] != tag.front())
                continue;
            const auto hidden = entry["last_hidden_state"][i].get<std::vector<double>>();
            const auto width = static_cast<std::int64_t>(hidden.size());
            double logits[2] = {value("score.2.bias", 0), value("score.2.bias", 1)};
            for (std::int64_t row = 0; row < width; ++row) {
                double inner = value("score.0.bias", row);
                for (std::int64_t k = 0; k < width; ++k)
                    inner += value("score.0.weight", row, k) * hidden[static_cast<std::size_t>(k)];
                for (const int output : {0, 1})
                    logits[output] += value("score.2.weight", output, row) * std::max(0.0, inner);
            }
            expected.push_back(share(logits[0], logits[1]));
        }
        QCOMPARE(expected.size(), kSteps.size());
        compare(folder("layers"), "auto", expected);
    }

    void ledgerNamesEveryTensor()
    {
        for (const bool layers : {true, false}) {
            tests::PublishedFolder published;
            published.family = "qwen2";
            published.architecture = layers ? "Qwen2ForProcessRewardModel" : "Qwen2ForCausalLM";
            published.languageHead = true; // Qwen's own files hold both
            published.twoLayers = layers;
            const auto place = folder(layers ? "ledger-layers" : "ledger-choice");
            published.write(place);
            const auto model = openModelFolder(place, at::kFloat, MissingHead::Refuse, at::kCPU, {},
                                               layers ? "auto" : "math-shepherd");
            QVERIFY_RESULT(model);
            QCOMPARE(QString::fromStdString(model->head.declaration),
                     layers ? QStringLiteral("qwen2.5-math-prm") : QStringLiteral("math-shepherd"));
            std::string all;
            for (const auto& entry : model->ledger)
                all += entry.tensor + " " + entry.action + " " + entry.detail + "\n";
            for (const auto& [name, tensor] : published.tensors)
                QVERIFY2(all.find(name + " loaded") != std::string::npos,
                         (name + " is not in\n" + all).c_str());
            if (!layers)
                QVERIFY2(all.find("score.weight mapped rows") != std::string::npos, all.c_str());
        }
    }

    void refused_data()
    {
        QTest::addColumn<QStringList>("leftOut");
        QTest::addColumn<QString>("head");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("no output bias")
            << QStringList{"score.2.bias"} << "auto" << QStringList{"score.2.bias"};
        QTest::newRow("no hidden weight")
            << QStringList{"score.0.weight"} << "auto" << QStringList{"score.0.weight"};
        QTest::newRow("no language head")
            << QStringList() << "math-shepherd" << QStringList{"lm_head.weight"};
        QTest::newRow("unknown declaration")
            << QStringList() << "math-sheperd" << QStringList{"math-sheperd", "math-shepherd", "rlhflow"};
        QTest::newRow("nobody takes the tensors")
            << QStringList() << "none" << QStringList{"score.0.bias", "no place"};
    }
    void refused()
    {
        QFETCH(QStringList, leftOut);
        QFETCH(QString, head);
        QFETCH(QStringList, words);
        tests::PublishedFolder published;
        published.family = "qwen2";
        published.architecture = "Qwen2ForProcessRewardModel";
        published.twoLayers = true;
        for (const auto& name : leftOut)
            published.leftOut.push_back(name.toStdString());
        QTemporaryDir place;
        published.write(place.path().toStdString());
        const auto model = openModelFolder(place.path().toStdString(), at::kFloat, MissingHead::Allow,
                                           at::kCPU, {}, head.toStdString());
        QVERIFY2(!model.ok(), "was opened");
        const auto text = QString::fromStdString(model.error().text());
        for (const auto& word : words)
            QVERIFY2(text.contains(word), qPrintable(word + QStringLiteral(" is not in: ") + text));
    }

    void ownDeclaration()
    {
        tests::PublishedFolder published;
        published.languageHead = true;
        published.write(folder("own"));
        const auto file = folder("own.json");
        std::ofstream(file) << R"({"id": "mine", "title": "Mine", "head": "token-choice",
            "tokens": {"wrong": "a", "correct": "b"}, "layout": {"name": "stepwise"}})";
        const auto model =
            openModelFolder(folder("own"), at::kFloat, MissingHead::Refuse, at::kCPU, {}, file.string());
        QVERIFY(!model.ok()); // "▁" and "a" are two tokens of this vocabulary
        QVERIFY2(model.error().text().find("\"a\" is 2 tokens") != std::string::npos,
                 model.error().text().c_str());
        std::ofstream(file) << R"({"id": "mine", "title": "Mine", "head": "token-choice",
            "tokens": {"wrong": "+", "correct": "-"}, "layout": {"name": "stepwise"}})";
        const auto turned =
            openModelFolder(folder("own"), at::kFloat, MissingHead::Refuse, at::kCPU, {}, file.string());
        QVERIFY_RESULT(turned);
        const auto usual =
            openModelFolder(folder("own"), at::kFloat, MissingHead::Refuse, at::kCPU, {}, "math-shepherd");
        QVERIFY_RESULT(usual);
        QVERIFY(at::equal(turned->head.weights.weight[0], usual->head.weights.weight[1]));
    }

    void badDeclarations_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("word");
        const QByteArray tokens = R"("tokens": {"wrong": "-", "correct": "+"})";
        const QByteArray layout = R"("layout": {"name": "stepwise"})";
        const QByteArray begin = R"({"id": "x", "title": "X", "head": )";
        QTest::newRow("no JSON") << QByteArray("{") << "JSON";
        QTest::newRow("no object") << QByteArray("[]") << "object";
        QTest::newRow("no id") << QByteArray(R"({"title": "X"})") << "id";
        QTest::newRow("unknown head") << begin + R"("three-layer"})"
                                      << "head";
        QTest::newRow("no tokens") << begin + R"("token-choice", )" + layout + "}"
                                   << "tokens";
        QTest::newRow("empty token") << begin +
                                            R"("token-choice", "tokens": {"wrong": "", "correct": "+"}, )" +
                                            layout + "}"
                                     << "wrong";
        QTest::newRow("no layout") << begin + R"("token-choice", )" + tokens + "}"
                                   << "layout";
        QTest::newRow("layout without its tag")
            << begin + R"("token-choice", )" + tokens + R"(, "layout": {"name": "marker"}})"
            << "step tag";
        QTest::newRow("unknown key") << begin + R"("token-choice", "code": "x.py", )" + tokens + ", " +
                                            layout + "}"
                                     << "code";
    }
    void badDeclarations()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, word);
        const auto result = parseHeadDeclaration(text.toStdString(), "mine.json");
        QVERIFY2(!result.ok(), "was taken");
        const auto error = QString::fromStdString(result.error().text());
        QVERIFY2(error.contains(word) && error.contains(QStringLiteral("mine.json")), qPrintable(error));
    }

    /// What a training saves opens again as the same head, and not as a class that transformers would fill
    /// with random weights.
    void savedTwoLayersOpenAgain()
    {
        tests::TinyModelOptions options;
        options.head = "step-two-layer";
        options.family = "qwen2";
        const auto model = tests::tinyModel(options);
        auto saved = model->saved();
        const auto place = folder("saved");
        fs::create_directories(place);
        QVERIFY_RESULT(writeSafetensors(place / "model.safetensors", std::move(saved.sources)));
        std::ofstream(place / "config.json") << saved.configJson;
        QCOMPARE(Json::parse(saved.configJson)["architectures"][0].get<std::string>(),
                 std::string("Qwen2ForProcessRewardModel"));
        const auto opened = openModelFolder(place, at::kFloat, MissingHead::Refuse);
        QVERIFY_RESULT(opened);
        QVERIFY(opened->head.kind() == headKind("step-two-layer"));
        const auto again = makeHead(*opened->head.kind(), opened->head.weights);
        const auto before = model->head().parameters(), after = again->parameters();
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(at::equal(before[i].tensor, after[i].tensor));
    }

    void freshHeadIsRefused()
    {
        tests::PublishedFolder published;
        published.architecture = "MistralForTokenClassification"; // says trained, and has no score.weight
        published.write(folder("fresh"));
        const ScorerSettings settings{{"layout.name", "stepwise"}};
        const auto refused = openBatchScorer(folder("fresh"), settings);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().text().find("score.weight") != std::string::npos,
                 refused.error().text().c_str());
        QVERIFY_RESULT(openBatchScorer(folder("fresh"), settings, FreshHead::Allow));
    }

    void languageModelIsNoRewardModel()
    {
        tests::PublishedFolder published;
        published.languageHead = true;
        published.write(folder("plain"));
        const auto refused = openBatchScorer(folder("plain"), {{"layout.name", "stepwise"}});
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().text().find("math-shepherd") != std::string::npos,
                 refused.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TestPublishedHeads)
#include "tst_published_heads.moc"
