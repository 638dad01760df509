#include "core/data/format.h"
#include "core/diagnostics/label_checks.h"
#include "tests/support/golden_json.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fmt/format.h>

#include <map>
#include <set>

using namespace assay;
using namespace assay::tests;

namespace {

/// What every figure of the reference must be found as: in the rows, in the number, or in the words of the
/// finding.
using Evidence = std::string (*)(const Json& evidence, const Finding& finding, const LabelChecks& checks);

std::string containsAll(const Finding& finding, const std::vector<std::string>& parts)
{
    for (const auto& part : parts)
        if (finding.evidence.find(part) == std::string::npos)
            return "evidence \"" + finding.evidence + "\" does not say \"" + part + "\"";
    return {};
}

std::string listed(const std::vector<std::int64_t>& rows)
{
    std::string text;
    for (const auto row : rows)
        text += std::to_string(row) + " ";
    return text;
}

std::string sameRows(const Json& expected, const Finding& finding)
{
    return expected.get<std::vector<std::int64_t>>() == finding.rows ? "" : "rows " + listed(finding.rows);
}

struct Fault
{
    std::string id;
    Evidence evidence;
};

std::string near(double measured, const Json& expected, double tolerance = 1e-6)
{
    return std::abs(measured - expected.get<double>()) < tolerance
               ? ""
               : fmt::format("{} where {} is right", measured, expected.dump());
}

std::string text(const Json& value)
{
    return std::to_string(value.get<std::int64_t>());
}

/// The reference counts rows and steps from 0, the words of a finding from 1.
std::string counted(const Json& index)
{
    return std::to_string(index.get<std::int64_t>() + 1);
}

std::string ignoreCast(const Json& e, const Finding& finding, const LabelChecks& checks)
{
    if (auto wrong = near(finding.number, e.at("supervised_per_step"), 1e-4); !wrong.empty())
        return wrong;
    if (auto wrong = near(checks.train.shareTrue(), e.at("share_true")); !wrong.empty())
        return wrong;
    if (e.at("ignored") != checks.train.ignored || e.at("steps") != checks.train.steps ||
        e.at("supervised_positions") != checks.train.supervised || !checks.ignoreValuesAsLabels)
        return "census";
    return containsAll(finding, {"supervised positions per step", text(e.at("supervised_positions")),
                                 text(e.at("steps")), "0 ignored", "Share of True"});
}

std::string oneClass(const Json& e, const Finding& finding, const LabelChecks& checks)
{
    return e.at("labels") == checks.train.supervised ? near(finding.number, e.at("share_true"))
                                                     : "label count";
}

std::string offByOne(const Json& e, const Finding& finding, const LabelChecks&)
{
    if (finding.rows.size() != e.at("rows_disagreeing").get<std::size_t>() ||
        finding.number != e.at("shift").get<double>())
        return "rows or shift";
    return containsAll(
        finding, {text(e.at("rows_disagreeing")) + " of " + text(e.at("rows_with_declared_error")),
                  text(e.at("shift")) + " step",
                  text(e.at("steps_whose_equation_contradicts_the_label")) + " steps contain an equation"});
}

std::string labelCount(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < e.at("rows").size(); ++i)
        parts.push_back(fmt::format("row {}: {} steps, {} labels", e.at("rows")[i].get<int>() + 1,
                                    e.at("counts")[i][0].get<int>(), e.at("counts")[i][1].get<int>()));
    const auto rows = sameRows(e.at("rows"), finding);
    return rows.empty() ? containsAll(finding, parts) : rows;
}

std::string textLabels(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (const auto& [value, count] : e.at("values").items())
        parts.push_back("\"" + value + "\" " + count.dump() + " times");
    return containsAll(finding, parts);
}

std::string mixed(const Json& e, const Finding& finding, const LabelChecks&)
{
    return containsAll(
        finding, {text(e.at("rows_all_false_after_first_error")) + " rows call every step after",
                  text(e.at("rows_only_the_wrong_step_false")) + " rows call only the wrong", "A: ", "B: "});
}

