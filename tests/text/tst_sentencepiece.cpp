#include "core/base/durable_file.h"
#include "core/base/hash.h"
#include "core/text/sentencepiece_check.h"
#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"
#include "tests/support/toy_sentencepiece.h"

#include <QTemporaryDir>

#include <cstring>
#include <limits>
#include <map>

using namespace assay;
using namespace assay::tests;

namespace {

std::string fourBytes(std::uint32_t value)
{
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
}

/// A character map around double-array units; unset units carry a label that no byte matches.
std::string characterMap(const std::map<std::uint32_t, std::uint32_t>& units, std::uint32_t size,
                         const std::string& texts)
{
    std::string blob = fourBytes(size * 4);
    for (std::uint32_t i = 0; i < size; ++i)
        blob += fourBytes(units.contains(i) ? units.at(i) : 0x80000000U);
    return blob + texts;
}

std::uint32_t unit(std::uint32_t label, std::uint32_t offset, bool leaf)
{
    return (offset << 10) | (leaf ? 1U << 8 : 0U) | label;
}

/// A chain of `length` times the letter `a`, every prefix of which is a rule.
std::string nestedRules(std::uint32_t length)
{
    std::map<std::uint32_t, std::uint32_t> units;
    std::uint32_t base = 256;
    units[0] = unit(0, base, false);
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t next = 256 * (i + 2);
        units[base ^ 'a'] = unit('a', (base ^ 'a') ^ next, true);
        units[next] = 0x80000000U; // the rule's text: position 0
        base = next;
    }
    return characterMap(units, 256 * (length + 2), std::string("x\0", 2));
}

} // namespace

/// The checks in front of the library, and what the tokenizer promises beyond it.
class TestSentencePiece : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The version that was chosen for its mended reader, and no other that a system may have.
    void version() { QVERIFY(QByteArray(sentencePieceVersion().data()).startsWith("0.2.")); }
    void refuses_data();
    void refuses();
    void nestingLimitIsExact();
    void offsetsAreOriginalBytes_data();
    void offsetsAreOriginalBytes();
    void idsOutsideTheVocabulary();
    void specialsArePlainText();
    void truncationsAreErrors();
    void opensFolders();
};

void TestSentencePiece::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const std::string& bytes, const char* reason) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(reason);
    };
    row("empty", "", "0 bytes");
    row("text", "not a model", "");
    row("pointer", "version https://git-lfs.github.com/spec/v1\n", "Git LFS");
    row("tiktoken ranks", "IQ== 0\nIg== 1\n", "");
    row("no pieces", protoBytes(2, ""), "no pieces");
    row("number without end", std::string(11, '\xff'), "ten bytes");
    row("field 0", std::string(2, '\0'), "no valid number");
    row("group", std::string("\x0b", 1), "wire type");
    row("piece past the end", std::string("\x0a\x7f", 2), "behind its message");
    row("length of 2^63", std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), "behind its message");
    row("pieces as numbers", protoNumber(1, 5), "wrong kind");
    row("text as number", protoBytes(1, protoNumber(1, 3)), "wrong kind");
    row("empty piece", toyModel({{"", 0.0F}}), "piece 259 has 0 bytes");
    row("long piece", toyModel({{std::string(513, 'x'), 0.0F}}), "513 bytes");
    row("not UTF-8", toyModel({{"\xc3\x28", 0.0F}}), "UTF-8");
    row("NUL", toyModel({{std::string("a\0b", 3), 0.0F}}), "UTF-8");
    row("NaN score", toyModel({{"a", std::numeric_limits<float>::quiet_NaN()}}), "finite");
    row("infinite score", toyModel({{"a", std::numeric_limits<float>::infinity()}}), "finite");
    row("unknown type", toyModel({{"a", 0.0F, 7}}), "type 7");
    row("piece twice", toyModel({{"a", 0.0F}, {"a", 0.0F}}), "already defined");
    row("second unknown", toyModel({{"a", 0.0F, 2}}), "unk is already defined");
    row("normaliser too small", toyModel({{"a", 0.0F}}, "abc"), "cut off");
    row("normaliser size", toyModel({{"a", 0.0F}}, fourBytes(5) + std::string(100, 'x')), "impossible size");
    row("normaliser past its end", toyModel({{"a", 0.0F}}, fourBytes(2048) + std::string(1025, 'x')),
        "impossible size");
    row("normaliser too large", toyModel({{"a", 0.0F}}, std::string(3 << 20, 'x')), "bytes");
    row("texts without end", toyModel({{"a", 0.0F}}, characterMap({}, 256, "x")), "valid UTF-8");
    row("texts not UTF-8", toyModel({{"a", 0.0F}}, characterMap({}, 256, std::string("\xff\0", 2))),
        "valid UTF-8");
    row("root outside",
        toyModel({{"a", 0.0F}}, characterMap({{0, unit(0, 256, false)}}, 256, std::string(1, '\0'))),
        "outside");
    row("child outside",
        toyModel({{"a", 0.0F}},
                 characterMap({{0, unit(0, 256, false)}, {256 ^ 'a', unit('a', 1 << 20, false)}}, 512,
                              std::string(1, '\0'))),
        "outside");
    row("circle",
        toyModel({{"a", 0.0F}}, characterMap({{0, unit(0, 256, false)}, {256 ^ 'a', unit('a', 'a', false)}},
                                             512, std::string(1, '\0'))),
        "circle");
    row("33 rules begin alike", toyModel({{"a", 0.0F}}, nestedRules(33)), "begin alike");
    std::vector<ToyPiece> nested;
    for (std::size_t i = 1; i <= 65; ++i)
        nested.push_back({std::string(i, '#'), 0.0F, 4});
    row("65 symbols begin alike", toyModel(nested), "begin alike");
}

