// `assay objective` against the reference losses and gradients, through the program.
#include "tests/support/golden_json.h"
#include "tests/support/program.h"

#include <functional>
#include <map>

using namespace assay::tests;

namespace {

/// A question to one objective, and what the reference says to it.
struct Question
{
    std::string name, objective;
    Json line, gradient;
    double mean = 0.0;
};

/// Nested lists as one flat list of their innermost `width` (0 = numbers).
void flatten(const Json& value, bool rows, Json& out)
{
    const bool innermost = !value.empty() && !value.front().is_array();
    if (value.is_array() && !(rows && innermost)) {
        for (const auto& entry : value)
            value.front().is_array() ? flatten(entry, rows, out) : out.push_back(entry);
        return;
    }
    out.push_back(value);
}

Json flat(const Json& value, bool rows)
{
    Json out = Json::array();
    flatten(value, rows, out);
    return out;
}

/// -100 and other ignored labels become null: nobody supervises them.
Json labels(const Json& list)
{
    Json out = flat(list, false);
    for (auto& label : out)
        if (label == -100)
            label = nullptr;
    return out;
}

std::vector<Question> stepwiseQuestions(const Json& one)
{
    const auto kind = one["kind"].get<std::string>();
    const auto name = one["name"].get<std::string>();
    const auto& params = one["params"];
    if (kind == "stepwise_ce" && flat(one["inputs"]["logits"], true).front().size() == 2)
        return {{name,
                 "cross-entropy",
                 {{"scores", flat(one["inputs"]["logits"], true)},
                  {"targets", {{"value", labels(params["labels"])}}}},
                 flat(one["grad"]["logits"], true),
                 one["loss"].get<double>()}};
    if (kind == "soft_ce")
        return {{name,
                 "cross-entropy",
                 {{"scores", one["inputs"]["logits"]}, {"targets", {{"value", params["targets"]}}}},
                 one["grad"]["logits"],
                 one["loss"].get<double>()}};
    if (kind == "bce" && !params.contains("positive_weight")) {
        Json targets = {{"value", flat(params["targets"], false)}};
        if (params.contains("mask"))
            targets["mask"] = flat(params["mask"], false);
        if (params.contains("weights"))
            targets["weight"] = params["weights"];
        return {{name,
                 "binary",
                 {{"scores", flat(one["inputs"]["logits"], false)}, {"targets", targets}},
                 flat(one["grad"]["logits"], false),
                 one["loss"].get<double>()}};
    }
    return {};
}

double largestDifference(const Json& a, const Json& b)
{
    if (a.is_array() != b.is_array() || (a.is_array() && a.size() != b.size()))
        return 1e300;
    if (!a.is_array())
        return a.is_number() && b.is_number() ? std::abs(a.get<double>() - b.get<double>()) : 1e300;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, largestDifference(a[i], b[i]));
    return largest;
}

Json scaled(const Json& value, double factor)
{
    if (!value.is_array())
        return value.get<double>() * factor;
    Json out = Json::array();
    for (const auto& entry : value)
        out.push_back(scaled(entry, factor));
    return out;
}

} // namespace