std::string leak(const Json& e, const Finding& finding, const LabelChecks&)
{
    const auto rows = sameRows(e.at("eval_rows"), finding);
    return rows.empty() ? near(finding.number, e.at("leaked_share")) : rows;
}

std::string nearDuplicates(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < e.at("eval_rows").size(); ++i)
        parts.push_back(counted(e.at("eval_rows")[i]) + " and " + counted(e.at("train_rows")[i]));
    const auto rows = sameRows(e.at("eval_rows"), finding);
    return rows.empty() ? containsAll(finding, parts) : rows;
}

std::string separatorInside(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (const auto& row : e.at("rows"))
        parts.push_back("row " + counted(row) + " step " + counted(e.at("step")));
    const auto rows = sameRows(e.at("rows"), finding);
    return rows.empty() ? containsAll(finding, parts) : rows;
}

std::string position(const Json& e, const Finding& finding, const LabelChecks& checks)
{
    for (const auto& curve : checks.report.curves)
        for (std::size_t i = 0; curve.id == "base_rate_by_position" && i < curve.x.size(); ++i)
            if (curve.y[i] != e.at("position_rates").at(std::to_string(int(curve.x[i]) - 1)).get<double>())
                return "position rates";
    const auto share = near(checks.train.shareTrue(), e.at("share_true"));
    return share.empty() ? near(finding.number, e.at("auroc_of_position")) : share;
}

std::string length(const Json& e, const Finding& finding, const LabelChecks& checks)
{
    if (auto wrong = near(checks.train.shareTrue(), e.at("share_true")); !wrong.empty())
        return wrong;
    if (auto wrong = near(finding.number, e.at("auroc_of_length")); !wrong.empty())
        return wrong;
    return containsAll(finding, {fmt::format("{:.1f} characters", e.at("mean_length_true").get<double>()),
                                 fmt::format("wrong ones {:.1f}", e.at("mean_length_false").get<double>())});
}

std::string emptySteps(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (const auto& pair : e.at("row_and_step"))
        parts.push_back("row " + counted(pair[0]) + " step " + counted(pair[1]));
    return containsAll(finding, parts);
}

std::string outOfRange(const Json& e, const Finding& finding, const LabelChecks&)
{
    std::vector<std::string> parts;
    for (const auto& triple : e.at("row_step_value"))
        parts.push_back("row " + counted(triple[0]) + " step " + counted(triple[1]) + " value " +
                        triple[2].dump());
    return containsAll(finding, parts);
}

std::string equalSides(const Json& e, const Finding& finding, const LabelChecks&)
{
    const auto rows = sameRows(e.at("rows"), finding);
    return rows.empty() ? containsAll(finding, {text(e.at("pairs")) + " pairs", "chosen equal to rejected",
                                                "row numbers"})
                        : rows;
}

std::string lengthBias(const Json& e, const Finding& finding, const LabelChecks&)
{
    if (finding.title != "Chosen is always longer")
        return "title " + finding.title;
    const auto accuracy = near(finding.number, e.at("accuracy_of_always_longer"));
    return accuracy.empty()
               ? containsAll(finding, {text(e.at("chosen_longer")) + " of " + text(e.at("pairs")),
                                       "accuracy of the length rule"})
               : accuracy;
}

/// The reference's fault names and ours.
const std::map<std::string, Fault> kFaults{
    {"ignore_index_cast_to_true", {"ignore-values-as-labels", ignoreCast}},
    {"one_class_only", {"one-class-only", oneClass}},
    {"labels_off_by_one", {"first-error-mismatch", offByOne}},
    {"label_count_mismatch", {"label-count-mismatch", labelCount}},
    {"labels_are_strings", {"labels-are-text", textLabels}},
    {"mixed_error_conventions", {"mixed-conventions", mixed}},
    {"prompt_leak", {"prompt-leak", leak}},
    {"near_duplicate_prompt", {"near-duplicate-prompt", nearDuplicates}},
    {"separator_inside_step", {"separator-inside-step", separatorInside}},
    {"predictable_from_position", {"predictable-from-position", position}},
    {"predictable_from_length", {"predictable-from-length", length}},
    {"empty_step", {"empty-step", emptySteps}},
    {"soft_label_out_of_range", {"label-out-of-range", outOfRange}},
    {"chosen_equals_rejected", {"identical-sides", equalSides}},
    {"length_bias", {"length-bias", lengthBias}},
};

