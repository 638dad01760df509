#include "core/base/durable_file.h"
#include "core/text/layout.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode/pattern.h"
#include "core/text/unicode/text_faults.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace assay;

namespace {

using Json = nlohmann::json;

/// A small tokenizer.json that opens.
Json wordLevel()
{
    return {
        {"added_tokens",
         Json::array({{{"id", 4}, {"content", "<x>"}, {"special", true}, {"lstrip", true}, {"rstrip", true}},
                      {{"id", 5},
                       {"content", "cat"},
                       {"special", false},
                       {"single_word", true},
                       {"normalized", true}}})},
        {"normalizer", {{"type", "Lowercase"}}},
        {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
        {"model",
         {{"type", "WordLevel"},
          {"unk_token", "?"},
          {"vocab", {{"?", 0}, {"a", 1}, {"b", 2}, {"concat", 3}}}}}};
}

Result<TokenizerPtr> open(const Json& json)
{
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "tokenizer.json";
    CHECK(writeDurably(path, json.dump()).ok(), "a file in a temporary folder");
    return openTokenizer(path);
}

Json with(const char* pointer, Json value)
{
    auto json = wordLevel();
    json[Json::json_pointer(pointer)] = std::move(value);
    return json;
}

Json sequenceOf(const char* key, Json part, int count)
{
    auto parts = Json::array();
    for (int i = 0; i < count; ++i)
        parts.push_back(part);
    return {{"type", "Sequence"}, {key, std::move(parts)}};
}

Json bpe(Json fields)
{
    Json model = {
        {"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}}, {"merges", Json::array({"a b"})}};
    model.update(fields);
    return model;
}

Json unigram(Json vocabulary, Json unknown)
{
    return {{"type", "Unigram"}, {"vocab", std::move(vocabulary)}, {"unk_id", std::move(unknown)}};
}

LayoutOptions stepwiseWithoutLimit()
{
    LayoutOptions options;
    options.maximumTokens = std::nullopt;
    return options;
}

Example rowOf(std::string text)
{
    Example example;
    example.row = 6;
    example.content = StepwiseExample{"b", {{std::move(text), Label::of(1.0F)}}, std::nullopt};
    return example;
}

} // namespace

/// What a tokenizer.json may say, and that everything else is an error that names the place.
class TestTokenizerJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addedTokens();
    void refuses_data();
    void pipes();
    void refuses();
    void vocabularyFiles_data();
    void vocabularyFiles();
    void namesOtherFiles();
    void limitsExpressions();
    void limitsGrowth_data();
    void limitsGrowth();
    void takesWhatIsNoUtf8();
};

void TestTokenizerJson::addedTokens()
{
    const auto opened = open(wordLevel());
    QVERIFY_RESULT(opened);
    const auto& tokenizer = **opened;
    // The special token takes the blanks around it; the word is found in any case, but not inside another
    // word.
    const std::string text = "A <x> b CAT concat";
    const auto pieces = tokenizer.encodeParsed(text);
    std::vector<std::string> found;
    for (const auto& piece : pieces)
        found.push_back(std::to_string(piece.id) + ":" +
                        text.substr(static_cast<std::size_t>(piece.begin),
                                    static_cast<std::size_t>(piece.end - piece.begin)));
    QCOMPARE(found, (std::vector<std::string>{"1:A", "4: <x> ", "2:b", "5:CAT", "3:concat"}));
    // Special tokens are text unless parsed; others are found all the same.
    QCOMPARE(tokenizer.encode(text), (std::vector<TokenId>{1, 0, 2, 5, 3}));
    QVERIFY(tokenizer.isSpecial(4) && !tokenizer.isSpecial(5));
    QCOMPARE(tokenizer.vocabularySize(), 6);
    QCOMPARE(*tokenizer.special().unk, 0);
    QCOMPARE(tokenizer.decode(std::vector<TokenId>{1, 4, 99}), std::string("a <x> <99>"));
}

/// A pipe would hold its reader for ever.
void TestTokenizerJson::pipes()
{
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString());
    const auto pipe = path / "tokenizer.json";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& asked : {pipe, path}) {
        const auto opened = openTokenizer(asked);
        QVERIFY(!opened.ok());
        QVERIFY(opened.error().code == ErrorCode::BadModel);
        QCOMPARE(opened.error().where, pipe.string());
    }
}

