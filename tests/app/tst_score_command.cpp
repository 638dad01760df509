// `assay score`: rows, text, a stream and a socket against one small checkpoint, all through the program.
#include "core/data/demo_rows.h"
#include "core/data/format.h"
#include "core/store/run_store.h"
#include "tests/support/line_client.h"
#include "tests/support/program.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <sys/stat.h>

#include <fstream>

using namespace assay;
using namespace assay::tests;
using Json = nlohmann::json;

namespace {

constexpr double kTolerance = 1e-5;

std::vector<double> rewardsOf(const Json& answer)
{
    std::vector<double> rewards;
    for (const auto& reward : answer.value("rewards", Json::array()))
        rewards.push_back(reward.is_number() ? reward.get<double>() : -1.0);
    return rewards;
}

bool equal(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() && !a.empty() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [](double x, double y) { return std::abs(x - y) <= kTolerance; });
}

} // namespace

class TstScoreCommand : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void equalsEvaluation();
    void folderEqualsRun();
    void standardInputEqualsFile();
    void refusedRowsLeaveTheOthers();
    void cutStepsAreNull();
    void textEqualsRow();
    void streamAnswersOneByOne();
    void streamAnswersMany();
    void streamNamesWhatIsWrong();
    void streamEndsOnSignal();
    void socketServesSeveralClients();
    void socketHoldsBack();
    void socketFile();
    void errors_data();
    void errors();

private:
    QStringList words(const QStringList& more) const
    {
        return QStringList{"score", "last", "--store", m_folder.filePath("store")} + more;
    }
    /// Row i as a request with the id i.
    QByteArray request(std::size_t i) const
    {
        auto row = Json::parse(m_rows.at(i).toStdString());
        row["id"] = i;
        return QByteArray::fromStdString(row.dump()) + "\n";
    }
    QString socketPath() const { return m_folder.filePath("s"); }
    /// Starts the server and waits until it listens.
    bool startServer(QProcess& process) const;

    QTemporaryDir m_folder;
    QByteArrayList m_rows;                      ///< JSON lines
    std::vector<std::vector<double>> m_rewards; ///< [rows], as `assay score FILE` gave them
};

void TstScoreCommand::initTestCase()
{
    DemoOptions options;
    options.rows = 40;
    const auto text = demoJsonLines(demoRows(1, "score", options));
    const auto path = m_folder.filePath("rows.jsonl");
    std::ofstream(path.toStdString()) << text;
    m_rows = QByteArray::fromStdString(text).trimmed().split('\n');
    const auto trained = runAssay({"train",
                                   "--store",
                                   m_folder.filePath("store"),
                                   "--data.train",
                                   path,
                                   "--backbone.source",
                                   "scratch",
                                   "--backbone.width",
                                   "16",
                                   "--backbone.layers",
                                   "1",
                                   "--backbone.heads",
                                   "2",
                                   "--backbone.key_value_heads",
                                   "1",
                                   "--backbone.mlp_width",
                                   "24",
                                   "--optimiser.learning_rate",
                                   "0.01",
                                   "--schedule.maximum_steps",
                                   "6",
                                   "--compute.dtype",
                                   "float32",
                                   "--compute.threads",
                                   "1",
                                   "--run.override_reason",
                                   "a test"});
    QVERIFY2(trained.exitCode == 0, trained.errors.constData());
    const auto result = runAssay(words({path}));
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    std::size_t row = 0;
    for (const auto& line : result.jsonLines()) {
        QCOMPARE(line["row"].get<std::size_t>(), row++);
        m_rewards.push_back(rewardsOf(line));
        QVERIFY(!m_rewards.back().empty());
    }
    QCOMPARE(m_rewards.size(), static_cast<std::size_t>(m_rows.size()));
    // Scores that are all the same would make every comparison below empty.
    QVERIFY(!equal(m_rewards[0], m_rewards[1]));
}

void TstScoreCommand::equalsEvaluation()
{
    const auto path = m_folder.filePath("rows.jsonl");
    const auto evaluated =
        runAssay({"eval", "last", "--data", path, "--json", "--store", m_folder.filePath("store")});
    QVERIFY2(evaluated.exitCode == 0, evaluated.errors.constData());
    const auto reader = RunReader::open({m_folder.filePath("store").toStdString()}).value();
    const auto data = openDataset(path.toStdString()).value();
    const auto evaluation = evaluated.json()["id"].get<std::int64_t>();
    std::size_t compared = 0;
    for (std::int64_t i = 0; i < data->size(); ++i) {
        const auto predictions = reader->predictions(evaluation, data->at(i).id);
        QVERIFY_RESULT(predictions);
        for (const auto& prediction : *predictions) {
            const auto reward =
                m_rewards[static_cast<std::size_t>(i)][static_cast<std::size_t>(prediction.step)];
            QVERIFY(std::abs(prediction.probability - reward) < 1e-6);
            ++compared;
        }
    }
    QVERIFY(compared > 100);
}

