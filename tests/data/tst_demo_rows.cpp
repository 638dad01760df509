#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/data/demo_rows.h"
#include "core/data/format.h"
#include "core/diagnostics/baselines.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <map>
#include <regex>
#include <set>

using namespace assay;

namespace {

DemoOptions rows(std::int64_t count)
{
    DemoOptions options;
    options.rows = count;
    return options;
}

/// Judges arithmetic steps from their text alone.
std::vector<bool> judgeArithmetic(const DemoRow& row)
{
    std::smatch found;
    if (!std::regex_search(row.prompt, found, std::regex("Start with (\\d+)\\.$")))
        return {};
    int value = std::stoi(found[1]);
    static const std::regex form("Now (add|take) (\\d+): (\\d+) ([+-]) (\\d+) = (\\d+)\\.");
    std::vector<bool> right;
    for (const DemoStep& step : row.steps) {
        if (!std::regex_match(step.text, found, form))
            return {};
        const int change = (found[1] == "add" ? 1 : -1) * std::stoi(found[2]);
        const int written = (found[4] == "+" ? 1 : -1) * std::stoi(found[5]);
        const int before = std::stoi(found[3]), after = std::stoi(found[6]);
        right.push_back(before == value && change == written && before + written == after);
        value = after;
    }
    return right;
}

/// Judges hand-overs from their text alone: who asked, for what, and who held it.
std::vector<bool> judgeHolding(const DemoRow& row)
{
    std::smatch found;
    if (!std::regex_search(row.prompt, found,
                           std::regex("First (\\w+) is with (\\w+) and (\\w+) with (\\w+)\\.$")))
        return {};
    std::map<std::string, std::string> holder = {{found[1], found[2]}, {found[3], found[4]}};
    static const std::regex form("(\\w+) wants (\\w+): (\\w+) gives (\\w+) to (\\w+)\\.");
    std::vector<bool> right;
    for (const DemoStep& step : row.steps) {
        if (!std::regex_match(step.text, found, form))
            return {};
        right.push_back(found[1] == found[5] && found[2] == found[4] && holder[found[2]] == found[3]);
        holder[found[4]] = found[5];
    }
    return right;
}

/// The plan as the steps name it: the prompt must announce exactly what the steps set out to do.
std::string planOf(const DemoRow& row)
{
    const std::array<std::string, 5> words = {"zero", "one", "two", "three", "four"};
    static const std::regex sum("^Now (add|take) (\\d)"), wish("^(\\w+) wants (\\w+)");
    std::string plan;
    for (const DemoStep& step : row.steps) {
        std::smatch found;
        plan += plan.empty() ? "Plan: " : ", ";
        if (std::regex_search(step.text, found, sum))
            plan += (found[1] == "add" ? "plus " : "minus ") + words.at(std::stoul(found[2]));
        else if (std::regex_search(step.text, found, wish))
            plan += found[2].str() + " for " + found[1].str();
    }
    return plan + ". ";
}

std::vector<LabelledStep> labelled(const std::vector<DemoRow>& rows, bool withPrompt)
{
    std::vector<LabelledStep> steps;
    std::map<std::string, std::int32_t> words;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows[i].steps.size(); ++j) {
            LabelledStep step;
            step.example = static_cast<std::int32_t>(i);
            step.position = static_cast<std::int32_t>(j);
            const std::string& text = rows[i].steps[j].text;
            step.characters = static_cast<std::int32_t>(text.size());
            const std::string read = withPrompt ? rows[i].prompt + " " + text : text;
            static const std::regex word("\\w+|[-+=]");
            for (std::sregex_iterator it(read.begin(), read.end(), word), end; it != end; ++it)
                step.tokenIds.push_back(
                    words.try_emplace(it->str(), static_cast<std::int32_t>(words.size())).first->second);
            step.tokens = static_cast<std::int32_t>(step.tokenIds.size());
            step.label = rows[i].steps[j].correct() ? 1.0F : 0.0F;
            step.supervised = true;
            steps.push_back(std::move(step));
        }
    }
    return steps;
}

} // namespace

class TestDemoRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isAPureFunctionOfTheSeed();
    void labelsFollowFromTheText();
    void promptsAnnounceTheSteps();
    void mistakesAreOfManyKindsAndEverywhere();
    void rulersCannotTell_data();
    void rulersCannotTell();
    void takenPromptsDoNotComeAgain();
    void linesAreReadBackAsTheyWere();
};

void TestDemoRows::isAPureFunctionOfTheSeed()
{
    const std::string lines = demoJsonLines(demoRows(0, "train", rows(500)));
    QCOMPARE(QString::fromStdString(sha256Hex(lines)),
             QStringLiteral("cb18defe2a9ed0766bed4e2aeecc2e10ffeb7e55f1db88a0709109e525b25efd"));
    QVERIFY(lines != demoJsonLines(demoRows(1, "train", rows(500))));
    QVERIFY(lines != demoJsonLines(demoRows(0, "evaluation", rows(500))));
    // A longer set begins with the shorter one.
    QVERIFY(demoJsonLines(demoRows(0, "train", rows(600))).starts_with(lines));
}