void TestTokenizerJson::refuses_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("message");
    QTest::addColumn<bool>("unsupported");
    const auto row = [](const char* name, const Json& json, const char* message, bool unsupported = false) {
        QTest::newRow(name) << QString::fromStdString(json.dump()) << message << unsupported;
    };
    row("no model", {{"version", "1.0"}}, "tokenizer: \"model\" must be an object");
    row("unknown normaliser", with("/normalizer/type", "Magic"),
        "tokenizer.normalizer: the normaliser \"Magic\"", true);
    row("unknown pre-tokenizer", with("/pre_tokenizer/type", "UnicodeScripts"),
        "the pre-tokenizer \"UnicodeScripts\"", true);
    row("unknown decoder", with("/decoder", {{"type", "CTC"}}), "the decoder \"CTC\"", true);
    row("unknown post-processor", with("/post_processor", {{"type", "X"}}), "the post-processor \"X\"", true);
    row("unknown model", with("/model/type", "Magic"), "the model \"Magic\"", true);
    row("type is a number", with("/normalizer/type", 3), "\"type\" must be a text");
    row("endless sequence", with("/normalizer", sequenceOf("normalizers", {{"type", "NFC"}}, 65)),
        "has 65 parts");
    row("nested sequence",
        with("/normalizer", sequenceOf("normalizers", sequenceOf("normalizers", {{"type", "NFC"}}, 1), 1)),
        "inside a sequence");
    row("negative id", with("/model/vocab/a", -1), "has the id -1");
    row("huge id", with("/model/vocab/a", 1LL << 40), "has the id 1099511627776");
    row("one id twice", with("/model/vocab/a", 2), "which another piece has");
    row("id is a text", with("/model/vocab/a", "1"), "is no integer");
    row("no unknown token", with("/model/unk_token", "!"), "unknown token \"!\" is not in the vocabulary");
    row("added without text", with("/added_tokens/0/content", ""), "added_tokens[0]");
    row("added with a huge id", with("/added_tokens/0/id", 1LL << 40), "added_tokens[0]");
    row("added beyond every vocabulary", with("/added_tokens/0/id", 2147483647), "added_tokens[0]");
    row("added twice", with("/added_tokens/1/content", "<x>"), "has two ids, 4 and 5");
    row("merge without its whole", with("/model", bpe({{"merges", Json::array({"b a"})}})),
        "merge 1, \"b a\"");
    row("merge of one piece", with("/model", bpe({{"merges", Json::array({"ab"})}})),
        "merge 1 is not two pieces");
    row("dropout", with("/model", bpe({{"dropout", 0.1}})), "dropout", true);
    row("score is a text", with("/model", unigram(Json::array({Json::array({"a", "b"})}), 0)), "entry 1");
    row("unknown id outside", with("/model", unigram(Json::array({Json::array({"a", -1.0})}), 1)), "unk_id");
    row("empty unigram", with("/model", unigram(Json::array(), nullptr)), "at least one piece");
    row("broken expression",
        with("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}}),
        "\"(a\" is not understood");
    row("deep expression",
        with("/pre_tokenizer", {{"type", "Split"},
                                {"pattern", {{"Regex", std::string(900, '(') + std::string(900, ')')}}},
                                {"behavior", "Isolated"}}),
        "is not understood");
    row("endless expression",
        with(
            "/pre_tokenizer",
            {{"type", "Split"}, {"pattern", {{"Regex", std::string(20000, 'a')}}}, {"behavior", "Isolated"}}),
        "20000 bytes");
    row("unknown behaviour",
        with("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"String", "a"}}}, {"behavior", "Sideways"}}),
        "Sideways");
    row("replaces nothing",
        with("/normalizer", {{"type", "Replace"}, {"pattern", {{"String", ""}}}, {"content", "x"}}),
        "empty text");
    row("map is no base64", with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "???"}}),
        "precompiled_charsmap");
    row("map has an absurd size",
        with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "/////wAA"}}), "does not fit");
    row("template without its token",
        with("/post_processor",
             {{"type", "TemplateProcessing"},
              {"single", Json::array({{{"SpecialToken", {{"id", "[X]"}, {"type_id", 0}}}}})},
              {"pair", Json::array()},
              {"special_tokens", Json::object()}}),
        "[X]");
    row("bytes in front of words",
        with("/pre_tokenizer",
             {{"type", "Sequence"},
              {"pretokenizers", Json::array({{{"type", "ByteLevel"}}, {{"type", "WhitespaceSplit"}}})}}),
        "nothing can follow");
}