class TstObjectiveCommand : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void golden()
    {
        NEED_TEST_DATA("golden-trl/losses.json");
        std::map<std::string, std::vector<Question>> byObjective;
        std::map<std::string, int> left;
        const Json file = readJson("golden-trl/losses.json");
        for (const auto& one : file["cases"]) {
            const auto questions = stepwiseQuestions(one);
            for (const auto& question : questions)
                byObjective[question.objective].push_back(question);
            if (questions.empty())
                ++left[one["kind"].get<std::string>()];
        }
        for (const auto& [objective, questions] : byObjective) {
            QByteArray input;
            for (const auto& question : questions)
                input += QByteArray::fromStdString(question.line.dump()) + "\n";
            const auto result = runAssay({"objective", QString::fromStdString(objective)}, input);
            QVERIFY2(result.exitCode == 0, result.errors.constData());
            const auto answers = result.jsonLines();
            QCOMPARE(answers.size(), questions.size());
            for (std::size_t i = 0; i < answers.size(); ++i) {
                const auto& question = questions[i];
                const double mean = answers[i]["mean"].get<double>();
                QVERIFY2(std::abs(mean - question.mean) <= 1e-10 * std::max(1.0, std::abs(question.mean)),
                         (question.name + ": " + answers[i].dump()).c_str());
                // The reference divides by the count, the command gives the gradient of the sum.
                const auto gradient = scaled(answers[i]["gradient"], 1.0 / answers[i]["count"].get<double>());
                QVERIFY2(largestDifference(gradient, question.gradient) < 1e-10, question.name.c_str());
            }
            qInfo("%s: %zu cases equal", objective.c_str(), answers.size());
        }
        for (const auto& [kind, count] : left)
            qInfo("%s: %d cases NOT run, no such objective", kind.c_str(), count);
        QVERIFY(byObjective["cross-entropy"].size() >= 4 && byObjective["binary"].size() >= 4);
    }

    /// Pairs as groups of two, best first; margins and centring of the golden set in double.
    void goldenPairs()
    {
        NEED_TEST_DATA("golden-trl/losses.json");
        const Json file = readJson("golden-trl/losses.json");
        std::vector<Json> cases;
        QByteArray input;
        for (const auto& one : file["cases"]) {
            if (one["kind"] != "bradley_terry")
                continue;
            Json scores = Json::array(), ranks = Json::array(), offsets = Json::array({0});
            const auto &chosen = one["inputs"]["chosen"], &rejected = one["inputs"]["rejected"];
            for (std::size_t i = 0; i < chosen.size(); ++i) {
                for (const auto* side : {&chosen, &rejected})
                    scores.push_back((*side)[i]);
                for (const int rank : {0, 1})
                    ranks.push_back(rank);
                offsets.push_back(2 * (i + 1));
            }
            Json line = {{"scores", scores}, {"targets", {{"group_offsets", offsets}, {"rank", ranks}}}};
            const auto& params = one["params"];
            if (params.contains("margin"))
                line["targets"]["margin"] = params["margin"];
            line["options"]["centring"] = params.value("center_rewards_coefficient", 0.0);
            input += QByteArray::fromStdString(line.dump()) + "\n";
            cases.push_back(one);
        }
        const auto result = runAssay({"objective", "bradley-terry"}, input);
        QVERIFY2(result.exitCode == 0, result.errors.constData());
        const auto answers = result.jsonLines();
        QCOMPARE(answers.size(), cases.size());
        QVERIFY(cases.size() >= 6);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto& gradient = answers[i]["gradient"];
            const double count = answers[i]["count"].get<double>(), loss = cases[i]["loss"].get<double>();
            QCOMPARE(static_cast<std::size_t>(count), gradient.size() / 2);
            QVERIFY(std::abs(answers[i]["mean"].get<double>() - loss) <=
                    1e-10 * std::max(1.0, std::abs(loss)));
            for (std::size_t k = 0; k < gradient.size(); ++k) {
                const double expected = cases[i]["grad"][k % 2 ? "rejected" : "chosen"][k / 2].get<double>();
                QVERIFY(std::abs(gradient[k].get<double>() / count - expected) < 1e-10);
            }
        }
    }

    void badGroups_data()
    {
        QTest::addColumn<QByteArray>("targets");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("none") << QByteArray("{}") << QByteArray("group_offsets");
        QTest::newRow("short") << QByteArray(R"({"group_offsets": [0, 1], "rank": [0, 1]})")
                               << QByteArray("group_offsets");
        QTest::newRow("no rank") << QByteArray(R"({"group_offsets": [0, 2]})") << QByteArray("rank");
        QTest::newRow("margins") << QByteArray(
                                        R"({"group_offsets": [0, 2], "rank": [0, 1], "margin": [1, 2]})")
                                 << QByteArray("margin");
    }
    void badGroups()
    {
        QFETCH(QByteArray, targets);
        QFETCH(QByteArray, says);
        const auto result =
            runAssay({"objective", "bradley-terry"}, R"({"scores": [1, 0], "targets": )" + targets + "}\n");
        QCOMPARE(result.exitCode, 4);
        QVERIFY2(result.output.contains(says), result.output.constData());
    }

    /// The gradient is that of the sum: a central difference finds the same.
    void finiteDifference()
    {
        constexpr double kStep = 1e-5;
        const auto line = [](double first) {
            return Json({{"scores", {{first, 0.3}, {-1.0, 0.2}, {0.5, 0.5}}},
                         {"targets", {{"value", {0.25, nullptr, 0}}, {"weight", {2, 1, 0.5}}}},
                         {"options", {{"wrong_weight", 3}}}})
                       .dump() +
                   "\n";
        };
        const auto lines =
            runAssay({"objective", "cross-entropy"},
                     QByteArray::fromStdString(line(0.7) + line(0.7 + kStep) + line(0.7 - kStep)))
                .jsonLines();
        QCOMPARE(lines.size(), std::size_t{3});
        QCOMPARE(lines[0]["count"].get<double>(), 2.0);
        const double slope = (lines[1]["sum"].get<double>() - lines[2]["sum"].get<double>()) / (2.0 * kStep);
        QVERIFY(std::abs(slope - lines[0]["gradient"][0][0].get<double>()) < 1e-8);
        QCOMPARE(lines[0]["gradient"][1][0].get<double>(), 0.0);
    }

    void nothingSupervisedHasNoMean()
    {
        const auto lines =
            runAssay({"objective", "binary"}, R"({"scores": [1, 2], "targets": {"value": [null, null]}})")
                .jsonLines();
        QCOMPARE(lines[0]["count"].get<double>(), 0.0);
        QVERIFY(lines[0]["mean"].is_null());
    }

    void badLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* line, const char* says) {
            QTest::newRow(name) << QByteArray(line) << QByteArray(says);
        };
        row("no JSON", "{", "no JSON object");
        row("no scores", R"({"targets": {}})", "scores");
        row("ragged", R"({"scores": [[1], [1, 2]], "targets": {"value": [1, 1]}})", "scores[1]");
        row("outputs", R"({"scores": [[1, 2]], "targets": {"value": [1]}})", "1 score ");
        row("no value", R"({"scores": [1]})", "targets.value");
        row("value", R"({"scores": [1], "targets": {"value": [2]}})", "targets.value[0]");
        row("lengths", R"({"scores": [1], "targets": {"value": [1, 0]}})", "2 entries in value");
        row("mask", R"({"scores": [1], "targets": {"value": [1], "mask": [0.5]}})", "mask");
        row("weight", R"({"scores": [1], "targets": {"value": [1], "weight": [-1]}})", "weight");
        row("option", R"({"scores": [1], "targets": {"value": [1]}, "options": {"wrong": 1}})", "wrong");
        row("targets", R"({"scores": [1], "targets": [1]})", "targets is no object");
    }
    void badLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, says);
        const auto result = runAssay({"objective", "binary"},
                                     line + "\n" + R"({"scores": [0], "targets": {"value": [1]}})" + "\n");
        QCOMPARE(result.exitCode, 4);
        const auto lines = result.jsonLines();
        QCOMPARE(lines.size(), std::size_t{2});
        QVERIFY2(result.output.split('\n').front().contains(says), result.output.constData());
        QVERIFY(lines[0]["error"]["where"].get<std::string>().find("line 1") != std::string::npos);
        QVERIFY(std::abs(lines[1]["sum"].get<double>() - std::log(2.0)) < 1e-12);
    }

    void unknownName()
    {
        const auto result = runAssay({"objective", "mse"}, "{}\n");
        QCOMPARE(result.exitCode, 2);
        QVERIFY(result.errors.contains("cross-entropy") && result.output.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstObjectiveCommand)
#include "tst_objective_command.moc"