void TestSentencePiece::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, reason);
    const auto tokenizer = openSentencePiece("x.model", bytes.toStdString());
    QVERIFY(!tokenizer.ok());
    QVERIFY(tokenizer.error().code == ErrorCode::BadModel);
    QCOMPARE(tokenizer.error().where, std::string("x.model"));
    QVERIFY2(tokenizer.error().message.find(reason.toStdString()) != std::string::npos,
             tokenizer.error().message.c_str());
}

void TestSentencePiece::nestingLimitIsExact()
{
    // 32 rules and 64 symbols are what the library has room for: they must work, with texts that use them
    // all.
    const auto rules =
        openSentencePiece("x.model", toyModel({{"x", 0.0F}, {"\xe2\x96\x81", 0.0F}}, nestedRules(32)));
    QVERIFY_RESULT(rules);
    const auto encoded = (*rules)->decode((*rules)->encode(std::string(32, 'a')));
    QVERIFY2(encoded == "x", encoded.c_str());
    std::vector<ToyPiece> nested;
    for (std::size_t i = 1; i <= 64; ++i)
        nested.push_back({std::string(i, '#'), 0.0F, 4});
    const auto symbols = openSentencePiece("x.model", toyModel(nested));
    QVERIFY_RESULT(symbols);
    QCOMPARE((*symbols)->encode(std::string(64, '#')).back(), 259 + 63);
}

void TestSentencePiece::offsetsAreOriginalBytes_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "a", " a", "the 12 apples", "  two  blanks ", "line\nbreak\n\n", "tab\there",
                             "naïve ½ café", "日本語", "🙂🙃", "e\u0301", "</s><s>", "<0x41>"})
        QTest::newRow(text) << QByteArray(text);
    QTest::newRow("NUL") << QByteArray("a\0b", 3);
}