void TstScoreCommand::folderEqualsRun()
{
    const auto shown = runAssay({"show", "last", "--json", "--store", m_folder.filePath("store")}).json();
    const auto folder = QString::fromStdString(shown["checkpoints"].back()["path"].get<std::string>());
    const auto result = runAssay({"score", folder, m_folder.filePath("rows.jsonl")});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY(equal(rewardsOf(result.jsonLines().at(3)), m_rewards[3]));
    // A damaged copy is refused, not used.
    const auto copy = m_folder.filePath("copy");
    std::filesystem::copy(folder.toStdString(), copy.toStdString());
    std::ofstream(copy.toStdString() + "/model.safetensors", std::ios::app) << "x";
    const auto damaged = runAssay({"score", copy, m_folder.filePath("rows.jsonl")});
    QCOMPARE(damaged.exitCode, 5);
    QVERIFY(damaged.output.isEmpty());
}

void TstScoreCommand::standardInputEqualsFile()
{
    const auto result = runAssay(words({}), m_rows.join('\n'));
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto lines = result.jsonLines();
    QCOMPARE(lines.size(), m_rewards.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        QVERIFY(equal(rewardsOf(lines[i]), m_rewards[i]));
}

void TstScoreCommand::refusedRowsLeaveTheOthers()
{
    const QByteArray bad = R"({"prompt": "p", "completions": ["a"], "labels": [true, false]})";
    const auto input = m_rows[0] + "\n" + bad + "\n" + m_rows[1] + "\n";
    const auto path = m_folder.filePath("mixed.jsonl");
    std::ofstream(path.toStdString()) << input.toStdString();
    for (const auto& result : {runAssay(words({path})), runAssay(words({"-"}), input)}) {
        QCOMPARE(result.exitCode, 4);
        const auto lines = result.jsonLines();
        QCOMPARE(lines.size(), std::size_t{3});
        QVERIFY(equal(rewardsOf(lines[0]), m_rewards[0]));
        QVERIFY(!lines[1].contains("rewards"));
        QCOMPARE(lines[1]["error"]["code"].get<std::string>(), std::string("bad-data"));
        QCOMPARE(lines[1]["row"].get<int>(), 1);
        QVERIFY(equal(rewardsOf(lines[2]), m_rewards[1]));
        QVERIFY(result.errors.contains("1 of 3 rows"));
    }
}

void TstScoreCommand::cutStepsAreNull()
{
    Json row = {{"prompt", "p"}, {"completions", {"2 + 2 = 4", std::string(4000, '1'), "So 4."}}};
    const auto lines = runAssay(words({}), QByteArray::fromStdString(row.dump())).jsonLines();
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(lines[0]["rewards"].size(), std::size_t{3});
    QVERIFY(lines[0]["rewards"][0].is_number());
    QVERIFY(lines[0]["rewards"][2].is_null());
    QCOMPARE(lines[0]["cut"]["read_outs"].get<int>(), 2);
}

void TstScoreCommand::textEqualsRow()
{
    const Json row = {{"prompt", "Add them.\nTwice."}, {"completions", {"2 + 2 = 4", "So 4."}}};
    const auto expected =
        rewardsOf(runAssay(words({}), QByteArray::fromStdString(row.dump())).jsonLines().at(0));
    const auto text = runAssay(words({"--text"}), "Add them.\nTwice.\n\n2 + 2 = 4\n\nSo 4.\n");
    QVERIFY2(text.exitCode == 0, text.errors.constData());
    QVERIFY(equal(rewardsOf(text.jsonLines().at(0)), expected));
    const auto prompt =
        runAssay(words({"--text", "--prompt", "Add them.\nTwice."}), "2 + 2 = 4\nSo 4.").jsonLines();
    QVERIFY(equal(rewardsOf(prompt.at(0)), expected));
}

/// Each answer comes although the input stays open, and alone a row scores as in a batch.
void TstScoreCommand::streamAnswersOneByOne()
{
    LineClient client(words({"--stream"}));
    QVERIFY(client.started());
    for (std::size_t i = 0; i < 8; ++i) {
        client.write(request(i));
        const auto answer = client.read();
        QCOMPARE(answer["id"].get<std::size_t>(), i);
        QVERIFY(equal(rewardsOf(answer), m_rewards[i]));
    }
    QCOMPARE(client.end(), 0);
}

/// All at once they come in the order of the requests, whatever the lengths.
void TstScoreCommand::streamAnswersMany()
{
    QByteArray input;
    for (std::size_t i = 0; i < 300; ++i)
        input += request(i % m_rewards.size());
    const auto result = runAssay(words({"--stream"}), input.trimmed()); // the last line has no line break
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto lines = result.jsonLines();
    QCOMPARE(lines.size(), std::size_t{300});
    for (std::size_t i = 0; i < lines.size(); ++i) {
        QCOMPARE(lines[i]["id"].get<std::size_t>(), i % m_rewards.size());
        QVERIFY(equal(rewardsOf(lines[i]), m_rewards[i % m_rewards.size()]));
    }
}

void TstScoreCommand::streamNamesWhatIsWrong()
{
    const QByteArray input = "{\n\n[1]\n"
                             R"({"id": "x", "text": "no such columns"})"
                             "\n"
                             R"({"id": {"a": 1}, "prompt": "p", "completions": ["a"], "labels": [1, 0]})"
                             "\n" +
                             request(2) + QByteArray(17 << 20, 'x') + "\n" + request(3);
    const auto result = runAssay(words({"--stream"}), input);
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const auto lines = result.jsonLines();
    QCOMPARE(lines.size(), std::size_t{7});
    for (const std::size_t bad : {0, 1, 2, 3, 5}) {
        QVERIFY2(lines[bad].contains("error"), lines[bad].dump().c_str());
        QVERIFY(!lines[bad]["error"]["message"].get<std::string>().empty());
    }
    QVERIFY(lines[0]["id"].is_null());
    QCOMPARE(lines[2]["id"].get<std::string>(), std::string("x"));
    QCOMPARE(lines[3]["id"]["a"].get<int>(), 1);
    QVERIFY(lines[5]["error"]["message"].get<std::string>().find("longer than") != std::string::npos);
    QVERIFY(equal(rewardsOf(lines[4]), m_rewards[2]));
    QVERIFY(equal(rewardsOf(lines[6]), m_rewards[3]));
}

void TstScoreCommand::streamEndsOnSignal()
{
    LineClient client(words({"--stream"}));
    QVERIFY(client.started());
    client.write(request(0));
    QVERIFY(equal(rewardsOf(client.read()), m_rewards[0]));
    client.process().terminate();
    QVERIFY(client.process().waitForFinished(10000));
    QCOMPARE(client.process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(client.process().exitCode(), 0);
}

bool TstScoreCommand::startServer(QProcess& process) const
{
    process.start(programPath(), words({"--socket", socketPath()}));
    for (QByteArray said; process.waitForReadyRead(30000) || process.state() == QProcess::Running;) {
        process.setReadChannel(QProcess::StandardError);
        said += process.readAllStandardError();
        if (said.contains("Listening on"))
            return true;
    }
    return false;
}

void TstScoreCommand::socketServesSeveralClients()
{
    QProcess server;
    server.setReadChannel(QProcess::StandardError);
    QVERIFY(startServer(server));
    struct stat status
    {};
    QCOMPARE(::stat(socketPath().toLocal8Bit().constData(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t{0600});
    SocketClient first(socketPath().toStdString()), second(socketPath().toStdString());
    QVERIFY(first.connected() && second.connected());
    QByteArray many;
    for (std::size_t i = 0; i < 30; ++i)
        many += request(i);
    QVERIFY(first.write(many));
    QVERIFY(second.write(request(5) + request(6)));
    second.endInput(); // what was asked is still answered
    QCOMPARE(second.readLine()["id"].get<int>(), 5);
    const auto last = second.readLine();
    QCOMPARE(last["id"].get<int>(), 6);
    QVERIFY(equal(rewardsOf(last), m_rewards[6]));
    QVERIFY(second.atEnd());
    for (std::size_t i = 0; i < 30; ++i) {
        const auto answer = first.readLine();
        QCOMPARE(answer["id"].get<std::size_t>(), i);
        QVERIFY(equal(rewardsOf(answer), m_rewards[i]));
    }
    // A client that leaves without reading harms nobody.
    {
        SocketClient rude(socketPath().toStdString());
        QVERIFY(rude.write(many));
    }
    QVERIFY(first.write(request(7)));
    QCOMPARE(first.readLine()["id"].get<int>(), 7);
    server.terminate();
    QVERIFY(server.waitForFinished(10000));
    QCOMPARE(server.exitCode(), 0);
    QVERIFY(!QFileInfo::exists(socketPath()));
}

/// A client that sends without reading is held back after a bounded amount, while another one is served; then
/// it gets every answer.
void TstScoreCommand::socketHoldsBack()
{
    constexpr std::size_t kOffered = std::size_t{64} << 20, kBound = std::size_t{24} << 20;
    QProcess server;
    server.setReadChannel(QProcess::StandardError);
    QVERIFY(startServer(server));
    SocketClient greedy(socketPath().toStdString());
    const QByteArray line = R"({"id": 1, "nothing": "fits"})"
                            "\n";
    const auto sent = greedy.offer(line, kOffered);
    QVERIFY2(sent < kBound, std::to_string(sent).c_str());
    SocketClient other(socketPath().toStdString());
    QVERIFY(other.write(request(1)));
    QVERIFY(equal(rewardsOf(other.readLine()), m_rewards[1]));
    const auto lines = sent / static_cast<std::size_t>(line.size());
    for (std::size_t i = 0; i < lines; ++i)
        QCOMPARE(greedy.readLine()["id"].get<int>(), 1);
    server.terminate();
    QVERIFY(server.waitForFinished(10000));
}

void TstScoreCommand::socketFile()
{
    QProcess killed;
    killed.setReadChannel(QProcess::StandardError);
    QVERIFY(startServer(killed));
    // Somebody listens: a second server leaves the first alone.
    const auto second = runAssay(words({"--socket", socketPath()}));
    QCOMPARE(second.exitCode, 2);
    QVERIFY(second.errors.contains("listens"));
    killed.kill();
    killed.waitForFinished();
    QVERIFY(QFileInfo::exists(socketPath()));
    // Nobody listens any more: the file is replaced.
    QProcess server;
    server.setReadChannel(QProcess::StandardError);
    QVERIFY(startServer(server));
    SocketClient client(socketPath().toStdString());
    QVERIFY(client.write(request(0)));
    QCOMPARE(client.readLine()["id"].get<int>(), 0);
    server.terminate();
    QVERIFY(server.waitForFinished(10000));
}

void TstScoreCommand::errors_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QStringList& more, int code, const char* says) {
        QTest::newRow(name) << more << code << QByteArray(says);
    };
    row("long socket path", {"last", "--socket", QString(200, 'x')}, 2, "200");
    row("socket on a file", {"last", "--socket", "FOLDER/rows.jsonl"}, 2, "no socket");
    row("socket nowhere", {"last", "--socket", "FOLDER/no/s"}, 3, "FOLDER/no/s");
    row("no such run", {"nobody"}, 3, "nobody");
    row("no such checkpoint", {"last", "--checkpoint", "77"}, 3, "77");
    row("no checkpoint folder", {"FOLDER/store"}, 3, "manifest.json");
    row("no such file", {"last", "FOLDER/no.jsonl"}, 3, "no.jsonl");
    row("no such format", {"last", "FOLDER/rows.jsonl", "--format", "csv"}, 2, "stepwise");
    row("no such device", {"last", "--compute.device", "cuda:99"}, 2, "cuda:99");
    row("stream of a file", {"last", "FOLDER/rows.jsonl", "--stream"}, 2, "--stream");
}

void TstScoreCommand::errors()
{
    QFETCH(QStringList, more);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, says);
    for (auto& word : more)
        word.replace("FOLDER", m_folder.path());
    says.replace("FOLDER", m_folder.path().toLocal8Bit());
    const auto result =
        runAssay(QStringList{"score"} + more + QStringList{"--store", m_folder.filePath("store")});
    QVERIFY2(result.exitCode == exitCode, result.errors.constData());
    QVERIFY2(result.errors.contains(says), result.errors.constData());
    QVERIFY(result.output.isEmpty());
    QVERIFY(QFileInfo::exists(m_folder.filePath("rows.jsonl"))); // a path that is no socket is never removed
}

QTEST_GUILESS_MAIN(TstScoreCommand)
#include "tst_score_command.moc"