/// Writes rows as a file of JSON lines and opens it as any other.
Result<DatasetPtr> openRows(const QTemporaryDir& folder, const char* name, const Json& rows)
{
    const auto path = std::filesystem::path(folder.path().toStdString()) / name;
    std::ofstream file(path);
    for (const auto& row : rows)
        file << row.dump() << '\n';
    file.close();
    return openDataset(path);
}

/// The evaluation parts hold ten rows each, by design: their size is no planted fault.
bool isAboutSize(const Finding& finding)
{
    return finding.id == "too-few-negatives";
}

} // namespace

class TstGoldenLabelBugs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sets_data()
    {
        QTest::addColumn<int>("line");
        const auto sets = readJsonLines("golden-trl/label_bugs.jsonl");
        for (std::size_t i = 0; i < sets.size(); ++i)
            QTest::newRow(sets[i].at("id").get<std::string>().c_str()) << int(i);
    }

    void sets()
    {
        NEED_TEST_DATA("golden-trl/label_bugs.jsonl");
        QFETCH(int, line);
        const auto sets = readJsonLines("golden-trl/label_bugs.jsonl");
        const auto& set = sets.at(std::size_t(line));
        const QTemporaryDir folder;
        const bool hasEvaluation = set.contains("eval") && !set.at("eval").is_null();
        const auto trainSet = openRows(folder, "train.jsonl", set.at("train"));
        QVERIFY_RESULT(trainSet);
        const auto evaluationSet =
            openRows(folder, "eval.jsonl", hasEvaluation ? set.at("eval") : set.at("train"));
        QVERIFY_RESULT(evaluationSet);
        LabelCheckInput input;
        input.train = trainSet->get();
        input.evaluation = hasEvaluation ? evaluationSet->get() : nullptr;
        input.stepSeparator = set.value("step_separator", "\n");
        const auto checks = checkLabels(input);

        std::set<std::string> fired;
        for (const auto& finding : checks.report.findings)
            if (finding.severity != Severity::Note && !isAboutSize(finding))
                fired.insert(finding.id);
        const auto& expected = set.at("expected");
        std::set<std::string> wanted;
        if (!expected.at("clean").get<bool>())
            wanted.insert(kFaults.at(expected.at("fault").get<std::string>()).id);
        std::string names;
        for (const auto& id : fired)
            names += id + " ";
        QVERIFY2(fired == wanted, ("fired: " + names).c_str());
        const auto& evidence = expected.at("evidence");
        if (wanted.empty()) {
            if (evidence.contains("share_true"))
                QCOMPARE(near(checks.train.shareTrue(), evidence.at("share_true")), std::string());
            if (evidence.contains("chosen_longer")) {
                QCOMPARE(checks.report.findings.at(0).id, std::string("length-ruler"));
                QCOMPARE(near(checks.report.findings.at(0).number, evidence.at("chosen_longer")),
                         std::string());
            }
            if (evidence.contains("mean_label"))
                QCOMPARE(
                    near(checks.train.labelSum / double(checks.train.supervised), evidence.at("mean_label")),
                    std::string());
            return;
        }
        for (const auto& finding : checks.report.findings) {
            if (!wanted.contains(finding.id))
                continue;
            QCOMPARE(finding.severity,
                     expected.at("severity") == "block" ? Severity::Red : Severity::Warning);
            const auto problem =
                kFaults.at(expected.at("fault").get<std::string>()).evidence(evidence, finding, checks);
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TstGoldenLabelBugs)
#include "tst_golden_label_bugs.moc"
