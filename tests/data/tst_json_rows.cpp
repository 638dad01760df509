#include "core/base/durable_file.h"
#include "core/data/formats/json_rows.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

using namespace assay;

/// What a file of rows may look like, and what is said about one that may not.
class TestJsonRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shapes_data();
    void shapes();
    void fileErrors_data();
    void fileErrors();
    void values_data();
    void values();
    void longLines();
    void stopsWhenAsked();
    void firstKeysOfAnything_data();
    void firstKeysOfAnything();

private:
    std::filesystem::path write(const std::string& bytes)
    {
        const std::filesystem::path path = m_folder.path().toStdString() + "/rows.jsonl";
        if (!writeDurably(path, bytes).ok())
            qFatal("cannot write");
        return path;
    }
    QTemporaryDir m_folder;
};

void TestJsonRows::shapes_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArrayList>("rows"); // line:value, or line:! for a problem
    const auto row = [](const char* name, const QByteArray& bytes, const QByteArrayList& rows) {
        QTest::newRow(name) << bytes << rows;
    };
    row("lines", "{\"a\":1}\n{\"a\":2}\n", {"1:{\"a\":1}", "2:{\"a\":2}"});
    row("no final newline", "{\"a\":1}\n{\"a\":2}", {"1:{\"a\":1}", "2:{\"a\":2}"});
    row("CRLF", "{\"a\":1}\r\n{\"a\":2}\r\n", {"1:{\"a\":1}", "2:{\"a\":2}"});
    row("blank lines", "\n\n{\"a\":1}\n  \t\n{\"a\":2}\n\n", {"3:{\"a\":1}", "5:{\"a\":2}"});
    row("byte order mark", "\xef\xbb\xbf{\"a\":1}\n", {"1:{\"a\":1}"});
    row("array", "[{\"a\":1},\n {\"a\":2}]", {"1:{\"a\":1}", "2:{\"a\":2}"});
    row("array with mark", "\xef\xbb\xbf [1, 2]", {"1:1", "1:2"});
    row("empty array", "[]", {});
    row("pretty object", "{\n \"a\": {\n \"b\": 1\n }\n}\n", {"1:{\"a\":{\"b\":1}}"});
    row("broken line", "{\"a\":1}\n{\"a\":2,}\n{\"a\":3}\n", {"1:{\"a\":1}", "2:!", "3:{\"a\":3}"});
    row("first line broken", "{\"a\":1,}\n{\"a\":2}\n", {"1:!", "2:{\"a\":2}"});
    row("two values on a line", "{\"a\":1}{\"a\":2}\n{\"a\":3}\n", {"1:!", "2:{\"a\":3}"});
    row("not UTF-8", "{\"a\":1}\n{\"a\":\"\xff\"}\n", {"1:{\"a\":1}", "2:!"});
    row("escaped NUL", "{\"a\":\"x\\u0000y\"}\n", {"1:{\"a\":\"x\\u0000y\"}"});
}

void TestJsonRows::shapes()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArrayList, rows);
    QByteArrayList seen;
    const auto read = readJsonRows(
        write(bytes.toStdString()), {}, [&seen](std::int64_t row, std::int64_t line, const auto& value) {
            const auto text = value.ok() ? std::string(simdjson::minify(value.value())) : "!";
            if (row != seen.size())
                return false;
            seen << QByteArray::number(static_cast<qlonglong>(line)) + ":" + QByteArray::fromStdString(text);
            return true;
        });
    QVERIFY_RESULT(read);
    QCOMPARE(seen, rows);
}

void TestJsonRows::fileErrors_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("empty") << QByteArray() << QByteArray("empty");
    QTest::newRow("cut gzip") << QByteArray("\x1f\x8b\x08\x00", 4) << QByteArray("gzip");
    QTest::newRow("UTF-16") << QByteArray("\xff\xfe{\0", 4) << QByteArray("UTF-16");
    QTest::newRow("a pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\n")
                               << QByteArray("Git LFS pointer");
    QTest::newRow("a model of llama.cpp") << QByteArray("GGUF\x03 ") << QByteArray("GGUF file");
    QTest::newRow("binary") << QByteArray("\x7f"
                                          "ELF\0\0",
                                          6)
                            << QByteArray("binary");
    QTest::newRow("broken array") << QByteArray("[{\"a\":1},\n{\"a\":}]") << QByteArray("not valid JSON");
    QTest::newRow("deep array") << QByteArray(100000, '[') + QByteArray(100000, ']')
                                << QByteArray("64 levels");
    QTest::newRow("deep, unclosed") << QByteArray(100000, '[') << QByteArray("not valid JSON");
}

