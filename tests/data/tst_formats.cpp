#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <sys/stat.h>

using namespace assay;

namespace {

/// Labels as a text: value, or _ for "not supervised".
std::string labelText(const std::vector<Label>& labels)
{
    std::string text;
    for (const auto& label : labels)
        text += (text.empty() ? "" : " ") +
                (label.supervised ? QString::number(static_cast<double>(label.value)).toStdString() : "_");
    return text;
}

std::vector<Label> labelsOf(const Example& example)
{
    if (const auto* tokens = example.tokenised())
        return tokens->labels;
    std::vector<Label> labels;
    for (const auto& step : example.stepwise()->steps)
        labels.push_back(step.label);
    return labels;
}

} // namespace

/// Rows of every format to examples, and the words for rows that do not fit.
class TestFormats : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labels_data();
    void labels();
    void problems_data();
    void problems();
    void contents();
    void recognises_data();
    void recognises();
    void folders();
    void errors();
    void refusesWhatIsNoFile_data();
    void refusesWhatIsNoFile();
    void stopsReading();

private:
    std::filesystem::path write(const std::string& bytes, const char* name = "rows.jsonl")
    {
        const std::filesystem::path path = m_folder.path().toStdString() + "/" + name;
        if (!writeDurably(path, bytes).ok())
            qFatal("cannot write");
        return path;
    }
    QTemporaryDir m_folder;
};

void TestFormats::labels_data()
{
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QByteArray>("labels");
    QTest::addColumn<int>("firstError"); // -2 = not declared
    const auto row = [](const char* name, const char* json, const char* labels, int firstError = -2) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(labels) << firstError;
    };
    row("flags", R"({"prompt":"p","completions":["a","b"],"labels":[true,false]})", "1 0");
    row("numbers", R"({"prompt":"p","completions":["a","b"],"labels":[1,0]})", "1 0");
    row("soft", R"({"prompt":"p","completions":["a","b","c"],"labels":[0.25,1.0,0.0]})", "0.25 1 0");
    row("null is no label", R"({"prompt":"p","completions":["a","b"],"labels":[null,true]})", "_ 1");
    row("no labels", R"({"prompt":"p","completions":["a","b"]})", "_ _");
    row("no steps", R"({"prompt":"p","completions":[],"labels":[]})", "");
    row("first error", R"({"prompt":"p","completions":["a","b"],"labels":[1,0],"first_error":1})", "1 0", 1);
    row("no first error", R"({"prompt":"p","completions":["a"],"labels":[1],"first_error":null})", "1", -1);
    row("ids", R"({"input_ids":[5,6,7],"labels":[-100,1,0]})", "_ 1 0");
    row("ids, soft", R"({"input_ids":[5,6,7],"labels":[-100,0.5,-100]})", "_ 0.5 _");
    row("ids, cast to flags", R"({"input_ids":[5,6],"labels":[true,true]})", "1 1");
    row("ids, mask of ones", R"({"input_ids":[5],"labels":[1],"attention_mask":[1]})", "1");
    row("mistake", R"({"input":"p","steps":["a","b","c"],"mistake_index":1})", "1 0 _", 1);
    row("mistake in the last step", R"({"input":"p","steps":["a","b"],"mistake_index":1})", "1 0", 1);
    row("no mistake", R"({"input":"p","steps":["a","b"],"mistake_index":null})", "1 1", -1);
}

void TestFormats::labels()
{
    QFETCH(QByteArray, row);
    QFETCH(QByteArray, labels);
    QFETCH(int, firstError);
    const auto dataset = openDataset(write(row.toStdString()));
    QVERIFY_RESULT(dataset);
    QVERIFY2((*dataset)->problems().empty(),
             (*dataset)->problems().empty() ? "" : (*dataset)->problems()[0].message.c_str());
    QCOMPARE((*dataset)->size(), std::int64_t{1});
    const auto example = (*dataset)->at(0);
    QCOMPARE(labelText(labelsOf(example)), labels.toStdString());
    if (const auto* steps = example.stepwise())
        QCOMPARE(steps->declaredFirstError.value_or(-2), firstError);
    QCOMPARE(example.id.size(), std::size_t{32});
}

