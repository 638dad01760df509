#include "core/base/durable_file.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode/code_points.h"
#include "core/text/vocabulary/byte_alphabet.h"
#include "tests/support/golden_json.h"

#include <QTemporaryDir>

#include <sstream>

using namespace assay;
using namespace assay::tests;

namespace {

namespace fs = std::filesystem;
using Ids = std::vector<TokenId>;

/// GPT-2's vocabulary follows from its merges: printable bytes, the other bytes, what each merge makes, the
/// end.
Json gpt2Vocabulary(const std::string& merges)
{
    std::vector<std::string> pieces;
    for (const bool printable : {true, false}) {
        for (int byte = 0; byte < 256; ++byte) {
            const auto character = byteCharacter(static_cast<unsigned char>(byte));
            if ((character == static_cast<char32_t>(byte)) != printable)
                continue;
            pieces.emplace_back();
            appendCodePoint(pieces.back(), character);
        }
    }
    std::istringstream lines(merges);
    for (std::string line; std::getline(lines, line);)
        if (const auto blank = line.find(' '); blank != std::string::npos && !line.starts_with("#version"))
            pieces.push_back(line.substr(0, blank) + line.substr(blank + 1));
    pieces.emplace_back("<|endoftext|>");
    Json vocabulary = Json::object();
    for (std::size_t id = 0; id < pieces.size(); ++id)
        vocabulary[pieces[id]] = id;
    return vocabulary;
}

Result<TokenizerPtr> openGpt2()
{
    TRY(const auto merges, readFile(testData() / "tok-sentencepiece" / "gpt2_bpe_vocab.bpe"));
    const QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    TRY_STATUS(writeDurably(path / "merges.txt", merges));
    TRY_STATUS(writeDurably(path / "vocab.json", gpt2Vocabulary(merges).dump()));
    return openTokenizer(path);
}

Result<TokenizerPtr> openBert()
{
    return openTokenizer(testData() / "tok-sentencepiece" / "bert_base_uncased_vocab.txt");
}

Result<TokenizerPtr> openSpm(const char* name)
{
    return openTokenizer(testData() / "tok-sentencepiece" / name);
}

/// The ids with what the model's own tokenizer puts around a text.
Ids wholeIds(const std::string& model, const Tokenizer& tokenizer, const std::string& text)
{
    Ids ids;
    for (const auto& piece : tokenizer.encodeTemplated(text, std::nullopt).pieces)
        ids.push_back(piece.id);
    // A sentencepiece model does not say what stands around a text.
    if (model == "coreml-projects/Llama-2-7b-chat-coreml")
        ids.insert(ids.begin(), *tokenizer.special().bos);
    if (model == "t5-base")
        ids.push_back(*tokenizer.special().eos);
    return ids;
}

std::vector<std::string> cut(const std::string& text, const std::string& separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (auto at = text.find(separator); at != std::string::npos; at = text.find(separator, begin)) {
        parts.push_back(text.substr(begin, at - begin));
        begin = at + separator.size();
    }
    parts.push_back(text.substr(begin));
    return parts;
}

} // namespace

/// Ids of published vocabularies, as the original implementations give them.
class TestTokenizerReal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void swiftTransformers();
    void llamaCpp_data();
    void llamaCpp();
    void tinyFiles();
    void brokenRankFiles();
};

void TestTokenizerReal::swiftTransformers()
{
    NEED_TEST_DATA("tok-hf-json/tokenizer_tests.json");
    NEED_TEST_DATA("tok-sentencepiece");
    const std::map<std::string, Result<TokenizerPtr>> opened = {
        {"bert-base-uncased", openBert()},
        {"google-bert/bert-base-uncased", openBert()},
        {"distilgpt2", openGpt2()},
        {"coreml-projects/Llama-2-7b-chat-coreml", openSpm("tokenizer.model")},
        {"t5-base", openSpm("t5_tokenizer_base.model")}};
    int compared = 0, without = 0;
    const auto all = readJson("tok-hf-json/tokenizer_tests.json");
    for (const auto& [model, rows] : all.items()) {
        const auto known = opened.find(model);
        if (known == opened.end()) {
            without += static_cast<int>(rows.size());
            continue;
        }
        QVERIFY_RESULT(known->second);
        for (const auto& row : rows) {
            const auto text = row.at("input").get<std::string>();
            const auto ids = wholeIds(model, **known->second, text);
            QVERIFY2(Json(ids) == row.at("encoded").at("input_ids"),
                     (model + " " + Json(text).dump() + ": " + Json(ids).dump() + " expected " +
                      row.at("encoded").at("input_ids").dump())
                         .c_str());
            ++compared;
        }
    }
    QVERIFY(compared > 0);
    qInfo("%d texts equal; %d more for models whose vocabulary is not there", compared, without);
}

