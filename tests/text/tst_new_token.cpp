// Tags that become tokens: their ids, the files that say so, and what is refused.
#include "core/text/opening/new_token.h"
#include "tests/support/test_data.h"
#include "tests/support/toy_chat_vocabulary.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

using namespace assay;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// Words with blanks between them; `lastId` leaves a gap where it is not 3.
Json wordTokenizer(std::int64_t lastId)
{
    return {{"version", "1.0"},
            {"added_tokens",
             {{{"id", 0},
               {"content", "[UNK]"},
               {"single_word", false},
               {"lstrip", false},
               {"rstrip", false},
               {"normalized", false},
               {"special", true}}}},
            {"normalizer", nullptr},
            {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
            {"post_processor", nullptr},
            {"decoder", nullptr},
            {"model",
             {{"type", "WordLevel"},
              {"unk_token", "[UNK]"},
              {"vocab", {{"[UNK]", 0}, {"one", 1}, {"two", 2}, {"three", lastId}}}}}};
}

void writeTokenizer(const fs::path& folder, const std::string& kind)
{
    fs::create_directories(folder);
    const Json listed = {{"added_tokens_decoder", {{"0", {{"content", "[UNK]"}, {"special", true}}}}}};
    if (kind == "sentencepiece")
        std::ofstream(folder / "tokenizer.model", std::ios::binary) << tests::toyModel();
    else if (kind == "sentencepiece with settings")
        tests::writeChatVocabulary(folder);
    else if (kind.starts_with("tokenizer.json"))
        std::ofstream(folder / "tokenizer.json") << wordTokenizer(kind.ends_with("gap") ? 5 : 3).dump();
    else if (kind == "vocab.txt")
        std::ofstream(folder / "vocab.txt") << "[UNK]\n[CLS]\n[SEP]\n[PAD]\na\n";
    else {
        std::ofstream(folder / "vocab.json") << R"({"o":0,"n":1,"e":2,"on":3,"<|endoftext|>":4})";
        std::ofstream(folder / "merges.txt") << "#version: 0.2\no n\n";
    }
    if (kind == "tokenizer.json with settings")
        std::ofstream(folder / "tokenizer_config.json") << listed.dump();
}

/// What a checkpoint carries.
void writeFiles(const fs::path& folder, const Tokenizer& tokenizer)
{
    fs::create_directories(folder);
    const auto [name, bytes] = tokenizer.file();
    std::ofstream(folder / name, std::ios::binary) << bytes;
    for (const auto& [beside, content] : tokenizer.companionFiles())
        std::ofstream(folder / beside, std::ios::binary) << content;
}

} // namespace

class TestNewToken : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path m_root;

