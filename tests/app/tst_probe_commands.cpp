// What people script against: tokenize, data rows, model; compared with the golden sets through the program.
#include "tests/support/golden_json.h"
#include "tests/support/program.h"

#include <QTemporaryDir>

#include <map>

using namespace assay::tests;

namespace {

/// Rows that every reading of the format agrees on: bool or 0/1 labels, one per step, at least one step, none
/// empty.
bool isPlain(const Json& row)
{
    const auto& input = row["input"];
    if (!row["expected"].contains("input_ids") || !input["completions"].is_array() ||
        !input["labels"].is_array() || input["completions"].empty() ||
        input["completions"].size() != input["labels"].size())
        return false;
    for (const auto& label : input["labels"])
        if (!label.is_boolean() && !(label.is_number_integer() && (label == 0 || label == 1)))
            return false;
    for (const char* limit : {"max_length", "max_completion_length", "max_prompt_length"})
        if (row["options"].contains(limit) && !row["options"][limit].is_null() &&
            row["options"][limit].get<int>() < 1)
            return false;
    for (const auto& text : input["completions"])
        if (!text.is_string() || text.get<std::string>().empty())
            return false;
    return input["prompt"].is_string();
}

QString escaped(const std::string& text)
{
    return QString::fromStdString(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
}

QStringList flagsOf(const Json& options)
{
    const auto limit = [&options](const char* key) {
        return options.contains(key) && !options[key].is_null() ? QString::number(options[key].get<int>())
                                                                : QStringLiteral("none");
    };
    QStringList flags = {"--layout.step_separator",
                         escaped(options["step_separator"].get<std::string>()),
                         "--layout.maximum_tokens",
                         limit("max_length"),
                         "--layout.maximum_completion_tokens",
                         limit("max_completion_length"),
                         "--layout.maximum_prompt_tokens",
                         limit("max_prompt_length"),
                         "--layout.truncation",
                         "cut-right"};
    if (options["train_on_last_step_only"].get<bool>())
        flags << "--layout.train_on_last_step_only";
    if (options["is_eval"].get<bool>())
        flags << "--evaluation";
    return flags;
}

} // namespace

class tst_probe_commands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tokenize_data();
    void tokenize();
    void tokenizeRefusesOtherThanStrings();
    void dataRows();
    void dataRowsOfPairs();
    void dataRowsNameRefusedRows();
    void tokenRewards();
    void model_data();
    void model();

private:
    QTemporaryDir m_folder;
};

void tst_probe_commands::tokenize_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("model");
    NEED_TEST_DATA("derived-spm-expected");
    const QDir folder(QString::fromStdString((testData() / "derived-spm-expected").string()));
    for (const auto& file : folder.entryList({"*.expected.jsonl"}))
        QTest::newRow(qPrintable(file)) << "derived-spm-expected/" + file
                                        << "tok-sentencepiece/" + file.section(".expected", 0, 0) + ".model";
}

void tst_probe_commands::tokenize()
{
    QFETCH(QString, file);
    QFETCH(QString, model);
    const auto rows = readJsonLines(file.toStdString());
    QVERIFY(!rows.empty());
    QByteArray input;
    for (const auto& row : rows)
        input += QByteArray::fromStdString(row["text"].dump()) + "\n";
    const auto result =
        runAssay({"tokenize", QString::fromStdString((testData() / model.toStdString()).string())}, input);
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto lines = result.jsonLines();
    QCOMPARE(lines.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QVERIFY2(lines[i]["ids"] == rows[i]["ids"], rows[i]["text"].dump().c_str());
        QVERIFY2(lines[i]["pieces"] == rows[i]["pieces"], rows[i]["text"].dump().c_str());
        QVERIFY2(lines[i]["decoded"] == rows[i]["decoded"], rows[i]["text"].dump().c_str());
        const auto bytes = rows[i]["text"].get<std::string>().size();
        QCOMPARE(lines[i]["offsets"].size(), lines[i]["ids"].size());
        for (const auto& offset : lines[i]["offsets"])
            QVERIFY(offset[0] <= offset[1] && offset[1].get<std::size_t>() <= bytes);
    }
}

void tst_probe_commands::tokenizeRefusesOtherThanStrings()
{
    NEED_TEST_DATA("derived-stories260k-hf");
    const auto folder = QString::fromStdString((testData() / "derived-stories260k-hf").string());
    const auto result = runAssay({"tokenize", folder}, "\"fine\"\n{\"text\": 1}\n");
    QCOMPARE(result.exitCode, 4);
    QVERIFY(result.errors.contains("line 2"));
    QCOMPARE(result.jsonLines().size(), std::size_t{1});
}

