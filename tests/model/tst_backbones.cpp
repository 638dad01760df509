// A real model against transformers, where somebody has fetched one: ASSAY_BACKBONES names a folder with
// smollm2-135m-instruct and its reference.json.
#include "core/run/probes/probe_model.h"
#include "core/text/chat/chat_template.h"
#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"

#include <QElapsedTimer>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace assay;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TestBackbones : public QObject
{
    Q_OBJECT

    fs::path m_folder;
    Json m_reference;

    /// |x - r| <= 5e-5 + 2e-5 |r|; returns the largest part of that allowance that was used.
    static double worstShare(const Json& values, const Json& reference)
    {
        double worst = values.size() == reference.size() ? 0.0 : INFINITY;
        for (std::size_t i = 0; i < reference.size() && i < values.size(); ++i) {
            const auto x = values[i].get<double>(), r = reference[i].get<double>();
            worst = std::max(worst, std::abs(x - r) / (5e-5 + 2e-5 * std::abs(r)));
        }
        return worst;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const char* place = std::getenv("ASSAY_BACKBONES");
        m_folder = fs::path(place ? place : "") / "smollm2-135m-instruct";
        if (!place || !fs::exists(m_folder / "reference.json"))
            QSKIP("skipped: no backbones (ASSAY_BACKBONES)");
        std::ifstream file(m_folder / "reference.json");
        m_reference = Json::parse(file);
    }

    void idsAndText()
    {
        const auto tokenizer = openTokenizer(m_folder);
        QVERIFY_RESULT(tokenizer);
        for (const auto& entry : m_reference["cases"]) {
            const auto text = entry["text"].get<std::string>();
            const auto ids = (*tokenizer)->encode(text);
            QVERIFY(Json(ids) == entry["ids_without_special"]);
            std::vector<TokenId> templated;
            for (const auto& piece : (*tokenizer)->encodeTemplated(text, std::nullopt).pieces)
                templated.push_back(piece.id);
            QVERIFY(Json(templated) == entry["ids"]);
            QCOMPARE((*tokenizer)->decode(templated), entry["decoded"].get<std::string>());
        }
    }

    void chat()
    {
        const auto tokenizer = openTokenizer(m_folder);
        QVERIFY_RESULT(tokenizer);
        QVERIFY((*tokenizer)->chatTemplate());
        const std::vector<Message> messages{{"user", "What is 2 + 2?"}, {"assistant", "4."}};
        const auto text = (*tokenizer)->chatTemplate()->render(messages, false);
        QVERIFY_RESULT(text);
        QCOMPARE(QString::fromStdString(*text),
                 QString::fromStdString(m_reference["chat"].get<std::string>()));
    }

    void hiddenStates()
    {
        Json cases = Json::array();
        for (const auto& entry : m_reference["cases"])
            cases.push_back({{"input_ids", entry["ids"]}});
        QElapsedTimer timer;
        timer.start();
        const auto answer = probeModel(m_folder, cases.dump(), "single");
        QVERIFY_RESULT(answer);
        const auto seconds = static_cast<double>(timer.elapsed()) / 1000.0;
        const auto results = Json::parse(*answer)["cases"];
        double worst = 0.0;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto& states = results[i]["last_hidden_state"];
            worst = std::max({worst, worstShare(states.front(), m_reference["cases"][i]["hidden_first"]),
                              worstShare(states.back(), m_reference["cases"][i]["hidden_last"])});
        }
        qInfo("largest error: %.3f of the tolerance; opened and computed in %.1f s", worst, seconds);
        QVERIFY2(worst <= 1.0, qPrintable(QString::number(worst)));
    }
};

QTEST_GUILESS_MAIN(TestBackbones)
#include "tst_backbones.moc"