private Q_SLOTS:
    void initTestCase() { m_root = m_folder.path().toStdString(); }

    void added_data()
    {
        QTest::addColumn<QString>("kind");
        for (const auto* kind : {"sentencepiece", "sentencepiece with settings", "tokenizer.json",
                                 "tokenizer.json with settings", "vocab.json"})
            QTest::newRow(kind) << QString::fromLatin1(kind);
    }
    void added()
    {
        QFETCH(QString, kind);
        const auto folder = m_root / ("added " + kind.toStdString());
        writeTokenizer(folder, kind.toStdString());
        const auto before = openTokenizer(folder);
        QVERIFY_RESULT(before);
        const auto tagged = withNewToken(*before, folder, "<step>");
        QVERIFY_RESULT(tagged);
        QVERIFY(tagged->added);
        QCOMPARE(tagged->id, (*before)->vocabularySize());
        QCOMPARE(tagged->tokenizer->vocabularySize(), (*before)->vocabularySize() + 1);
        QVERIFY(tagged->tokenizer->isSpecial(tagged->id));
        writeFiles(m_root / ("again " + kind.toStdString()), *tagged->tokenizer);
        const auto again = openTokenizer(m_root / ("again " + kind.toStdString()));
        QVERIFY_RESULT(again);
        QCOMPARE((*again)->fingerprint(), tagged->tokenizer->fingerprint());
        QVERIFY((*again)->fingerprint() != (*before)->fingerprint());
        for (const auto& tokenizer : {tagged->tokenizer, *again}) {
            const auto pieces = tokenizer->encodeParsed("one<step>one");
            QCOMPARE(std::count_if(pieces.begin(), pieces.end(),
                                   [&](const auto& piece) { return piece.id == tagged->id; }),
                     1);
            // Text stays text.
            QCOMPARE(tokenizer->encode("one<step>"), (*before)->encode("one<step>"));
            QCOMPARE(tokenizer->encode("one two"), (*before)->encode("one two"));
            QCOMPARE((tokenizer->chatTemplate() != nullptr), ((*before)->chatTemplate() != nullptr));
        }
        // A second time there is nothing to add.
        const auto twice = withNewToken(tagged->tokenizer, {}, "<step>");
        QVERIFY_RESULT(twice);
        QVERIFY(!twice->added);
        QCOMPARE(twice->id, tagged->id);
        // Another one comes behind it.
        const auto second = withNewToken(*again, m_root / ("again " + kind.toStdString()), "<end>");
        QVERIFY_RESULT(second);
        QCOMPARE(second->id, tagged->id + 1);
        QCOMPARE(second->tokenizer->encodeParsed("<step>").back().id, tagged->id);
    }

    void alreadyOneToken_data()
    {
        QTest::addColumn<QString>("tag");
        QTest::newRow("a piece") << "ки";
        QTest::newRow("a token of the settings") << tests::kAddedTag;
        QTest::newRow("a control piece") << "</s>";
    }
    void alreadyOneToken()
    {
        QFETCH(QString, tag);
        writeTokenizer(m_root / "chat", "sentencepiece with settings");
        const auto tokenizer = openTokenizer(m_root / "chat");
        QVERIFY_RESULT(tokenizer);
        const auto tagged = withNewToken(*tokenizer, m_root / "chat", tag.toStdString());
        QVERIFY_RESULT(tagged);
        QVERIFY(!tagged->added);
        QCOMPARE(tagged->tokenizer->fingerprint(), (*tokenizer)->fingerprint());
        QVERIFY(tagged->id < (*tokenizer)->vocabularySize());
    }

    void unknownIsNoToken()
    {
        writeTokenizer(m_root / "words", "tokenizer.json");
        const auto tokenizer = openTokenizer(m_root / "words");
        QVERIFY_RESULT(tokenizer);
        QCOMPARE((*tokenizer)->encode("<step>"), std::vector<TokenId>{0}); // one id, of everything unknown
        const auto tagged = withNewToken(*tokenizer, m_root / "words", "<step>");
        QVERIFY_RESULT(tagged);
        QVERIFY(tagged->added);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("tag");
        QTest::addColumn<QString>("said");
        QTest::newRow("none") << "tokenizer.json" << QByteArray() << "needs a step tag";
        QTest::newRow("blank in front") << "tokenizer.json" << QByteArray(" <s>") << "white space";
        QTest::newRow("line end behind") << "tokenizer.json" << QByteArray("<s>\n") << "white space";
        QTest::newRow("too long") << "tokenizer.json" << QByteArray(129, 'x') << "too long";
        QTest::newRow("no text") << "tokenizer.json" << QByteArray("a\xff") << "not UTF-8";
        QTest::newRow("ids with a gap") << "tokenizer.json gap" << QByteArray("<s>") << "have gaps";
        QTest::newRow("no place") << "vocab.txt" << QByteArray("<s>") << "no place";
    }
    void refused()
    {
        QFETCH(QString, kind);
        QFETCH(QByteArray, tag);
        QFETCH(QString, said);
        const auto folder = m_root / ("refused " + kind.toStdString());
        writeTokenizer(folder, kind.toStdString());
        const auto tokenizer = openTokenizer(folder);
        QVERIFY_RESULT(tokenizer);
        const auto tagged = withNewToken(*tokenizer, folder, tag.toStdString());
        QVERIFY(!tagged.ok());
        QVERIFY2(tagged.error().message.find(said.toStdString()) != std::string::npos,
                 tagged.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestNewToken)
#include "tst_new_token.moc"