void TestSentencePiece::offsetsAreOriginalBytes()
{
    QFETCH(QByteArray, text);
    const auto tokenizer = openSentencePiece("toy.model", toyModel());
    QVERIFY_RESULT(tokenizer);
    const auto original = text.toStdString();
    const auto pieces = (*tokenizer)->encodeWithOffsets(original);
    std::vector<TokenId> ids;
    std::int32_t position = 0;
    for (const auto& piece : pieces) {
        ids.push_back(piece.id);
        // The pieces tile the text, and each is what stands there.
        QCOMPARE(piece.begin, position);
        position = piece.end;
        auto spelled = QString::fromStdString(piece.piece).replace(QChar(0x2581), ' ').toStdString();
        auto there = original.substr(static_cast<std::size_t>(piece.begin),
                                     static_cast<std::size_t>(piece.end - piece.begin));
        if (piece.piece.starts_with("<0x") && piece.piece.size() == 6)
            QCOMPARE(there,
                     std::string(1, static_cast<char>(std::stoi(piece.piece.substr(3, 2), nullptr, 16))));
        else if (piece.begin == 0)
            QVERIFY(spelled == there || spelled == " " + there); // the dummy blank stands for no byte
        else
            QCOMPARE(spelled, there);
    }
    QCOMPARE(position, static_cast<std::int32_t>(original.size()));
    QCOMPARE(ids, (*tokenizer)->encode(original));
    QCOMPARE((*tokenizer)->decode(ids), original);
}

void TestSentencePiece::idsOutsideTheVocabulary()
{
    const auto tokenizer = *openSentencePiece("toy.model", toyModel());
    auto ids = tokenizer->encode("a");
    ids.insert(ids.begin(), -7);
    ids.push_back(1 << 30);
    QCOMPARE(tokenizer->decode(ids), std::string("<-7>a<1073741824>"));
    QCOMPARE(tokenizer->piece(tokenizer->vocabularySize()),
             "<" + std::to_string(tokenizer->vocabularySize()) + ">");
}

void TestSentencePiece::specialsArePlainText()
{
    const auto tokenizer = *openSentencePiece("toy.model", toyModel());
    QCOMPARE(tokenizer->special().bos, std::optional<TokenId>(1));
    QCOMPARE(tokenizer->special().eos, std::optional<TokenId>(2));
    QCOMPARE(tokenizer->special().unk, std::optional<TokenId>(0));
    QVERIFY(!tokenizer->special().pad);
    const auto ids = tokenizer->encode("<s>a</s>");
    QVERIFY(std::none_of(ids.begin(), ids.end(), [](TokenId id) { return id < 3; }));
}

void TestSentencePiece::truncationsAreErrors()
{
    const auto model = toyModel();
    int refused = 0;
    for (std::size_t size = 0; size < model.size(); size += 7)
        refused += checkSentencePieceModel(std::string_view(model).substr(0, size)).ok() ? 0 : 1;
    // A cut exactly between two pieces leaves a valid, shorter model; hardly any of these cuts do.
    QVERIFY2(refused > static_cast<int>(model.size() / 7 * 8 / 10), std::to_string(refused).c_str());
}

void TestSentencePiece::opensFolders()
{
    QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    QVERIFY(openTokenizer(folder / "absent").error().code == ErrorCode::NotFound);
    QVERIFY(openTokenizer(folder).error().code == ErrorCode::NotFound);
    QVERIFY_RESULT(writeDurably(folder / "tokenizer.json", "{}"));
    QVERIFY(openTokenizer(folder).error().code == ErrorCode::BadModel);
    QCOMPARE(openTokenizer(folder).error().where, (folder / "tokenizer.json").string());
    std::filesystem::remove(folder / "tokenizer.json");
    QVERIFY_RESULT(writeDurably(folder / "spm.model", "\nbroken"));
    QVERIFY(openTokenizer(folder).error().code == ErrorCode::BadModel);
    QCOMPARE(openTokenizer(folder).error().where, (folder / "spm.model").string());
    QVERIFY_RESULT(writeDurably(folder / "spiece.model", toyModel()));
    const auto tokenizer = openTokenizer(folder);
    QVERIFY_RESULT(tokenizer);
    QCOMPARE((*tokenizer)->file().first, std::string("spiece.model"));
    QCOMPARE((*tokenizer)->fingerprint(), sha256Hex((*tokenizer)->file().second));
    QVERIFY_RESULT(openSentencePiece((*tokenizer)->file().first, (*tokenizer)->file().second));
}

QTEST_GUILESS_MAIN(TestSentencePiece)
#include "tst_sentencepiece.moc"
