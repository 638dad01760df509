// A model folder looked at and tried: with a head, without one, and folders that are refused.
#include "core/run/probes/inspect_model.h"
#include "core/run/probes/open_trial.h"
#include "tests/support/published_folder.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

class TestOpenTrial : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_model;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_model = m_folder->path().toStdString();
    }

    void inspects()
    {
        PublishedFolder published;
        published.languageHead = true;
        published.write(m_model);
        double last = -1.0;
        LoadWatch watch;
        watch.progress = [&last](double share) { last = share; };
        const auto report = inspectModel({m_model.string(), "math-shepherd"}, watch);
        QVERIFY_RESULT(report);
        QCOMPARE(report->family, std::string("mistral"));
        QCOMPARE(report->ledger.size(), published.tensors.size() + 1); // and the head made of its rows
        QCOMPARE(report->head->declaration, std::string("math-shepherd"));
        QVERIFY(report->tokenizer.vocabulary > 0 && report->tokenizer.chatTemplate);
        QVERIFY(report->memory.scoring > 0 && report->memory.training == 4 * report->memory.scoring);
        QVERIFY(last > 0.5 && last < 1.0);
    }

    void inspectingStops()
    {
        PublishedFolder().write(m_model);
        std::stop_source stop;
        stop.request_stop();
        LoadWatch watch;
        watch.stop = stop.get_token();
        const auto report = inspectModel({m_model.string()}, watch);
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
    }

    void tokenizerIsOptional()
    {
        PublishedFolder().write(m_model);
        fs::remove(m_model / "tokenizer.model");
        const auto report = inspectModel({m_model.string()});
        QVERIFY_RESULT(report);
        QCOMPARE(report->tokenizer.vocabulary, 0);
        QVERIFY(report->tokenizer.problem.find("tokenizer") != std::string::npos);
    }

    void scores()
    {
        PublishedFolder published;
        published.languageHead = true;
        published.write(m_model);
        const auto trial = openTrial({m_model.string(), "math-shepherd"});
        QVERIFY_RESULT(trial);
        QVERIFY(!(*trial)->withoutScores());
        QVERIFY((*trial)->steps());
        QCOMPARE((*trial)->layoutName(), std::string("marker"));
        const auto answer = (*trial)->answer({"1 + 1 =", {"a", "b"}});
        QVERIFY_RESULT(answer);
        QCOMPARE(answer->values.size(), 2U);
        for (const auto& value : answer->values)
            QVERIFY(value && value->reward > 0.0 && value->reward < 1.0);
        QVERIFY(std::count_if(answer->view.tokens.begin(), answer->view.tokens.end(),
                              [](const auto& token) { return token.readOut; }) == 2);
        const auto again = (*trial)->answer({"1 + 1 =", {"a", "c"}});
        QVERIFY_RESULT(again);
        QCOMPARE(again->values[0]->score, answer->values[0]->score); // later steps change no earlier one
        const auto none = (*trial)->answer({"1 + 1 =", {}});
        QVERIFY_RESULT(none);
        QVERIFY(none->values.empty() && none->view.tokens.empty());
    }

    void tokensOnly()
    {
        PublishedFolder().write(m_model);
        const auto trial = openTrial({m_model.string()});
        QVERIFY_RESULT(trial);
        QVERIFY((*trial)->withoutScores());
        const std::string tag = kAddedTag;
        std::vector<std::size_t> counts;
        for (const bool parse : {false, true}) {
            const auto answer = (*trial)->answer({"a " + tag, {"b"}, parse});
            QVERIFY_RESULT(answer);
            QVERIFY(answer->values.empty());
            std::string text;
            for (const auto& token : answer->view.tokens)
                text += token.text;
            QCOMPARE(text, "a " + tag + "\nb"); // every byte of what was typed
            counts.push_back(answer->view.tokens.size());
        }
        QVERIFY(counts[1] < counts[0]);
    }

    void refused()
    {
        const auto trial = openTrial({(m_model / "nowhere").string()});
        QVERIFY(!trial);
        QCOMPARE(trial.error().code, ErrorCode::NotFound);
        QVERIFY(!inspectModel({(m_model / "nowhere").string()}));
    }
};

QTEST_APPLESS_MAIN(TestOpenTrial)
#include "tst_open_trial.moc"
