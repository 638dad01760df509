// `assay metrics` against the reference, through the program: one process, one line per case.
#include "tests/support/golden_json.h"
#include "tests/support/program.h"

#include <map>

using namespace assay::tests;

namespace {

/// Names of the reference and ours.
const std::map<std::string, std::string> kNames{
    {"tpr", "true_positive_rate"},
    {"tnr", "true_negative_rate"},
    {"recall_positive", "true_positive_rate"},
    {"recall_negative", "true_negative_rate"},
    {"average_precision_positive", "auprc_positive"},
    {"average_precision_negative", "auprc_negative"},
    {"average_precision_negative_chance", "share_negative"},
    {"error_accuracy", "first_error_accuracy_wrong"},
    {"correct_accuracy", "first_error_accuracy_correct"},
    {"f1", "first_error_f1"},
    {"exact_match", "first_error_exact_match"},
    {"mean_signed_distance", "first_error_mean_signed_distance"},
    {"within_one", "first_error_within_one"},
    {"accuracy_ties_half", "pair_accuracy"},
    {"mean_margin", "margin_mean"},
    {"loss", "log_loss"},
};

/// The line that asks for a case; null when nothing here answers its kind.
Json question(const Json& one)
{
    const auto& input = one.at("input");
    const auto kind = one.at("kind").get<std::string>();
    if (kind == "binary")
        return {{"scores", input.at("scores")},
                {"labels", input.at("labels")},
                {"threshold", input.at("threshold")},
                {"tie_rule", "above-is-correct"}};
    if (kind == "first_error") {
        Json solutions = Json::array();
        for (const auto& solution : input.at("solutions"))
            solutions.push_back({{"first_error", solution.at("label")}, {"scores", solution.at("scores")}});
        return {{"solutions", solutions}, {"threshold", input.at("threshold")}};
    }
    if (kind == "pairs")
        return {{"chosen", input.at("chosen")}, {"rejected", input.at("rejected")}};
    return nullptr;
}

/// Empty, or what differs.
std::string compared(const Json& expected, const Json& answer)
{
    std::string problems;
    for (const auto& [key, value] : expected.items()) {
        if (key == "trl_batch_mean_accuracy") // a mean of batch means, which is not a metric of the pairs
            continue;
        if (value.is_object() && value.contains("value")) {
            const auto found = kNames.find(key);
            const auto& name = found == kNames.end() ? key : found->second;
            if (!answer["metrics"].contains(name)) {
                problems += "nothing answers " + key + "; ";
                continue;
            }
            const auto& ours = answer["metrics"][name];
            const auto measured = ours["value"].is_null()
                                      ? assay::Measure::undefined(ours.value("reason", std::string()))
                                      : assay::Measure::of(ours["value"].get<double>());
            if (const auto text = difference(key, measured, value, 1e-9); !text.empty())
                problems += text + "; ";
        } else if (key == "confusion" && !answer["confusion"].is_null()) {
            const auto& ours = answer["confusion"];
            if (ours["true_positive"] != value["tp"] || ours["true_negative"] != value["tn"] ||
                ours["false_positive"] != value["fp"] || ours["false_negative"] != value["fn"])
                problems += "confusion; ";
        } else if (answer.contains(key) && key != "confusion" && answer[key] != value) {
            problems += key + "; ";
        }
    }
    return problems;
}

} // namespace