void TestTokenizerJson::refuses()
{
    QFETCH(QString, json);
    QFETCH(QString, message);
    QFETCH(bool, unsupported);
    const auto opened = open(Json::parse(json.toStdString()));
    QVERIFY(!opened.ok());
    const auto& error = opened.error();
    QVERIFY2(error.message.find(message.toStdString()) != std::string::npos, error.text().c_str());
    QVERIFY2(error.code == (unsupported ? ErrorCode::Unsupported : ErrorCode::BadModel),
             error.text().c_str());
    QVERIFY2(error.where.ends_with("tokenizer.json"), error.text().c_str());
}

void TestTokenizerJson::vocabularyFiles_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("message");
    QTest::newRow("not JSON") << "tokenizer.json" << QByteArray("{\"a\": NaN}") << "tokenizer.json"
                              << "is no JSON";
    QTest::newRow("merges missing") << "vocab.json" << QByteArray("{\"a\": 0}") << "vocab.json"
                                    << "without merges.txt";
    QTest::newRow("empty words") << "vocab.txt" << QByteArray() << "vocab.txt"
                                 << "holds no piece";
    QTest::newRow("words not UTF-8") << "vocab.txt" << QByteArray("[UNK]\n\xff\n") << "vocab.txt"
                                     << "is not UTF-8";
    QTest::newRow("base64") << "tokenizer.model" << QByteArray("tet 0\n") << "line 1"
                            << "no base64";
    QTest::newRow("rank") << "tokenizer.model" << QByteArray("ICAg 18446744073709551616\n") << "line 1"
                          << "the rank";
    QTest::newRow("no blank") << "tokenizer.model" << QByteArray("ICAg 0\nICAgIA==10\n") << "line 2"
                              << "no blank";
    QTest::newRow("rank twice") << "tokenizer.model" << QByteArray("YQ== 0\nYg== 0\n") << "tokenizer.model"
                                << "another piece has";
}

void TestTokenizerJson::vocabularyFiles()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, where);
    QFETCH(QString, message);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QVERIFY_RESULT(writeDurably(path / name.toStdString(), bytes.toStdString()));
    const auto opened = openTokenizer(path);
    QVERIFY(!opened.ok());
    QVERIFY2(opened.error().message.find(message.toStdString()) != std::string::npos,
             opened.error().text().c_str());
    QVERIFY2(opened.error().where.ends_with(where.toStdString()), opened.error().text().c_str());
}

void TestTokenizerJson::limitsExpressions()
{
    // Without limits this takes a time that doubles with every letter.
    const auto pattern = Pattern::compile("(a|aa|aaa)+$(?<=b)");
    QVERIFY_RESULT(pattern);
    QVERIFY(pattern->matches(std::string(2000, 'a')).empty());
    // Anything that is left is one word, so that no text is lost.
    auto json =
        with("/pre_tokenizer",
             {{"type", "Split"}, {"pattern", {{"Regex", "(a|aa|aaa)+$(?<=b)"}}}, {"behavior", "Isolated"}});
    const auto tokenizer = open(json);
    QVERIFY_RESULT(tokenizer);
    QCOMPARE((*tokenizer)->encode(std::string(2000, 'a')), std::vector<TokenId>{0});
    // It is told once for a text that is encoded, and a row of a data set is refused for it.
    const TextFaults faults;
    (*tokenizer)->encode("a b");
    QVERIFY(!faults.first());
    (*tokenizer)->encode(std::string(2000, 'a'));
    QVERIFY(faults.first() && faults.first()->find("regular expression") != std::string::npos);
    const auto layout = makeLayout(stepwiseWithoutLimit(), *tokenizer);
    QVERIFY_RESULT(layout);
    QVERIFY_RESULT((*layout)->layOut(rowOf("a"), true));
    const auto row = (*layout)->layOut(rowOf(std::string(2000, 'a')), true);
    QVERIFY(!row.ok());
    QCOMPARE(row.error().code, ErrorCode::BadData);
    QVERIFY2(row.error().where.find("row 7") != std::string::npos, row.error().text().c_str());
    QVERIFY(row.error().message.find("regular expression") != std::string::npos);
}

