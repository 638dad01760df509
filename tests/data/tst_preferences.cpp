#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "tests/support/gzip.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <set>

using namespace assay;
using namespace assay::tests;

namespace {

QString shown(const Passage& passage)
{
    auto text = QString::fromStdString(passage.text);
    for (const auto& message : passage.messages)
        text += QString::fromStdString("[" + message.role + ": " + message.content + "]");
    return text.replace('\n', '/');
}

/// "prompt | chosen | rejected"
QString shown(const PreferenceExample& pair)
{
    auto text = shown(pair.prompt);
    for (const auto& candidate : pair.candidates)
        text += " | " + shown(candidate);
    return text;
}

} // namespace

/// Rows with pairs to examples: prompts given and cut off, margins, ids, prompt groups, words for what does
/// not fit.
class TestPreferences : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sides_data();
    void sides();
    void problems_data();
    void problems();
    void margins_data();
    void margins();
    void ids();
    void groups_data();
    void groups();
    void packed();
    void realFiles_data();
    void realFiles();

private:
    std::filesystem::path write(const std::string& bytes, const char* name = "pairs.jsonl")
    {
        const std::filesystem::path path = m_folder.path().toStdString() + "/" + name;
        if (!writeDurably(path, bytes).ok())
            qFatal("cannot write");
        return path;
    }
    /// The one row of a file; what is wrong with it stops the test.
    Example only(const std::string& row)
    {
        const auto dataset = openDataset(write(row));
        if (!dataset.ok() || (*dataset)->size() != 1)
            qFatal("%s", row.c_str());
        return (*dataset)->at(0);
    }
    QTemporaryDir m_folder;
};

void TestPreferences::sides_data()
{
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QString>("sides");
    const auto row = [](const char* name, const char* json, const char* sides) {
        QTest::newRow(name) << QByteArray(json) << QString(sides);
    };
    row("given prompt", R"({"prompt":"Q ","chosen":"Q a","rejected":"Q b"})", "Q  | Q a | Q b");
    row("empty prompt", R"({"prompt":"","chosen":"same a","rejected":"same b"})", " | same a | same b");
    row("null prompt", R"({"prompt":null,"chosen":"same a","rejected":"same b"})", "same  | a | b");
    row("transcript",
        R"({"chosen":"\n\nHuman: q\n\nAssistant: a b","rejected":"\n\nHuman: q\n\nAssistant: a c"})",
        "//Human: q//Assistant: |  a b |  a c");
    row("transcript, markers apart",
        R"({"chosen":"\n\nHuman: q\n\nAssistant: a\n\nHuman: r\n\nAssistant: b",)"
        R"("rejected":"\n\nHuman: q\n\nAssistant: c"})",
        "//Human: q//Assistant: |  a//Human: r//Assistant: b |  c");
    row("transcript, one side a start of the other",
        R"({"chosen":"\n\nHuman: q\n\nAssistant:","rejected":"\n\nHuman: q\n\nAssistant: c"})",
        "//Human: q//Assistant: |  |  c");
    row("common words", R"({"chosen":"the cat sat","rejected":"the car ran"})", "the  | cat sat | car ran");
    row("a start of the other", R"({"chosen":"one two","rejected":"one two three"})",
        "one  | two | two three");
    row("nothing common", R"({"chosen":"yes","rejected":"no"})", " | yes | no");
    row("equal", R"({"chosen":"same text","rejected":"same text"})", " | same text | same text");
    row("messages",
        R"({"chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],)"
        R"("rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"b"}]})",
        "[user: q] | [assistant: a] | [assistant: b]");
    row("equal messages",
        R"({"chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],)"
        R"("rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})",
        "[user: q] | [assistant: a] | [assistant: a]");
    row("messages with a prompt",
        R"({"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","content":"a"}],)"
        R"("rejected":[{"role":"assistant","content":"b"}]})",
        "[user: q] | [assistant: a] | [assistant: b]");
    row("ShareGPT",
        R"({"conversations":[{"from":"system","value":"s"},{"from":"human","value":"q"}],)"
        R"("chosen":{"from":"gpt","value":"a"},"rejected":{"from":"gpt","value":"b"}})",
        "[system: s][user: q] | [assistant: a] | [assistant: b]");
}

void TestPreferences::sides()
{
    QFETCH(QByteArray, row);
    QFETCH(QString, sides);
    QCOMPARE(*recogniseFormat(write(row.toStdString())), std::string("preference"));
    const auto example = only(row.toStdString());
    QVERIFY(example.preference());
    QCOMPARE(shown(*example.preference()), sides);
    QVERIFY(example.metadata.empty());
}