void tst_probe_commands::dataRows()
{
    NEED_TEST_DATA("golden-trl/stepwise_tokenize.jsonl");
    // One process per set of options, not per row.
    std::map<std::string, std::vector<Json>> sets;
    for (auto& row : readJsonLines("golden-trl/stepwise_tokenize.jsonl"))
        if (isPlain(row))
            sets[row["tokenizer"].get<std::string>() + row["options"].dump()].push_back(std::move(row));
    QVERIFY(!sets.empty());
    std::size_t compared = 0;
    std::vector<const std::vector<Json>*> largest;
    for (const auto& [key, rows] : sets)
        largest.push_back(&rows);
    std::sort(largest.begin(), largest.end(),
              [](const auto* a, const auto* b) { return a->size() > b->size(); });
    largest.resize(std::min<std::size_t>(largest.size(), 12));
    for (const auto* rows : largest) {
        const QString path = m_folder.filePath("rows.jsonl");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const auto& row : *rows)
            file.write(QByteArray::fromStdString(row["input"].dump()) + "\n");
        file.close();
        const auto& first = rows->front();
        const auto tokenizer = (testData() / first["tokenizer"].get<std::string>()).string();
        const auto result =
            runAssay(QStringList{"data", "rows", path, "--layout", "trl-stepwise", "--data.format",
                                 "stepwise", "--tokenizer", QString::fromStdString(tokenizer)} +
                     flagsOf(first["options"]));
        const auto lines = result.jsonLines();
        QVERIFY2(lines.size() == rows->size(), result.errors.constData());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto id = (*rows)[i]["id"].get<std::string>();
            QVERIFY2(!lines[i].contains("error"), (id + ": " + lines[i].dump()).c_str());
            QVERIFY2(lines[i]["sequences"][0]["ids"] == (*rows)[i]["expected"]["input_ids"], id.c_str());
            const auto& labels = (*rows)[i]["expected"]["labels"];
            Json supervised = Json::array();
            for (std::size_t position = 0; position < labels.size(); ++position)
                if (labels[position] != -100)
                    supervised.push_back({position, labels[position].get<double>()});
            QVERIFY2(lines[i]["supervised"] == supervised, id.c_str());
            ++compared;
        }
    }
    QVERIFY(compared >= 100);
    qInfo("%zu rows in %zu sets of options equal", compared, largest.size());
}

void tst_probe_commands::dataRowsOfPairs()
{
    NEED_TEST_DATA("golden-trl/pairwise_tokenize.jsonl");
    NEED_TEST_DATA("derived-stories260k-hf");
    const auto hasLimit = [](const Json& row) { return row["options"]["max_length"] == 64; };
    std::vector<Json> rows;
    for (auto& row : readJsonLines("golden-trl/pairwise_tokenize.jsonl"))
        if (row["options"]["chat_template"].is_null() && hasLimit(row) && !row["options"]["add_bos"])
            rows.push_back(std::move(row));
    QVERIFY(!rows.empty());
    const QString path = m_folder.filePath("pairs.jsonl");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (const auto& row : rows)
        file.write(QByteArray::fromStdString(row["input"].dump()) + "\n");
    file.close();
    const auto tokenizer = QString::fromStdString((testData() / "derived-stories260k-hf").string());
    const auto result = runAssay({"data", "rows", path, "--layout", "trl-pairwise", "--tokenizer", tokenizer,
                                  "--layout.add_bos", "false", "--layout.maximum_tokens", "64"});
    const auto lines = result.jsonLines();
    QVERIFY2(lines.size() == rows.size(), result.errors.constData());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& expected = rows[i]["expected"];
        const auto id = rows[i]["id"].get<std::string>();
        QVERIFY2(lines[i]["cut"]["dropped"] == expected.contains("dropped"), id.c_str());
        if (expected.contains("dropped")) {
            QVERIFY2(lines[i]["cut"]["lengths"] ==
                         Json::array({expected["chosen_length"], expected["rejected_length"]}),
                     id.c_str());
            continue;
        }
        QVERIFY2(lines[i]["sequences"][0]["ids"] == expected["chosen_ids"], id.c_str());
        QVERIFY2(lines[i]["sequences"][1]["ids"] == expected["rejected_ids"], id.c_str());
        QVERIFY2(lines[i]["read_outs"][1]["position"] == rows[i]["score_index_by_true_length"][1],
                 id.c_str());
        QCOMPARE(lines[i]["targets"]["group_offsets"].dump(), std::string("[0,2]"));
    }
}

