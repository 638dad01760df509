// The layout marker: one text with a tag behind every step, plain or through a chat template.
#include "core/text/layout.h"
#include "tests/support/test_data.h"
#include "tests/support/toy_chat_vocabulary.h"

#include <QTemporaryDir>

using namespace assay;
namespace fs = std::filesystem;

namespace {

Example steps(const std::string& prompt, const std::vector<std::string>& texts)
{
    StepwiseExample content;
    content.prompt = prompt;
    for (const auto& text : texts)
        content.steps.push_back({text, Label::of(1.0F)});
    Example example;
    example.source = "test";
    example.content = std::move(content);
    return example;
}

LayoutOptions marker(const std::string& conversation, const std::string& separator, const std::string& tag)
{
    LayoutOptions options;
    options.name = "marker";
    options.conversation = conversation;
    options.promptSeparator = " ";
    options.stepSeparator = separator;
    options.stepTag = tag;
    options.readBeforeTag = conversation == "turns";
    return options;
}

} // namespace

class TestMarkerLayout : public QObject
{
    Q_OBJECT

    QTemporaryDir m_place;
    TokenizerPtr m_tokenizer;

    /// The texts up to and with every read-out's token.
    std::vector<std::string> readTexts(const LaidOut& row) const
    {
        std::vector<std::string> texts;
        const auto& ids = row.sequences.front().ids;
        for (const auto& readOut : row.readOuts)
            texts.push_back(m_tokenizer->decode(
                std::span(ids).first(static_cast<std::size_t>(readOut.spans.front().end))));
        return texts;
    }

private Q_SLOTS:
    void initTestCase()
    {
        tests::writeChatVocabulary(m_place.path().toStdString());
        const auto tokenizer = openTokenizer(m_place.path().toStdString());
        QVERIFY_RESULT(tokenizer);
        m_tokenizer = *tokenizer;
    }

    void reads_data()
    {
        QTest::addColumn<QString>("conversation");
        QTest::addColumn<QString>("separator");
        QTest::addColumn<QString>("tag");
        QTest::addColumn<QStringList>("ends"); // of the text that every read-out has seen
        QTest::newRow("plain") << "none"
                               << " ки\n"
                               << "ки" << QStringList{"p x ки", "p x ки\ny ки"};
        QTest::newRow("answer") << "answer"
                                << "<extra_0>"
                                << "<extra_0>"
                                << QStringList{"assistant: x<extra_0>", "x<extra_0>y<extra_0>"};
        QTest::newRow("turns") << "turns"
                               << "\n"
                               << "+" << QStringList{"user: p x\nassistant:", "+\nuser: y\nassistant:"};
    }
    void reads()
    {
        QFETCH(QString, conversation);
        QFETCH(QString, separator);
        QFETCH(QString, tag);
        QFETCH(QStringList, ends);
        const auto layout = makeLayout(
            marker(conversation.toStdString(), separator.toStdString(), tag.toStdString()), m_tokenizer);
        QVERIFY_RESULT(layout);
        const auto row = (*layout)->layOut(steps("p", {"x", "y"}), true);
        QVERIFY_RESULT(row);
        const auto texts = readTexts(*row);
        QCOMPARE(static_cast<qsizetype>(texts.size()), ends.size());
        for (qsizetype i = 0; i < ends.size(); ++i)
            QVERIFY2(QString::fromStdString(texts[static_cast<std::size_t>(i)]).endsWith(ends[i]),
                     texts[static_cast<std::size_t>(i)].c_str());
        QCOMPARE(std::count(row->sequences.front().ids.begin(), row->sequences.front().ids.end(),
                            *m_tokenizer->special().bos),
                 std::ptrdiff_t{1});
    }

    void cutFromTheRightLosesTags()
    {
        auto options = marker("none", " ки\n", "ки");
        options.maximumTokens = 6;
        const auto layout = makeLayout(options, m_tokenizer);
        QVERIFY_RESULT(layout);
        const auto row = (*layout)->layOut(steps("p", {"x", "y"}), true);
        QVERIFY_RESULT(row);
        QCOMPARE(row->sequences.front().ids.size(), std::size_t{6});
        QCOMPARE(row->readOuts.size(), std::size_t{1});
        QCOMPARE(row->cut.readOuts, 1);
    }