void TestPreferences::problems_data()
{
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const char* json, const char* named) {
        QTest::newRow(name) << QByteArray(json) << QString(named);
    };
    row("no rejected", R"({"prompt":"p","chosen":"c"})", "`rejected` is missing");
    row("null side", R"({"chosen":"c","rejected":null})", "`rejected` is neither a text");
    row("number", R"({"chosen":7,"rejected":"c"})", "`chosen` is neither a text");
    row("text and messages", R"({"chosen":"c","rejected":[{"role":"user","content":"x"}]})",
        "`rejected` is a conversation");
    row("messages and text", R"({"chosen":[{"role":"user","content":"x"}],"rejected":"c"})",
        "`rejected` is a text");
    row("prompt of another kind", R"({"prompt":[{"role":"user","content":"x"}],"chosen":"a","rejected":"c"})",
        "`prompt` is a conversation");
    row("no message", R"({"chosen":[],"rejected":[]})", "without a message");
    row("message no object", R"({"chosen":["x"],"rejected":["y"]})", "`chosen[0]` is no message");
    row("message without role", R"({"chosen":[{"content":"x"}],"rejected":"y"})", "`role` is missing");
    row("content in parts", R"({"chosen":[{"role":"user","content":[{"type":"text"}]}],"rejected":"y"})",
        "`content` is not a text");
    row("tool calls", R"({"chosen":[{"role":"user","content":"x","tool_calls":[1]}],"rejected":"y"})",
        "tool_calls");
    row("two prompts", R"({"prompt":"p","conversations":[],"chosen":"c","rejected":"d"})", "only one");
    row("margin as text", R"({"chosen":"c","rejected":"d","margin":"1"})", "`margin` is not a number");
    row("margin too large", R"({"chosen":"c","rejected":"d","margin":1e300})", "`margin` is not a number");
    row("no ids", R"({"chosen_ids":[],"rejected_ids":[1]})", "`chosen_ids` has no token");
    row("negative id", R"({"chosen_ids":[1],"rejected_ids":[1,-2]})", "`rejected_ids[1]` is -2");
    row("one side of ids", R"({"chosen_ids":[1]})", "`rejected_ids` is missing");
}

void TestPreferences::problems()
{
    QFETCH(QByteArray, row);
    QFETCH(QString, named);
    const bool ids = row.contains("chosen_ids");
    const std::string good =
        ids ? R"({"chosen_ids":[1],"rejected_ids":[2]})" : R"({"chosen":"a","rejected":"b"})";
    const auto dataset = openDataset(write(good + "\n" + row.toStdString() + "\n"));
    QVERIFY_RESULT(dataset);
    QCOMPARE((*dataset)->size(), std::int64_t{1});
    QCOMPARE((*dataset)->problems().size(), std::size_t{1});
    const auto& problem = (*dataset)->problems().front();
    QCOMPARE(problem.line, std::int64_t{2});
    QVERIFY2(QString::fromStdString(problem.message).contains(named), problem.message.c_str());
}

void TestPreferences::margins_data()
{
    QTest::addColumn<QByteArray>("margin");
    QTest::addColumn<bool>("given");
    QTest::newRow("half") << QByteArray(R"(,"margin":0.5)") << true;
    QTest::newRow("null") << QByteArray(R"(,"margin":null)") << false;
    QTest::newRow("absent") << QByteArray() << false;
}

void TestPreferences::margins()
{
    QFETCH(QByteArray, margin);
    QFETCH(bool, given);
    const auto text = only(R"({"chosen":"c","rejected":"d","n":1)" + margin.toStdString() + "}");
    QCOMPARE(text.preference()->margin, given ? std::optional(0.5F) : std::nullopt);
    QCOMPARE(text.metadata, (std::vector<std::pair<std::string, std::string>>{{"n", "1"}}));
    const auto ids = only(R"({"chosen_ids":[1],"rejected_ids":[2])" + margin.toStdString() + "}");
    QCOMPARE(ids.tokenisedPreference()->margin, text.preference()->margin);
}

void TestPreferences::ids()
{
    const auto example = only(R"({"chosen_ids":[5,6],"rejected_ids":[5],"chosen":"x","rejected":"y"})");
    QCOMPARE(example.tokenisedPreference()->candidates,
             (std::vector<std::vector<std::int32_t>>{{5, 6}, {5}}));
    const auto older = only(R"({"input_ids_chosen":[5,6],"input_ids_rejected":[5]})");
    QCOMPARE(older.id, example.id);
}