void TestTokenizerJson::limitsGrowth_data()
{
    QTest::addColumn<QString>("normalizer");
    QTest::addColumn<int>("letters");
    QTest::addColumn<bool>("within");
    const auto replace = [](int times) {
        return Json{
            {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(times, 'a')}};
    };
    const auto row = [](const char* name, const Json& normalizer, int letters, bool within) {
        QTest::newRow(name) << QString::fromStdString(normalizer.dump()) << letters << within;
    };
    row("one that doubles", replace(2), 20'000, true);
    row("four that double", sequenceOf("normalizers", replace(2), 4), 20'000, true);
    row("a small text may grow more", sequenceOf("normalizers", replace(2), 12), 10, true);
    row("sixty that double", sequenceOf("normalizers", replace(2), 60), 20'000, false);
    row("sixty that double a letter", sequenceOf("normalizers", replace(2), 60), 1, false);
    row("one that repeats a thousand times", replace(1000), 20'000, false);
    row("a prefix", sequenceOf("normalizers", {{"type", "Prepend"}, {"prepend", std::string(1000, 'a')}}, 60),
        20'000, true);
}

void TestTokenizerJson::limitsGrowth()
{
    QFETCH(QString, normalizer);
    QFETCH(int, letters);
    QFETCH(bool, within);
    const auto tokenizer = open(with("/normalizer", Json::parse(normalizer.toStdString())));
    QVERIFY_RESULT(tokenizer);
    const TextFaults faults;
    const std::string text(static_cast<std::size_t>(letters), 'a');
    QCOMPARE((*tokenizer)->encode(text).size(), std::size_t{1});
    QCOMPARE(!faults.first(), within);
    const auto pieces = (*tokenizer)->encodeWithOffsets(text + " b");
    QVERIFY(!pieces.empty() && pieces.back().end <= letters + 2);
}

void TestTokenizerJson::namesOtherFiles()
{
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString());
    for (const auto* name :
         {"tokenizer.json", "tokenizer.model", "x.tiktoken", "vocab.txt", "tokenizer_config.json"}) {
        const bool beside = std::string_view(name) == "tokenizer_config.json";
        if (beside)
            QVERIFY_RESULT(writeDurably(path / "tokenizer.json", wordLevel().dump()));
        for (const auto& [bytes, words] :
             {std::pair(std::string("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
                        "git lfs pull"),
              std::pair(std::string("GGUF\x03 "), "Hugging Face folder")}) {
            QVERIFY_RESULT(writeDurably(path / name, bytes));
            const auto tokenizer = openTokenizer(beside ? path : path / name);
            QVERIFY(!tokenizer.ok());
            QCOMPARE(tokenizer.error().code, ErrorCode::BadModel);
            QVERIFY2(tokenizer.error().where.ends_with(name), tokenizer.error().text().c_str());
            QVERIFY2(tokenizer.error().remedy.find(words) != std::string::npos,
                     tokenizer.error().text().c_str());
        }
    }
}

void TestTokenizerJson::takesWhatIsNoUtf8()
{
    const auto tokenizer = open(wordLevel());
    QVERIFY_RESULT(tokenizer);
    const auto pieces = (*tokenizer)->encodeWithOffsets("a \xff\xff b");
    QCOMPARE(pieces.size(), std::size_t{3});
    QCOMPARE(pieces[1].begin, 2);
    QCOMPARE(pieces[1].end, 4);
}

QTEST_GUILESS_MAIN(TestTokenizerJson)
#include "tst_tokenizer_json.moc"