class TstMetricsCommand : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void golden()
    {
        NEED_TEST_DATA("golden-trl/metrics.json");
        const Json file = readJson("golden-trl/metrics.json");
        QByteArray input;
        std::vector<const Json*> asked;
        std::map<std::string, int> ran, left;
        for (const auto& one : file.at("cases")) {
            const auto line = question(one);
            ++(line.is_null() ? left : ran)[one.at("kind").get<std::string>()];
            if (line.is_null())
                continue;
            input += QByteArray::fromStdString(line.dump()) + "\n";
            asked.push_back(&one);
        }
        const auto result = runAssay({"metrics"}, input);
        QVERIFY2(result.exitCode == 0, result.errors.constData());
        const auto answers = result.jsonLines();
        QCOMPARE(answers.size(), asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto problems = compared(asked[i]->at("expected"), answers[i]);
            QVERIFY2(problems.empty(), (asked[i]->at("name").get<std::string>() + ": " + problems).c_str());
        }
        for (const auto& [kind, count] : ran)
            qInfo("%s: %d cases ran", kind.c_str(), count);
        for (const auto& [kind, count] : left)
            qInfo("%s: %d cases NOT run, the command has no such kind", kind.c_str(), count);
        QVERIFY(ran.contains("binary") && ran.contains("first_error"));
    }

    /// The same solutions told step by step give the same figures as told by their first error.
    void groupsAreSolutions()
    {
        const auto result =
            runAssay({"metrics"}, R"({"scores": [0.9, 0.2, 0.1, 0.9, 0.8], "labels": [1, 0, null, 1, 1], )"
                                  R"("groups": ["a", "a", "a", 7, 7]})"
                                  "\n"
                                  R"({"solutions": [{"first_error": 1, "scores": [0.9, 0.2, 0.1]}, )"
                                  R"({"first_error": -1, "scores": [0.9, 0.8]}]})"
                                  "\n"
                                  R"({"scores": [0.9, 0.9, 0.2, 0.8, 0.1], "labels": [1, 1, 0, 1, null], )"
                                  R"("groups": ["a", 7, "a", 7, "a"]})");
        QVERIFY2(result.exitCode == 0, result.errors.constData());
        const auto lines = result.jsonLines();
        QCOMPARE(lines.size(), std::size_t{3});
        QCOMPARE(lines[0]["n"].get<int>(), 4);
        QCOMPARE(lines[0]["unsupervised"].get<int>(), 1);
        for (const auto& [key, value] : lines[1]["metrics"].items()) {
            QVERIFY2(lines[0]["metrics"][key] == value, key.c_str());
            QVERIFY2(lines[2]["metrics"][key] == value, key.c_str());
        }
        QCOMPARE(lines[0]["metrics"]["first_error_f1"]["value"].get<double>(), 1.0);
        QCOMPARE(lines[0]["metrics"]["within_solution_auroc"]["value"].get<double>(), 1.0);
        // Without groups the figures about solutions are undefined, and say why.
        const auto plain = runAssay({"metrics"}, R"({"scores": [0.9, 0.2], "labels": [1, 0]})").jsonLines();
        QVERIFY(plain[0]["metrics"]["first_error_f1"]["value"].is_null());
        QVERIFY(!plain[0]["metrics"]["first_error_f1"]["reason"].get<std::string>().empty());
    }

    void tieRules()
    {
        const auto lines =
            runAssay({"metrics"}, R"({"scores": [0.5], "labels": [1]})"
                                  "\n"
                                  R"({"scores": [0.5], "labels": [1], "tie_rule": "above-is-correct"})")
                .jsonLines();
        QCOMPARE(lines[0]["metrics"]["accuracy"]["value"].get<double>(), 1.0);
        QCOMPARE(lines[1]["metrics"]["accuracy"]["value"].get<double>(), 0.0);
    }

    void badLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray("no JSON object");
        QTest::newRow("no object") << QByteArray("[1]") << QByteArray("no JSON object");
        QTest::newRow("lengths") << QByteArray(R"({"scores": [1], "labels": []})")
                                 << QByteArray("1 scores and 0 labels");
        QTest::newRow("no number") << QByteArray(R"({"scores": ["x"], "labels": [1]})")
                                   << QByteArray("scores[0]");
        QTest::newRow("label") << QByteArray(R"({"scores": [1], "labels": [-100]})")
                               << QByteArray("outside [0, 1]");
        QTest::newRow("unknown key") << QByteArray(R"({"scores": [], "labels": [], "treshold": 0.4})")
                                     << QByteArray("treshold");
        QTest::newRow("rule") << QByteArray(R"({"scores": [], "labels": [], "tie_rule": "x"})")
                              << QByteArray("above-is-correct");
        QTest::newRow("kind") << QByteArray(R"({"kind": "x"})") << QByteArray("Known kinds");
        QTest::newRow("pairs") << QByteArray(R"({"chosen": [1, 2], "rejected": [0]})")
                               << QByteArray("2 chosen and 1 rejected");
        QTest::newRow("groups") << QByteArray(R"({"scores": [1], "labels": [1], "groups": []})")
                                << QByteArray("0 groups");
        QTest::newRow("first error") << QByteArray(R"({"solutions": [{"scores": [], "first_error": -2}]})")
                                     << QByteArray("solutions[0]");
    }
    /// A bad line is answered in its place, named, and the next one is still answered.
    void badLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, says);
        const auto result =
            runAssay({"metrics"}, "\n" + line + "\n" + R"({"id": 5, "scores": [0.7], "labels": [1]})" + "\n");
        QCOMPARE(result.exitCode, 4);
        const auto lines = result.jsonLines();
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines[0]["line"].get<int>(), 2);
        QVERIFY2(result.output.split('\n').front().contains(says), result.output.constData());
        QVERIFY(lines[0]["error"]["where"].get<std::string>().find("line 2") != std::string::npos);
        QCOMPARE(lines[1]["id"].get<int>(), 5);
    }
};

QTEST_GUILESS_MAIN(TstMetricsCommand)
#include "tst_metrics_command.moc"