void TestJsonRows::fileErrors()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, reason);
    const auto read =
        readJsonRows(write(bytes.toStdString()), {}, [](auto, auto, const auto&) { return true; });
    QVERIFY(!read.ok());
    QVERIFY2(read.error().message.find(reason.toStdString()) != std::string::npos,
             read.error().text().c_str());
    QVERIFY(read.error().where.find("rows.jsonl") != std::string::npos);
}

void TestJsonRows::values_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("reason"); // empty = accepted
    const auto row = [](const char* name, const QByteArray& json, const char* reason) {
        QTest::newRow(name) << json << QByteArray(reason);
    };
    row("number alone", "1", "");
    row("surrogate pair", R"("\ud83d\ude42")", "");
    row("64 levels", QByteArray(63, '[') + QByteArray(63, ']'), "");
    row("blank", "  ", "no JSON value");
    row("65 levels", QByteArray(65, '[') + QByteArray(65, ']'), "64 levels");
    row("lone high surrogate", R"("\ud83d")", "half a surrogate pair (byte 8)");
    row("lone low surrogate", R"("\ude42")", "half a surrogate pair (byte");
    row("lone surrogate in a key", R"({"\ude42":1})", "half a surrogate pair (byte");
    row("key twice", R"({"a":1,"b":2,"a":3})", "the key a stands twice");
    row("key twice by escape", R"({"a":1,"\u0061":3})", "the key a stands twice");
    row("key twice inside", R"([{"x":{"a":1,"a":3}}])", "stands twice");
    row("not UTF-8", "\"ab\xc3(\"", "byte 4");
    row("NaN", "NaN", "NaN is not JSON; write null (byte 1)");
    row("NaN in a list", "[1, NaN]", "NaN is not JSON; write null (byte 5)");
    row("minus infinity", "{\"a\":-Infinity}", "-Infinity is not JSON; write null (byte 6)");
    row("Python's true", "[True]", "True is not JSON; write true (byte 2)");
    row("single quotes", "{'a':1}", "double quotes (byte 2)");
    row("comma too many", "{\"a\":1,}", "from \"}\" on (byte 8)");
    row("cut off", "{\"a\":[1,", "ends too early");
    row("leading zero", "[01]", "not valid JSON");
    row("raw line break in a text", "\"a\nb\"", "not valid JSON");
}

void TestJsonRows::values()
{
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, reason);
    JsonParser parser;
    const auto value = parser.parse(json.toStdString());
    QCOMPARE(value.ok(), reason.isEmpty());
    if (!value.ok())
        QVERIFY2(value.error().message.find(reason.toStdString()) != std::string::npos,
                 value.error().message.c_str());
}

void TestJsonRows::longLines()
{
    const std::string justFits = "{\"a\":\"" + std::string((16 << 20) - 8, 'x') + "\"}";
    const auto path = write(justFits + "\n" + justFits + " \n{\"a\":1}\n");
    std::vector<bool> ok;
    QVERIFY_RESULT(readJsonRows(path, {}, [&ok](auto, auto, const auto& value) {
        ok.push_back(value.ok());
        return true;
    }));
    QCOMPARE(ok, (std::vector<bool>{true, false, true}));
}

void TestJsonRows::stopsWhenAsked()
{
    int calls = 0;
    QVERIFY_RESULT(
        readJsonRows(write("1\n2\n3\n"), {}, [&calls](auto, auto, const auto&) { return ++calls < 2; }));
    QCOMPARE(calls, 2);
}

void TestJsonRows::firstKeysOfAnything_data()
{
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<QByteArrayList>("keys");
    QTest::newRow("line") << QByteArray("{\"a\":1,\"b\":{\"c\":2},\"d\":[{\"e\":1}]}\n{\"f\":1}")
                          << QByteArrayList{"a", "b", "d"};
    QTest::newRow("array") << QByteArray("\n[ {\"a\":1, \"b\":\"x:{\"},{\"c\":1}]")
                           << QByteArrayList{"a", "b"};
    QTest::newRow("cut off") << QByteArray("{\"a\":\"long te") << QByteArrayList{"a"};
    QTest::newRow("escapes") << QByteArray("{\"a\\\"b\":\"\\\\\",\"c\":0}") << QByteArrayList{"ab", "c"};
    QTest::newRow("nothing") << QByteArray("hello: world") << QByteArrayList{};
    QTest::newRow("unbalanced") << QByteArray("}}]]{\"a\":1}") << QByteArrayList{};
}

void TestJsonRows::firstKeysOfAnything()
{
    QFETCH(QByteArray, head);
    QFETCH(QByteArrayList, keys);
    QByteArrayList found;
    for (const auto& key : firstKeys(head.toStdString()))
        found << QByteArray::fromStdString(key);
    QCOMPARE(found, keys);
}

QTEST_GUILESS_MAIN(TestJsonRows)
#include "tst_json_rows.moc"