    void refusedRows_data()
    {
        QTest::addColumn<QString>("separator");
        QTest::addColumn<QString>("tag");
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("word");
        QTest::newRow("special token in a step") << "<extra_0>"
                                                 << "<extra_0>"
                                                 << "a<extra_0>b"
                                                 << "special token";
        QTest::newRow("end of text in a step") << " ки\n"
                                               << "ки"
                                               << "a</s>b"
                                               << "special token";
        QTest::newRow("tag of two tokens") << " ab\n"
                                           << "ab"
                                           << "x"
                                           << "not one token";
        QTest::newRow("tag glued to the step") << "+\n"
                                               << "+"
                                               << " "
                                               << "";
        QTest::newRow("placeholder") << " ки\n"
                                     << "ки"
                                     << "\U0010FFFD"
                                     << "U+10FFFD";
    }
    void refusedRows()
    {
        QFETCH(QString, separator);
        QFETCH(QString, tag);
        QFETCH(QString, step);
        QFETCH(QString, word);
        const auto layout =
            makeLayout(marker("none", separator.toStdString(), tag.toStdString()), m_tokenizer);
        QVERIFY_RESULT(layout);
        const auto row = (*layout)->layOut(steps("p", {step.toStdString()}), true);
        if (word.isEmpty()) { // a space before the tag belongs to its token
            QVERIFY_RESULT(row);
            return;
        }
        QVERIFY2(!row.ok(), "was laid out");
        QCOMPARE(row.error().code, ErrorCode::BadData);
        QVERIFY2(QString::fromStdString(row.error().text()).contains(word), row.error().text().c_str());
    }

    void refusedOptions_data()
    {
        QTest::addColumn<QString>("conversation");
        QTest::addColumn<QString>("tag");
        QTest::addColumn<bool>("cutLeft");
        QTest::addColumn<QString>("word");
        QTest::newRow("unknown conversation") << "dialogue"
                                              << "ки" << false << "dialogue";
        QTest::newRow("no tag") << "none"
                                << "" << false << "needs a step tag";
        QTest::newRow("tag outside the separator") << "answer"
                                                   << "#" << false << "does not hold";
        QTest::newRow("a conversation cut on the left") << "turns"
                                                        << "+" << true << "chat template";
    }
    void refusedOptions()
    {
        QFETCH(QString, conversation);
        QFETCH(QString, tag);
        QFETCH(bool, cutLeft);
        QFETCH(QString, word);
        auto options = marker(conversation.toStdString(), " ки\n", tag.toStdString());
        if (cutLeft)
            options.truncation = Truncation::CutPromptLeft;
        const auto layout = makeLayout(options, m_tokenizer);
        QVERIFY2(!layout.ok(), "was made");
        QVERIFY2(QString::fromStdString(layout.error().text()).contains(word), layout.error().text().c_str());
    }

    void noChatTemplate()
    {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        tests::writeChatVocabulary(folder);
        fs::remove(folder / "tokenizer_config.json");
        const auto tokenizer = openTokenizer(folder);
        QVERIFY_RESULT(tokenizer);
        const auto layout = makeLayout(marker("turns", "", "+"), *tokenizer);
        QVERIFY_RESULT(layout);
        const auto row = (*layout)->layOut(steps("p", {"x"}), true);
        QVERIFY(!row.ok());
        QVERIFY2(row.error().text().find("no chat template") != std::string::npos,
                 row.error().text().c_str());
    }

    void templateThatLosesTheTag()
    {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        tests::writeChatVocabulary(folder);
        std::ofstream(folder / "chat_template.jinja")
            << "{% for m in messages %}{{ m['role'] }} {% endfor %}";
        const auto tokenizer = openTokenizer(folder);
        QVERIFY_RESULT(tokenizer);
        const auto layout = makeLayout(marker("turns", "", "+"), *tokenizer);
        QVERIFY_RESULT(layout);
        const auto row = (*layout)->layOut(steps("p", {"x", "y"}), true);
        QVERIFY(!row.ok());
        QVERIFY2(row.error().text().find("0 of the row's 2 step tags") != std::string::npos,
                 row.error().text().c_str());
    }

    void storedAndReadBack()
    {
        auto options = marker("turns", "\n", "+");
        options.system = "judge";
        const auto again = layoutFromJson(layoutToJson(options));
        QVERIFY_RESULT(again);
        QVERIFY(*again == options);
    }
};

QTEST_APPLESS_MAIN(TestMarkerLayout)
#include "tst_marker_layout.moc"