void TestTokenizerReal::llamaCpp_data()
{
    QTest::addColumn<QString>("name");
    const auto folder = testData() / "tok-llamacpp-vocab";
    if (!fs::exists(folder))
        return;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".out")
            QTest::newRow(entry.path().stem().c_str())
                << QString::fromStdString(entry.path().stem().string());
}

void TestTokenizerReal::llamaCpp()
{
    NEED_TEST_DATA("tok-llamacpp-vocab");
    NEED_TEST_DATA("tok-sentencepiece");
    QFETCH(QString, name);
    const auto folder = testData() / "tok-llamacpp-vocab";
    const auto opened = name.contains("bert")    ? openBert()
                        : name.contains("gpt-2") ? openGpt2()
                                                 : openSpm("tokenizer.model");
    QVERIFY_RESULT(opened);
    const auto texts = cut(*readFile(folder / (name.toStdString() + ".inp")), "\n__ggml_vocab_test__\n");
    const auto lines = cut(*readFile(folder / (name.toStdString() + ".out")), "\n");
    QVERIFY(texts.size() > 10 && lines.size() >= texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::istringstream numbers(lines[i]);
        Ids expected;
        for (TokenId id = 0; numbers >> id;)
            expected.push_back(id);
        const auto ids = (*opened)->encode(texts[i]);
        QVERIFY2(ids == expected,
                 (Json(texts[i]).dump() + ": " + Json(ids).dump() + " expected " + lines[i]).c_str());
    }
    qInfo("%zu texts equal", texts.size());
}

void TestTokenizerReal::tinyFiles()
{
    NEED_TEST_DATA("tok-hf-json");
    NEED_TEST_DATA("golden-hf/tokenizers");
    const auto folder = testData() / "tok-hf-json";
    const auto qwen = openTokenizer(folder / "tiny_qwen2_style.tokenizer.json");
    const auto llama = openTokenizer(folder / "tiny_llama3_style.tokenizer.json");
    QVERIFY_RESULT(qwen);
    QVERIFY_RESULT(llama);
    // The same vocabulary in its other layout.
    const QTemporaryDir temporary;
    const fs::path path = temporary.path().toStdString();
    fs::copy_file(folder / "tiny_bpe_vocab.json", path / "vocab.json");
    fs::copy_file(folder / "tiny_bpe_merges.txt", path / "merges.txt");
    QVERIFY_RESULT(
        writeDurably(path / "tokenizer_config.json", R"({"tokenizer_class": "Qwen2TokenizerFast"})"));
    const auto merges = openTokenizer(path);
    QVERIFY_RESULT(merges);
    const auto vocabulary = readJson("tok-hf-json/tiny_bpe_vocab.json");
    const auto rows = readJsonLines("golden-hf/tokenizers/qwen2-byte-bpe/expected.jsonl");
    QVERIFY(!rows.empty());
    int whole = 0;
    for (const auto& row : rows) {
        const auto text = row.at("text").get<std::string>();
        QCOMPARE((*llama)->decode((*llama)->encode(text)), text);
        const auto ids = (*qwen)->encode(text);
        QVERIFY2((*merges)->encode(text) == ids, text.c_str());
        // This vocabulary lacks many bytes and has no unknown token, so that what it lacks is lost, as in its
        // own library; what it has comes back in NFC.
        const auto expected = row.at("decoded").get<std::string>();
        const bool known = std::all_of(expected.begin(), expected.end(), [&vocabulary](char byte) {
            return vocabulary.contains(spellBytes(std::string_view(&byte, 1)));
        });
        if (!known)
            continue;
        QCOMPARE((*qwen)->decode(ids), expected);
        ++whole;
    }
    QVERIFY(whole > 100);
    qInfo("%zu texts there and back; %d of them in the vocabulary with few bytes", rows.size(), whole);
}

void TestTokenizerReal::brokenRankFiles()
{
    NEED_TEST_DATA("tok-tiktoken");
    int refused = 0;
    for (const auto& entry : fs::directory_iterator(testData() / "tok-tiktoken")) {
        if (entry.path().extension() != ".model")
            continue;
        const auto opened = openTokenizer(entry.path());
        QVERIFY2(!opened.ok() && opened.error().code == ErrorCode::BadModel, entry.path().c_str());
        QVERIFY2(opened.error().where == entry.path().string() + ", line 1", opened.error().text().c_str());
        ++refused;
    }
    QVERIFY(refused > 0);
    qInfo("%d files refused", refused);
}

QTEST_GUILESS_MAIN(TestTokenizerReal)
#include "tst_tokenizer_real.moc"