void TestDemoRows::labelsFollowFromTheText()
{
    std::map<DemoFamily, int> seen;
    for (const DemoRow& row : demoRows(11, "train", rows(3000))) {
        const auto judged = row.family == DemoFamily::Arithmetic ? judgeArithmetic(row) : judgeHolding(row);
        QCOMPARE(judged.size(), row.steps.size());
        for (std::size_t i = 0; i < judged.size(); ++i)
            QVERIFY2(judged[i] == row.steps[i].correct(), (row.prompt + " | " + row.steps[i].text).c_str());
        ++seen[row.family];
    }
    QVERIFY(seen[DemoFamily::Arithmetic] > 1000 && seen[DemoFamily::Holding] > 500);
}

void TestDemoRows::promptsAnnounceTheSteps()
{
    for (const DemoRow& row : demoRows(12, "train", rows(300)))
        QVERIFY2(row.prompt.starts_with(planOf(row)), (row.prompt + " | " + planOf(row)).c_str());
}

void TestDemoRows::mistakesAreOfManyKindsAndEverywhere()
{
    std::map<DemoMistake, int> kinds;
    std::map<std::size_t, std::pair<int, int>> places;
    int wrong = 0, all = 0, clean = 0;
    const auto generated = demoRows(3, "train", rows(6000));
    for (const DemoRow& row : generated) {
        bool anyWrong = false;
        for (std::size_t i = 0; i < row.steps.size(); ++i) {
            const bool bad = !row.steps[i].correct();
            ++kinds[row.steps[i].mistake];
            places[i].first += bad;
            ++places[i].second;
            wrong += bad;
            ++all;
            anyWrong = anyWrong || bad;
        }
        clean += !anyWrong;
    }
    const double share = double(wrong) / all;
    QVERIFY2(share > 0.20 && share < 0.46, qPrintable(QString::number(share)));
    QVERIFY(clean > 600);
    QCOMPARE(kinds.size(), std::size_t{11});
    for (const auto& [kind, count] : kinds)
        QVERIFY2(count > 100, std::string(demoMistakeId(kind)).c_str());
    for (const auto& [place, counts] : places)
        QVERIFY2(std::abs(double(counts.first) / counts.second - share) < 0.03,
                 qPrintable(QString::number(place)));
}

void TestDemoRows::rulersCannotTell_data()
{
    QTest::addColumn<bool>("withPrompt");
    QTest::newRow("the step alone") << false;
    QTest::newRow("prompt and step") << true;
}

void TestDemoRows::rulersCannotTell()
{
    QFETCH(bool, withPrompt);
    const auto train = demoRows(0, "train", rows(4000));
    const auto evaluation = demoRows(0, "evaluation", rows(600), train);
    std::vector<DemoRow> both = train;
    both.insert(both.end(), evaluation.begin(), evaluation.end());
    const auto steps = labelled(both, withPrompt);
    std::size_t count = 0;
    for (const DemoRow& row : train)
        count += row.steps.size();
    const std::span<const LabelledStep> all(steps);
    const auto measured = BaselineSet::fit(all.first(count)).evaluate(all.subspan(count));
    QVERIFY(measured.bestAuroc.has_value());
    QVERIFY2(*measured.bestAuroc <= 0.64,
             qPrintable(QString::fromStdString(measured.bestName) + QString(" %1").arg(*measured.bestAuroc)));
}

void TestDemoRows::takenPromptsDoNotComeAgain()
{
    const auto train = demoRows(0, "train", rows(4000));
    std::set<std::string> prompts;
    for (const DemoRow& row : train)
        prompts.insert(row.prompt);
    int repeated = 0;
    for (const DemoRow& row : demoRows(0, "evaluation", rows(600)))
        repeated += prompts.contains(row.prompt);
    QVERIFY(repeated > 0); // else the next loop would prove nothing
    for (const DemoRow& row : demoRows(0, "evaluation", rows(600), train))
        QVERIFY2(!prompts.contains(row.prompt), row.prompt.c_str());
}

void TestDemoRows::linesAreReadBackAsTheyWere()
{
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "rows.jsonl";
    const auto generated = demoRows(5, "train", rows(50));
    QVERIFY_RESULT(writeDurably(path, demoJsonLines(generated)));
    const auto opened = openDataset(path);
    QVERIFY_RESULT(opened);
    const Dataset& dataset = **opened;
    QCOMPARE(dataset.size(), std::int64_t{50});
    QVERIFY(dataset.problems().empty());
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const DemoRow& row = generated[static_cast<std::size_t>(i)];
        const Example read = dataset.at(i);
        const StepwiseExample* example = read.stepwise();
        QVERIFY(example != nullptr);
        QCOMPARE(example->prompt, row.prompt);
        QCOMPARE(example->steps.size(), row.steps.size());
        for (std::size_t j = 0; j < row.steps.size(); ++j) {
            QCOMPARE(example->steps[j].text, row.steps[j].text);
            QVERIFY(example->steps[j].label == Label::of(row.steps[j].correct() ? 1.0F : 0.0F));
        }
    }
}

QTEST_APPLESS_MAIN(TestDemoRows)
#include "tst_demo_rows.moc"
