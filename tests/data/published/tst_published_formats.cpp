// Rows of published step data, written by hand in their layouts: steps, labels, what is judged once, and rows
// that must be refused.
#include "core/data/format.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

using namespace assay;

namespace {

/// "prompt | step + | step - | step ?", and "~0.25" for a soft label.
std::string written(const StepwiseExample& solution)
{
    std::string text = solution.prompt;
    for (const auto& step : solution.steps) {
        text += " | " + step.text + " ";
        if (!step.label.supervised)
            text += "?";
        else if (step.label.value == 0.0F || step.label.value == 1.0F)
            text += step.label.value == 1.0F ? "+" : "-";
        else
            text += "~" + QString::number(double(step.label.value)).toStdString();
    }
    return text;
}

} // namespace

class TestPublishedFormats : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    Result<DatasetPtr> open(const QByteArray& content) const
    {
        const auto path = m_folder.filePath("rows.json").toStdString();
        std::ofstream(path, std::ios::binary | std::ios::trunc) << content.toStdString();
        return openDataset(path);
    }

private Q_SLOTS:
    void reads_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("solutions");
        const auto row = [](const char* name, const char* format, const QByteArray& content,
                            const QStringList& solutions) {
            QTest::newRow(name) << QString(format) << content << solutions;
        };
        row("ProcessBench, an error", "processbench",
            R"([{"id": "a", "problem": "P", "steps": ["x", "y", "z"], "final_answer_correct": true,
                "label": 1}])",
            {"P | x + | y - | z ?"});
        row("ProcessBench, none", "processbench", R"([{"problem": "P", "steps": ["x", "y"], "label": -1}])",
            {"P | x + | y +"});
        row("BIG-Bench", "bigbench-mistake", R"({"input": "P", "steps": ["x", "y"], "mistake_index": 0})",
            {"P | x - | y ?"});
        row("PRMBench", "prmbench",
            R"({"question": "Q", "modified_question": "P", "modified_process": ["x", "y", "z"],
                "error_steps": [3, 1]})",
            {"P | x - | y + | z -"});
        row("PRMBench, older names and an index outside", "prmbench",
            R"({"question": "Q", "modified_process": ["x", "y"], "hallucination_steps": [2, 3, 0]})",
            {"Q | x + | y -"});
        row("Math-Shepherd", "math-shepherd",
            R"({"input": "Q? Step 1: a. ки\nStep 2: b. ки", "label": "Q? Step 1: a. +\nStep 2: b. -",
                "task": "GSM8K"})",
            {"Q? | Step 1: a. + | Step 2: b. -"});
        row("Math-Shepherd, tag and sign", "math-shepherd",
            R"({"input": "Q? a ки b ки", "label": "Q? a ки - b ки +", "task": "MATH"})", {"Q? | a - | b +"});
        row("OpenR, tags", "openr", R"({"question": "Q", "process": "a ки\nb ки\nrest", "labels": [1, -1]})",
            {"Q | a + | b -"});
        row("OpenR, five line breaks, soft", "openr",
            R"({"question": "Q", "process": "a\n\n\n\n\nb\nc", "labels": [0.25, 1]})",
            {"Q | a ~0.25 | b\nc +"});
        row("MR-Ben", "mr-ben",
            R"({"u1": [{"Question": "Q", "Options": "A: 1", "Model_Solution_Steps": ["x", "y"],
                        "Model_Solution_First_Error_Step": "2"},
                       {"Question": "Q", "Options": "", "Model_Solution_Steps": ["z"],
                        "Model_Solution_First_Error_Step": "N/A"}],
                "u2": [{"Question": "R", "Model_Solution_Steps": ["w"],
                "Model_Solution_First_Error_Step": 1}]})",
            {"Q\nA: 1 | x + | y -", "Q | z +", "R | w -"});
        row("VersaPRM", "versaprm",
            R"([{"question": "Q", "chain_of_thoughts": [{"steps": ["x", "y"], "labels": [1, 0],
                 "augs": [{"aug_step": "v", "aug_idx": 1, "aug_type": -1}, {"aug_step": "w", "aug_idx": 2,
                "aug_type": 1}]}]}])",
            {"Q | x + | y +", "Q | x ? | v -", "Q | x ? | y ? | w +"});
        row("MATH-APS, a tree", "math-aps",
            R"({"question": "Q", "reasoning_steps": {"text": "Q", "mc_value": 0.5, "children": [
                {"text": "a", "mc_value": 0.75, "children": [{"text": "b", "mc_value": 1.0, "children": []},
                                                             {"text": "c", "mc_value": 0.0, "children": []}]},
                {"text": "d", "mc_value": 0.25, "children": []}]}})",
            {"Q | a ~0.75 | b +", "Q | a ? | c -", "Q | d ~0.25"});
        row("MATH-APS, prefixes", "math-aps",
            R"({"question": "Q", "reasoning_steps": [{"solution_prefix": "Q", "mc_value": 0.5},
                {"solution_prefix": "Q\n\na b", "mc_value": 0.25}]})",
            {"Q | a b ~0.25"});
        // The reference's worked example; a candidate without rating and the human's own step come apart.
        row("PRM800K", "prm800k", R"({"labeler": "l", "question": {"problem": "P"}, "label": {"steps": [
                {"completions": [{"text": "A", "rating": 1}], "chosen_completion": 0,
                "human_completion": null},
                {"completions": [{"text": "B", "rating": 0}, {"text": "C", "rating": -1}, {"text": "D",
                "rating": 1}],
                 "chosen_completion": 0, "human_completion": null},
                {"completions": [{"text": "E", "rating": -1}, {"text": "F", "rating": null}],
                 "chosen_completion": null, "human_completion": null}]}})",
            {"P | A ? | C -", "P | A ? | D +", "P | A ? | B ? | E -", "P | A + | B +"});
        row("PRM800K, a human's step", "prm800k",
            R"({"labeler": "l", "question": {"problem": "P"}, "label": {"steps": [
                {"completions": [{"text": "E", "rating": -1}, {"text": "F", "rating": -1}],
                 "chosen_completion": null, "human_completion": {"text": "H", "rating": null}}]}})",
            {"P | E -", "P | F -", "P | H +"});
        row("PRM800K, broken rows", "prm800k",
            R"({"labeler": "l", "question": {"problem": "P"}, "label": {"steps": [
                {"completions": [{"text": "A", "rating": 1}], "chosen_completion": 0},
                {"completions": null, "chosen_completion": null, "human_completion": null}]}})",
            {"P | A +"});
    }
    void reads()
    {
        QFETCH(QString, format);
        QFETCH(QByteArray, content);
        QFETCH(QStringList, solutions);
        const auto set = open(content);
        QVERIFY_RESULT(set);
        const auto recognised = recogniseFormat(m_folder.filePath("rows.json").toStdString());
        QVERIFY_RESULT(recognised);
        QCOMPARE(QString::fromStdString(*recognised), format);
        QVERIFY2((*set)->problems().empty(),
                 (*set)->problems().empty() ? "" : (*set)->problems()[0].message.c_str());
        QStringList found;
        for (std::int64_t i = 0; i < (*set)->size(); ++i) {
            const auto example = (*set)->at(i);
            QVERIFY(example.stepwise() != nullptr);
            found << QString::fromStdString(written(*example.stepwise()));
        }
        QCOMPARE(found, solutions);
    }

    /// A limit counts solutions, also where one row of the file holds many.
    void limited()
    {
        QVERIFY_RESULT(open(R"({"u1": [{"Question": "Q", "Model_Solution_Steps": ["x"],
                                        "Model_Solution_First_Error_Step": "N/A"},
                                       {"Question": "Q", "Model_Solution_Steps": ["y"],
                                        "Model_Solution_First_Error_Step": "1"}]})"));
        OpenOptions options;
        options.maximumRows = 1;
        const auto set = openDataset(m_folder.filePath("rows.json").toStdString(), options);
        QVERIFY_RESULT(set);
        QCOMPARE((*set)->size(), std::int64_t{1});
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QByteArray& content, const char* says) {
            QTest::newRow(name) << content << QString::fromUtf8(says);
        };
        row("ProcessBench, label outside", R"([{"problem": "P", "steps": ["x"], "label": 1}])", "label");
        row("PRMBench, no numbers", R"({"question": "Q", "modified_process": ["x"], "error_steps": ["1"]})",
            "error_steps");
        row("Math-Shepherd, no tag", R"({"input": "Q? a", "label": "Q? a", "task": "t"})", "no step tag");
        row("Math-Shepherd, no sign", R"({"input": "Q? a ки", "label": "Q? a x", "task": "t"})",
            "neither + nor -");
        row("Math-Shepherd, another text", R"({"input": "Q? a ки", "label": "Q? b +", "task": "t"})",
            "another text");
        row("Math-Shepherd, no end of the problem", R"({"input": "a ки", "label": "a +", "task": "t"})",
            "problem ends");
        row("OpenR, counts", R"({"question": "Q", "process": "a ки", "labels": [1, 0]})", "1 steps");
        row("OpenR, a label", R"({"question": "Q", "process": "a ки", "labels": [7]})", "labels[0]");
        row("MR-Ben, step outside",
            R"({"u1": [{"Question": "Q", "Model_Solution_Steps": ["x"],
                "Model_Solution_First_Error_Step": "2"}]})",
            "from 1 to 1");
        row("MR-Ben, a word",
            R"({"u1": [{"Question": "Q", "Model_Solution_Steps": ["x"],
                "Model_Solution_First_Error_Step": "first"}]})",
            "solution u1");
        row("VersaPRM, place outside",
            R"([{"question": "Q", "chain_of_thoughts": [{"steps": ["x"], "labels": [1],
                 "augs": [{"aug_step": "v", "aug_idx": 2, "aug_type": 1}]}]}])",
            "aug_idx");
        row("MATH-APS, value",
            R"({"question": "Q", "reasoning_steps": [{"solution_prefix": "Qa", "mc_value": 2}]})",
            "mc_value");
        row("MATH-APS, another question",
            R"({"question": "Q", "reasoning_steps": [{"solution_prefix": "R a", "mc_value": 1}]})",
            "begin with the question");
        row("PRM800K, rating", R"({"labeler": "l", "question": {"problem": "P"}, "label": {"steps": [
                {"completions": [{"text": "A", "rating": 2}], "chosen_completion": 0}]}})",
            "rating");
        row("PRM800K, choice outside", R"({"labeler": "l", "question": {"problem": "P"}, "label": {"steps": [
                {"completions": [], "chosen_completion": 0}]}})",
            "chosen_completion");
    }
    void refuses()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        const auto set = open(content);
        QVERIFY_RESULT(set);
        QCOMPARE((*set)->size(), std::int64_t{0});
        QCOMPARE((*set)->problems().size(), std::size_t{1});
        const auto message = QString::fromStdString((*set)->problems()[0].message);
        QVERIFY2(message.contains(says), qPrintable(message));
    }
};

QTEST_APPLESS_MAIN(TestPublishedFormats)
#include "tst_published_formats.moc"