void TestFormats::problems_data()
{
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* json, const char* named) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(named);
    };
    row("text label", R"({"prompt":"p","completions":["a"],"labels":["+"]})", R"(`labels[0]` is "+")");
    row("text flag", R"({"prompt":"p","completions":["a"],"labels":["true"]})", "labels[0]");
    row("-1", R"({"prompt":"p","completions":["a","b"],"labels":[1,-1]})",
        "`labels[1]` is -1, outside [0, 1]");
    row("2", R"({"prompt":"p","completions":["a"],"labels":[2]})", "outside [0, 1]");
    row("1.5", R"({"prompt":"p","completions":["a"],"labels":[1.5]})", "outside [0, 1]");
    row("-0.5", R"({"prompt":"p","completions":["a"],"labels":[-0.5]})", "outside [0, 1]");
    row("-100", R"({"prompt":"p","completions":["a"],"labels":[-100]})", "write null");
    row("fewer labels", R"({"prompt":"p","completions":["a","b"],"labels":[1]})", "2 steps and 1 labels");
    row("more labels", R"({"prompt":"p","completions":["a"],"labels":[1,1]})", "1 steps and 2 labels");
    row("labels no list", R"({"prompt":"p","completions":["a"],"labels":1})", "`labels` is not a list");
    row("labels null", R"({"prompt":"p","completions":["a"],"labels":null})", "`labels` is not a list");
    row("steps as a text", R"({"prompt":"p","completions":"ab","labels":[1,1]})",
        R"(`completions` is not a list but "ab")");
    row("step no text", R"({"prompt":"p","completions":["a",7],"labels":[1,1]})", "completions[1]");
    row("prompt null", R"({"prompt":null,"completions":["a"],"labels":[1]})",
        "`prompt` is not a text but null");
    row("first error outside", R"({"prompt":"p","completions":["a"],"labels":[1],"first_error":1})",
        "first_error");
    row("ids and labels differ", R"({"input_ids":[1,2],"labels":[1]})", "2 ids and 1 labels");
    row("no ids", R"({"input_ids":[],"labels":[]})", "0 ids");
    row("negative id", R"({"input_ids":[-1],"labels":[1]})", "input_ids[0]");
    row("fraction id", R"({"input_ids":[1.0],"labels":[1]})", "input_ids[0]");
    row("id beyond 31 bits", R"({"input_ids":[2147483648],"labels":[1]})", "input_ids[0]");
    row("-100.0", R"({"input_ids":[1],"labels":[-100.0]})", "outside [0, 1]");
    row("-99", R"({"input_ids":[1],"labels":[-99]})", "outside [0, 1]");
    row("padded", R"({"input_ids":[1,0],"labels":[1,-100],"attention_mask":[1,0]})", "padded");
    row("mistake behind the steps", R"({"input":"p","steps":["a"],"mistake_index":1})", "mistake_index");
    row("mistake -1", R"({"input":"p","steps":["a"],"mistake_index":-1})", "mistake_index");
    row("no object", R"([["prompt","completions"]])", "");
}

void TestFormats::problems()
{
    QFETCH(QByteArray, row);
    QFETCH(QByteArray, named);
    if (named.isEmpty()) {
        QVERIFY(!openDataset(write(row.toStdString())).ok());
        return;
    }
    // A row that fits stands behind it: one bad row must not take the others with it.
    const auto good = row.contains("input_ids")  ? R"({"input_ids":[1],"labels":[1]})"
                      : row.contains("mistake_") ? R"({"input":"q","steps":["a"],"mistake_index":0})"
                                                 : R"({"prompt":"q","completions":["a"],"labels":[1]})";
    const auto dataset = openDataset(write(row.toStdString() + "\n" + good + "\n"));
    QVERIFY_RESULT(dataset);
    QCOMPARE((*dataset)->size(), std::int64_t{1});
    QCOMPARE((*dataset)->at(0).row, std::int64_t{1});
    QCOMPARE((*dataset)->problems().size(), std::size_t{1});
    const auto& problem = (*dataset)->problems()[0];
    QCOMPARE(problem.row, std::int64_t{0});
    QCOMPARE(problem.line, std::int64_t{1});
    QVERIFY2(problem.message.find(named.toStdString()) != std::string::npos, problem.message.c_str());
}

