#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "core/text/layout.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

using namespace assay;
using nlohmann::json;

namespace {

/// What must come out for a row of the golden set.
enum class Outcome { Equal, OurFloat, Error };

struct Kind
{
    std::string name;
    Outcome outcome = Outcome::Error;
};

bool below1(const json& limit)
{
    return limit.is_number() && limit.get<int>() < 1;
}

/// The kind by what the row and its options hold, never by its number.
Kind kindOf(const json& row)
{
    const auto& input = row["input"];
    const auto& options = row["options"];
    const auto& labels = input["labels"];
    if (!input["completions"].is_array())
        return {"completions are one text"};
    if (labels.size() != input["completions"].size())
        return {"counts of steps and labels differ"};
    bool soft = false;
    for (const auto& label : labels) {
        if (label.is_null())
            return {"a label is null"};
        if (label.is_string())
            return {"a label is a text"};
        if (label.is_number() && (label.get<double>() < 0.0 || label.get<double>() > 1.0))
            return {"a label is outside [0, 1]"};
        soft = soft || label.is_number_float();
    }
    if (below1(options["max_length"]) || below1(options["max_completion_length"]) ||
        below1(options.value("max_prompt_length", json())))
        return {"a limit is below 1"};
    if (row.contains("upstream_defect"))
        return {"an empty step and no separator id (misaligned in the reference)"};
    if (row["expected"].contains("error"))
        return {"no step, and only the last is trained (an error in the reference)"};
    return soft ? Kind{"plain, soft labels", Outcome::OurFloat} : Kind{"plain", Outcome::Equal};
}

LayoutOptions optionsOf(const json& row)
{
    const auto& given = row["options"];
    const auto limit = [&given](const char* key) {
        return given.contains(key) && given[key].is_number() ? std::optional(given[key].get<std::int32_t>())
                                                             : std::nullopt;
    };
    LayoutOptions options;
    options.name = "trl-stepwise";
    options.stepSeparator = given["step_separator"].get<std::string>();
    options.maximumTokens = limit("max_length");
    options.maximumCompletionTokens = limit("max_completion_length");
    options.maximumPromptTokens = limit("max_prompt_length");
    options.trainOnLastStepOnly = given["train_on_last_step_only"].get<bool>();
    return options;
}

/// The labels of a laid-out row in the reference's form: one per token, -100 where nothing is supervised.
std::vector<float> tokenLabels(const LaidOut& row)
{
    std::vector<float> labels(row.sequences.at(0).ids.size(), -100.0F);
    for (std::size_t i = 0; i < row.scores.size(); ++i)
        if (row.targets.mask[i])
            labels.at(static_cast<std::size_t>(row.readOuts[i].spans.at(0).begin)) = row.targets.value[i];
    return labels;
}

/// The expected labels, with our own values in place of those that the reference cut to whole numbers.
std::vector<float> expectedLabels(const json& row, bool soft)
{
    auto labels = row["expected"]["labels"].get<std::vector<float>>();
    if (!soft)
        return labels;
    // What a cut leaves is the first labels; what last-step-only leaves is the last.
    const auto& values = row["input"]["labels"];
    const bool lastOnly =
        row["options"]["train_on_last_step_only"] == true && row["options"]["is_eval"] == false;
    std::size_t next = lastOnly ? values.size() - 1 : 0;
    for (auto& label : labels)
        if (label != -100.0F)
            label = values.at(next++).get<float>();
    return labels;
}

} // namespace

/// Ids, positions and labels of TRL's PRMTrainer for every row of the golden set.
class TestLayoutGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trlStepwise();

private:
    /// Reads the inputs as a file of rows, as a user's would be.
    DatasetPtr openInputs(const std::vector<json>& rows);
    std::map<std::string, TokenizerPtr> m_tokenizers;
    QTemporaryDir m_folder;
};

DatasetPtr TestLayoutGolden::openInputs(const std::vector<json>& rows)
{
    std::string lines;
    for (const auto& row : rows)
        lines += row["input"].dump() + "\n";
    const std::filesystem::path path = m_folder.path().toStdString() + "/inputs.jsonl";
    if (!writeDurably(path, lines).ok())
        qFatal("cannot write");
    return *openDataset(path, {"stepwise", 0});
}

void TestLayoutGolden::trlStepwise()
{
    NEED_TEST_DATA("golden-trl/stepwise_tokenize.jsonl");
    std::istringstream text(*readFile(tests::testData() / "golden-trl" / "stepwise_tokenize.jsonl"));
    std::vector<json> rows;
    for (std::string line; std::getline(text, line);)
        rows.push_back(json::parse(line));
    QVERIFY(!rows.empty());
    const auto dataset = openInputs(rows);
    std::map<std::int64_t, Example> examples;
    for (std::int64_t i = 0; i < dataset->size(); ++i)
        examples[dataset->key(i).row] = dataset->at(i);

    std::map<std::string, std::array<int, 3>> table;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        const auto id = row["id"].get<std::string>();
        const auto kind = kindOf(row);
        ++table[kind.name][static_cast<std::size_t>(kind.outcome)];
        auto& tokenizer = m_tokenizers[row["tokenizer"].get<std::string>()];
        if (!tokenizer)
            tokenizer = *openTokenizer(tests::testData() / row["tokenizer"].get<std::string>());
        const auto layout = makeLayout(optionsOf(row), tokenizer);
        QVERIFY2(layout.ok(), id.c_str());
        const auto found = examples.find(static_cast<std::int64_t>(i));
        if (kind.outcome == Outcome::Error) {
            if (found == examples.end()) // the row was refused when it was read, and is named there
                continue;
            const auto refused = (*layout)->layOut(found->second, !row["options"]["is_eval"]);
            QVERIFY2(!refused.ok() && refused.error().where.ends_with("row " + std::to_string(i + 1)),
                     id.c_str());
            continue;
        }
        QVERIFY2(found != examples.end(), id.c_str());
        const auto laid = (*layout)->layOut(found->second, row["options"]["is_eval"] == false);
        QVERIFY2(laid.ok(), laid.ok() ? "" : (id + ": " + laid.error().text()).c_str());
        QVERIFY2(laid->sequences.at(0).ids == row["expected"]["input_ids"].get<std::vector<TokenId>>(),
                 id.c_str());
        QVERIFY2(tokenLabels(*laid) == expectedLabels(row, kind.outcome == Outcome::OurFloat), id.c_str());
        // What is not there any more was counted.
        const auto steps = row["input"]["completions"].size();
        QVERIFY2(laid->readOuts.size() + static_cast<std::size_t>(laid->cut.readOuts) == steps, id.c_str());
    }
    qInfo("%-66s %6s %9s %6s", "kind of row", "equal", "our float", "error");
    for (const auto& [name, counts] : table)
        qInfo("%-66s %6d %9d %6d", name.c_str(), counts[0], counts[1], counts[2]);
    // Every refused row is named, once.
    for (const auto& problem : dataset->problems())
        QVERIFY(problem.line == problem.row + 1 && !problem.message.empty());
    QCOMPARE(examples.size() + dataset->problems().size(), rows.size());
}

QTEST_GUILESS_MAIN(TestLayoutGolden)
#include "tst_layout_golden.moc"