void TestPreferences::groups_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<bool>("together");
    const auto rows = [](const char* name, const char* a, const char* b, bool together) {
        QTest::newRow(name) << QByteArray(a) << QByteArray(b) << together;
    };
    rows("the same prompt", R"({"prompt":"p","chosen":"a","rejected":"b"})",
         R"({"prompt":"p","chosen":"c","rejected":"d"})", true);
    rows("other prompts", R"({"prompt":"p","chosen":"a","rejected":"b"})",
         R"({"prompt":"q","chosen":"a","rejected":"b"})", false);
    rows("the same opening question",
         R"({"chosen":"\n\nHuman: q\n\nAssistant: a","rejected":"\n\nHuman: q\n\nAssistant: b"})",
         R"({"chosen":"\n\nHuman: q\n\nAssistant: x\n\nHuman: r\n\nAssistant: a",)"
         R"("rejected":"\n\nHuman: q\n\nAssistant: x\n\nHuman: r\n\nAssistant: b"})",
         true);
    rows("the same first message",
         R"({"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","content":"a"}],)"
         R"("rejected":[{"role":"assistant","content":"b"}]})",
         R"({"prompt":[{"role":"user","content":"q"},{"role":"assistant","content":"x"},{"role":"user",)"
         R"("content":"r"}],"chosen":[{"role":"assistant","content":"a"}],)"
         R"("rejected":[{"role":"assistant","content":"b"}]})",
         true);
    rows("only first words in common", R"({"chosen":"I am well","rejected":"I am ill"})",
         R"({"chosen":"I am here","rejected":"I am gone"})", false);
    rows("a common first line", R"({"chosen":"Why?\nso","rejected":"Why?\nno"})",
         R"({"chosen":"Why?\nI do","rejected":"Why?\nI will"})", true);
    rows("no prompt, swapped", R"({"chosen":"yes","rejected":"no"})", R"({"chosen":"no","rejected":"yes"})",
         true);
    rows("no prompt, other answers", R"({"prompt":"","chosen":"yes","rejected":"no"})",
         R"({"prompt":"","chosen":"yes","rejected":"never"})", false);
}

void TestPreferences::groups()
{
    QFETCH(QByteArray, a);
    QFETCH(QByteArray, b);
    QFETCH(bool, together);
    const auto first = only(a.toStdString()), second = only(b.toStdString());
    QVERIFY(first.id != second.id);
    QCOMPARE(first.group == second.group, together);
}

void TestPreferences::packed()
{
    const std::string rows = R"({"chosen":"a","rejected":"b"})"
                             "\n"
                             R"({"chosen":"c","rejected":"d"})"
                             "\n";
    const auto plain = *openDataset(write(rows));
    const auto packed = openDataset(write(gzipped(rows), "pairs.jsonl.gz"));
    QVERIFY_RESULT(packed);
    QCOMPARE((*packed)->fingerprint(), plain->fingerprint());
    const auto array = openDataset(write(gzipped(R"([{"chosen":"a","rejected":"b"}])"), "pairs.json.gz"));
    QVERIFY_RESULT(array);
    QCOMPARE((*array)->at(0).id, plain->at(0).id);
    // Of a folder, packed files are read too.
    QTemporaryDir folder;
    QVERIFY_RESULT(
        writeDurably(std::filesystem::path(folder.path().toStdString()) / "p.jsonl.gz", gzipped(rows)));
    QCOMPARE((*openDataset(folder.path().toStdString()))->size(), std::int64_t{2});
}

void TestPreferences::realFiles_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("groups");
    // Counts that the test data's own page gives.
    QTest::newRow("hh-rlhf") << "pref-hh-rlhf/harmless-base.jsonl.gz" << 1853 << 1743;
    QTest::newRow("dpo_en") << "pref-llamafactory-demo/dpo_en_demo.json" << 300 << 0;
    QTest::newRow("dpo_zh") << "pref-llamafactory-demo/dpo_zh_demo.json.gz" << 300 << 0;
    QTest::newRow("hh_rlhf_tiny") << "pref-small-fixtures/hh_rlhf_tiny.json" << 1 << 1;
}

void TestPreferences::realFiles()
{
    QFETCH(QString, file);
    QFETCH(int, rows);
    QFETCH(int, groups);
    NEED_TEST_DATA(file.toStdString());
    const auto dataset = openDataset(testData() / file.toStdString());
    QVERIFY_RESULT(dataset);
    QVERIFY2((*dataset)->problems().empty(),
             (*dataset)->problems().empty() ? "" : (*dataset)->problems()[0].message.c_str());
    QCOMPARE((*dataset)->size(), std::int64_t{rows});
    std::set<std::string> found;
    for (std::int64_t i = 0; i < (*dataset)->size(); ++i) {
        const Example example = (*dataset)->at(i);
        const auto* pair = example.preference();
        QVERIFY(pair && pair->candidates.size() == 2 && !pair->prompt.empty());
        QVERIFY(!(pair->candidates[0] == pair->candidates[1]));
        found.insert(example.group);
    }
    if (groups > 0)
        QCOMPARE(found.size(), static_cast<std::size_t>(groups));
}

QTEST_GUILESS_MAIN(TestPreferences)
#include "tst_preferences.moc"