void TestFormats::contents()
{
    const auto path = write(
        R"({"id":7,"prompt":"Was \u00e4?","completions":["a\nb",""],"labels":[1,0],"tags":["x", 1.5]})");
    const auto dataset = *openDataset(path);
    const auto example = dataset->at(0);
    QCOMPARE(example.source, path.string());
    QCOMPARE(example.stepwise()->prompt, std::string("Was ä?"));
    QCOMPARE(example.stepwise()->steps[0].text, std::string("a\nb"));
    QCOMPARE(example.stepwise()->steps[1].text, std::string());
    QCOMPARE(example.metadata,
             (std::vector<std::pair<std::string, std::string>>{{"id", "7"}, {"tags", "[\"x\",1.5]"}}));
    // The id is one of the content: metadata, file and row do not matter, labels do.
    const auto moved = *openDataset(write("\n"
                                          R"({"prompt":"Was ä?","completions":["a\nb",""],"labels":[1,0]})",
                                          "b.jsonl"));
    QCOMPARE(moved->at(0).id, example.id);
    const auto other = *openDataset(write(R"({"prompt":"Was ä?","completions":["a\nb",""],"labels":[1,1]})"));
    QVERIFY(other->at(0).id != example.id);
    QCOMPARE(other->at(0).group, example.group);
    QVERIFY(other->fingerprint() != dataset->fingerprint());
}

void TestFormats::recognises_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("format");
    QTest::newRow("stepwise") << QByteArray(R"({"labels":[1],"completions":["a"],"prompt":"p"})")
                              << QByteArray("stepwise");
    QTest::newRow("array") << QByteArray(R"([{"labels":[1],"completions":["a"],"prompt":"p"}])")
                           << QByteArray("stepwise");
    QTest::newRow("pretty") << QByteArray("{\n\"prompt\":\"p\",\n\"completions\":[]}")
                            << QByteArray("stepwise");
    QTest::newRow("ids") << QByteArray(R"({"input_ids":[1],"labels":[1],"prompt":1})")
                         << QByteArray("stepwise-tokenised");
    QTest::newRow("mistake") << QByteArray(R"({"input":"p","steps":[],"mistake_index":null})")
                             << QByteArray("bigbench-mistake");
    QTest::newRow("pairs") << QByteArray(R"({"prompt":"p","chosen":"a","rejected":"b"})")
                           << QByteArray("preference");
    QTest::newRow("pairs of ids")
        << QByteArray(R"({"chosen_ids":[1],"rejected_ids":[2],"chosen":"a","rejected":"b"})")
        << QByteArray("preference-tokenised");
    QTest::newRow("other columns") << QByteArray(R"({"prompt":"p","selected":"a","rejected":"b"})")
                                   << QByteArray();
}

void TestFormats::recognises()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, format);
    const auto path = write(bytes.toStdString());
    const auto recognised = recogniseFormat(path);
    if (format.isEmpty()) {
        QVERIFY(recognised.error().code == ErrorCode::Unsupported);
        QVERIFY(recognised.error().message.find("prompt, selected, rejected") != std::string::npos);
        return;
    }
    QVERIFY_RESULT(recognised);
    QCOMPARE(*recognised, format.toStdString());
    QVERIFY_RESULT(openDataset(path, {format.toStdString(), 0}));
    QVERIFY_RESULT(openDataset(path, {"auto", 0}));
}