void tst_probe_commands::dataRowsNameRefusedRows()
{
    NEED_TEST_DATA("derived-stories260k-hf");
    const QString path = m_folder.filePath("bad.jsonl");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"prompt": "p", "completions": ["a", "b"], "labels": [true, false]})"
               "\n"
               R"({"prompt": "p", "completions": ["a"], "labels": [true, false]})"
               "\n");
    file.close();
    const QStringList words = {"data",
                               "rows",
                               path,
                               "--layout",
                               "stepwise",
                               "--tokenizer",
                               QString::fromStdString((testData() / "derived-stories260k-hf").string())};
    const auto result = runAssay(words);
    QCOMPARE(result.exitCode, 4);
    const auto lines = result.jsonLines();
    QCOMPARE(lines.size(), std::size_t{2});
    QVERIFY(!lines[0].contains("error"));
    QCOMPARE(lines[1]["row"].get<int>(), 1);
    QVERIFY(lines[1].contains("error"));
    QCOMPARE(runAssay(words + QStringList{"--data.bad_rows", "skip"}).exitCode, 0);
}

void tst_probe_commands::tokenRewards()
{
    const QByteArray lines = R"({"id": "a", "score": 2, "ids": [5, 7, 9], "logprobs": [-1, -1, -1],)"
                             R"( "reference_logprobs": [-2, -2, -2], "values": [0, 0, 0]}
{"score": 2, "logprobs": [-1], "reference_logprobs": [-1]}
{"score": 2, "logprob": [-1]}
)";
    const auto result = runProgram(
        "assay", {"token-rewards", "--divergence", "0.5", "--stop-tokens", "7,8", "--trace", "1"}, lines);
    QCOMPARE(result.exitCode, 4);
    const auto answers = result.jsonLines();
    QCOMPARE(answers.size(), std::size_t(3));
    QCOMPARE(answers[0]["id"].get<std::string>(), std::string("a"));
    QCOMPARE(answers[0]["tokens"].get<int>(), 2);
    QVERIFY(answers[0]["rewards"] == nlohmann::json({-0.5, 1.5}));
    QVERIFY(answers[0]["returns"] == nlohmann::json({1.0, 1.5}));
    QVERIFY(answers[1]["error"]["message"].get<std::string>().find("ids are missing") != std::string::npos);
    QVERIFY(answers[2]["error"]["message"].get<std::string>().find("logprob") != std::string::npos);
    QCOMPARE(runProgram("assay", {"token-rewards", "--discount", "2"}).exitCode, 2);
}

void tst_probe_commands::model_data()
{
    QTest::addColumn<QString>("execution");
    for (const char* execution : {"single", "packed", "merged", "padded", "left-padded"})
        QTest::newRow(execution) << execution;
}

void tst_probe_commands::model()
{
    QFETCH(QString, execution);
    NEED_TEST_DATA("derived-stories260k-hf");
    const auto folder = QString::fromStdString((testData() / "derived-stories260k-hf").string());
    const QString path = m_folder.filePath("cases.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"cases": [{"name": "short", "input_ids": [1, 403, 407]},
                             {"name": "long", "input_ids": [1, 403, 407, 261, 378, 432, 383]}]})");
    file.close();
    const auto result =
        runAssay({"model", folder, "--input", path, "--execution", execution, "--dtype", "float64"});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto single =
        runAssay({"model", folder, "--input", path, "--execution", "single", "--dtype", "float64"}).json();
    const auto json = result.json();
    QCOMPARE(json["cases"].size(), std::size_t{2});
    double largest = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& hidden = json["cases"][i]["last_hidden_state"];
        const auto& expected = single["cases"][i]["last_hidden_state"];
        QVERIFY(hidden.is_array() && hidden.size() == expected.size() && !hidden.empty());
        for (std::size_t t = 0; t < hidden.size(); ++t)
            for (std::size_t k = 0; k < hidden[t].size(); ++k)
                largest =
                    std::max(largest, std::abs(hidden[t][k].get<double>() - expected[t][k].get<double>()));
    }
    QVERIFY2(largest < 1e-9, qPrintable(QString::number(largest)));
}

QTEST_GUILESS_MAIN(tst_probe_commands)
#include "tst_probe_commands.moc"