void TestFormats::folders()
{
    QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    const std::string row = R"({"prompt":"p","completions":["a"],"labels":[1]})";
    QVERIFY(openDataset(folder).error().code == ErrorCode::NotFound);
    QVERIFY_RESULT(writeDurably(folder / "b.jsonl", row + "\n{}\n"));
    QVERIFY_RESULT(writeDurably(folder / "a.json", "[" + row + "," + row + "]"));
    QVERIFY_RESULT(writeDurably(folder / "notes.txt", "not data"));
    const auto all = openDataset(folder);
    QVERIFY_RESULT(all);
    QCOMPARE((*all)->size(), std::int64_t{3});
    QCOMPARE((*all)->problems().size(), std::size_t{1});
    QCOMPARE((*all)->at(2).source, (folder / "b.jsonl").string());
    QCOMPARE((*openDataset(folder, {"", 1}))->size(), std::int64_t{1});
    QCOMPARE((*openDataset(folder, {"", 3}))->size(), std::int64_t{3});
}

void TestFormats::errors()
{
    QVERIFY(openDataset("/nonexistent/rows.jsonl").error().code == ErrorCode::NotFound);
    QVERIFY(openDataset(write("{}"), {"parquet", 0}).error().code == ErrorCode::Usage);
    QVERIFY(openDataset(write("")).error().message.find("empty") != std::string::npos);
    QVERIFY(openDataset(write("[]"), {"stepwise", 0}).error().message.find("no rows") != std::string::npos);
    QVERIFY(openDataset(write("\n \n"), {"stepwise", 0}).error().message.find("no rows") !=
            std::string::npos);
    QVERIFY(openDataset(write("hello")).error().code == ErrorCode::BadData);
    for (const auto& [bytes, says] :
         {std::pair("\n \n", "no rows in the file"), std::pair("\n5\n", "line 2 is a number, not an object"),
          std::pair("[[1]]", "line 1 is a list, not an object"), std::pair("hello", "line 1: not valid"),
          std::pair("{\"a\":NaN}", "line 1: NaN is not JSON")}) {
        const auto opened = openDataset(write(bytes));
        QVERIFY(!opened.ok() && opened.error().code == ErrorCode::BadData);
        QVERIFY2(opened.error().message.find(says) != std::string::npos, opened.error().text().c_str());
    }
}

void TestFormats::refusesWhatIsNoFile_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("kind");
    const QByteArray pipe = m_folder.filePath("pipe").toLocal8Bit();
    QVERIFY(QFile::exists(pipe) || ::mkfifo(pipe.constData(), 0600) == 0);
    QTest::newRow("pipe") << pipe << QByteArray("a pipe");
    QTest::newRow("endless device") << QByteArray("/dev/zero") << QByteArray("a device");
    QTest::newRow("empty device") << QByteArray("/dev/null") << QByteArray("a device");
}

/// A pipe that nobody writes to would hold its reader for ever.
void TestFormats::refusesWhatIsNoFile()
{
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, kind);
    for (const char* format : {"", "stepwise"}) {
        const auto opened = openDataset(path.toStdString(), {format, 0});
        QVERIFY(!opened.ok());
        QVERIFY(opened.error().code == ErrorCode::Usage);
        QVERIFY2(opened.error().message.find(kind.toStdString()) != std::string::npos,
                 opened.error().text().c_str());
    }
    QVERIFY(recogniseFormat(path.toStdString()).error().code == ErrorCode::Usage);
}

void TestFormats::stopsReading()
{
    std::stop_source stop;
    const auto path = write(R"({"prompt":"p","completions":["a"],"labels":[1]})");
    QVERIFY_RESULT(openDataset(path, {"", 0, stop.get_token()}));
    stop.request_stop();
    QVERIFY(openDataset(path, {"", 0, stop.get_token()}).error().code == ErrorCode::Cancelled);
}

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
