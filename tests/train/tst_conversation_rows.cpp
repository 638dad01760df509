// Conversations as the suites of torchtune and Open-Assistant state them: tokens of turns, ranked replies in
// one batch, and padding on either side.
#include "core/text/chat/chat_template.h"
#include "core/train/collate.h"
#include "tests/support/character_tokenizer.h"
#include "tests/support/test_data.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <QtTest/QTest>

#include <map>

using namespace assay;
using namespace assay::tests;

namespace {

/// A word is as long as its id says; <s> is 0 and </s> is -1. A turn begins with the one and ends with the
/// other.
class WordLengthTokenizer : public CharacterTokenizer
{
public:
    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        for (const auto& piece : encodeParsed(text))
            ids.push_back(piece.id);
        return ids;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        return encodeParsed(text);
    }
    std::vector<TokenPiece> encodeParsed(std::string_view text) const override
    {
        std::vector<TokenPiece> pieces;
        for (std::size_t at = text.find_first_not_of(' '); at < text.size();
             at = text.find_first_not_of(' ', at)) {
            const auto end = std::min(text.find(' ', at), text.size());
            const auto word = text.substr(at, end - at);
            const auto id = word == "<s>" ? 0 : word == "</s>" ? -1 : static_cast<TokenId>(word.size());
            pieces.push_back(
                {id, std::string(word), static_cast<std::int32_t>(at), static_cast<std::int32_t>(end)});
            at = end;
        }
        return pieces;
    }
    const ChatTemplate* chatTemplate() const override { return &m_template; }

private:
    ChatTemplate m_template = *ChatTemplate::parse(
        "{% for m in messages %}{% if m.role == 'user' %}<s> {{ m.content }} {% else %}{{ m.content }} </s> "
        "{% endif %}{% endfor %}",
        "", "");
};

/// Every turn under its speaker's mark, ended by EOS, as Open-Assistant writes them.
class AssistantTokenizer : public CharacterTokenizer
{
public:
    const ChatTemplate* chatTemplate() const override { return &m_template; }

private:
    ChatTemplate m_template = *ChatTemplate::parse(
        "{% for m in messages %}<|{{ 'prompter' if m.role == 'user' else 'assistant' }}|>{{ m.content }}"
        "{{ eos_token }}{% endfor %}",
        "", "</>");
};

LayoutPtr pairwise(TokenizerPtr tokenizer)
{
    LayoutOptions options;
    options.name = "pairwise";
    options.addBos = options.appendEos = false;
    options.maximumTokens = {};
    return *makeLayout(options, std::move(tokenizer));
}

Example ranked(std::vector<Message> prompt, const std::vector<std::string>& replies)
{
    PreferenceExample content;
    content.prompt.messages = std::move(prompt);
    for (const auto& reply : replies)
        content.candidates.push_back({"", {{"assistant", reply}}});
    Example example;
    example.content = std::move(content);
    return example;
}

std::string written(const std::vector<TokenId>& ids)
{
    std::string text;
    for (const auto id : ids)
        text += CharacterTokenizer::spelled(id);
    return text;
}

std::vector<std::int64_t> numbersOf(const at::Tensor& tensor)
{
    const auto plain = tensor.contiguous();
    const auto* data = plain.const_data_ptr<std::int64_t>();
    return {data, data + plain.numel()};
}

} // namespace

class TestConversationRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Our words, with the lengths of the reference's row: the same ids, as often.
    void fourTurns()
    {
        const std::vector<Message> prompt{
            {"user", "walking my tomcat with the little brown leash"},
            {"assistant", "I bet you can practise with your comfortable couch at first then the longer "
                          "stairs Who are a sore?"},
            {"user", "the leash is too twisted up"}};
        const auto tokenizer = std::make_shared<WordLengthTokenizer>();
        const auto layout = pairwise(tokenizer);
        const auto row = layout->layOut(
            ranked(prompt, {"Do it so the ox follows along by me gently, or ties the two ends and lets go?",
                            "Take it off."}),
            true);
        QVERIFY_RESULT(row);
        std::map<TokenId, int> counts;
        for (const auto id : row->sequences[0].ids)
            ++counts[id];
        const std::map<TokenId, int> expected{{3, 14}, {2, 11}, {4, 7},  {5, 7}, {7, 4}, {6, 4},
                                              {0, 2},  {1, 2},  {-1, 2}, {8, 1}, {11, 1}};
        for (const auto& [id, count] : expected)
            QVERIFY2(counts[id] == count, qPrintable(QStringLiteral("%1: %2").arg(id).arg(counts[id])));
        // What the user wrote, with the beginnings of both turns: what the reference masks.
        const std::vector<Message> own{prompt[0], prompt[2]};
        const auto text = tokenizer->chatTemplate()->render(own, false);
        QVERIFY_RESULT(text);
        QCOMPARE(tokenizer->encodeParsed(*text).size(), std::size_t(16));
        // Read at the last token of each side, which ends its turn.
        for (std::size_t side = 0; side < 2; ++side) {
            QCOMPARE(row->sequences[side].ids.back(), -1);
            QCOMPARE(row->readOuts[side].spans.back().end, int(row->sequences[side].ids.size()));
        }
    }

    /// Groups of three and of two replies are five rows; nothing of one group reaches into the other.
    void rankedReplies()
    {
        const auto layout = pairwise(std::make_shared<AssistantTokenizer>());
        const auto first =
            layout->layOut(ranked({{"user", "First."}}, {"Reply A", "Reply B to it", "Reply C"}), true);
        const auto second = layout->layOut(ranked({{"user", "Second."}}, {"Reply D", "E"}), true);
        QVERIFY_RESULT(first);
        QVERIFY_RESULT(second);
        QCOMPARE(written(first->sequences[1].ids),
                 std::string("<|prompter|>First.$<|assistant|>Reply B to it$"));
        QCOMPARE(written(second->sequences[1].ids), std::string("<|prompter|>Second.$<|assistant|>E$"));
        CollateOptions options;
        options.execution = Execution::Padded;
        const std::vector<const LaidOut*> rows{&*first, &*second};
        const auto batch = collate(rows, options);
        QCOMPARE(batch.scores, std::int64_t(5));
        const auto& unit = batch.units.at(0);
        // Scores 0 to 2 are one group, 3 and 4 the other: every pair within them, best first.
        QCOMPARE(numbersOf(unit.targets.better), (std::vector<std::int64_t>{0, 0, 1, 3}));
        QCOMPARE(numbersOf(unit.targets.worse), (std::vector<std::int64_t>{1, 2, 2, 4}));
        QCOMPARE(unit.input.padded->rows, std::int64_t(5));
        QCOMPARE(unit.input.padded->length, std::int64_t(first->sequences[1].ids.size()));
    }

    /// Without a prompt a row is the reply and its end.
    void noPrompt()
    {
        const auto layout = pairwise(std::make_shared<AssistantTokenizer>());
        const auto row = layout->layOut(ranked({}, {"Reply A", "B"}), true);
        QVERIFY_RESULT(row);
        QCOMPARE(written(row->sequences[0].ids), std::string("<|assistant|>Reply A$"));
        QCOMPARE(written(row->sequences[1].ids), std::string("<|assistant|>B$"));
    }

    /// A row shorter by one gets one token in front, or behind, and is read at its own last token.
    void paddingSides_data()
    {
        QTest::addColumn<bool>("left");
        QTest::newRow("left") << true;
        QTest::newRow("right") << false;
    }
    void paddingSides()
    {
        QFETCH(bool, left);
        LayoutOptions layoutOptions;
        layoutOptions.name = "pairwise";
        layoutOptions.addBos = layoutOptions.appendEos = false;
        const auto layout = *makeLayout(layoutOptions, std::make_shared<CharacterTokenizer>());
        Example example;
        example.content = PreferenceExample{{"<", {}}, {{"12345678>", {}}, {"12345a7>", {}}}, {}};
        const auto row = layout->layOut(example, true);
        QVERIFY_RESULT(row);
        CollateOptions options;
        options.execution = Execution::Padded;
        options.paddingSide = left ? PaddingSide::Left : PaddingSide::Right;
        const LaidOut* pointer = &*row;
        const auto batch = collate({&pointer, 1}, options);
        const auto& unit = batch.units.at(0);
        QCOMPARE(unit.input.padded->length, std::int64_t(10));
        const auto ids = unit.input.ids.reshape({2, 10});
        const int first = left ? 1 : 0;
        for (int i = 0; i < 9; ++i)
            QCOMPARE(ids[1][first + i].item<std::int64_t>(), std::int64_t("<12345a7>"[i]));
        const auto readOuts = unit.readOuts.rows;
        QCOMPARE(readOuts[0].item<std::int64_t>(), std::int64_t(9));
        QCOMPARE(readOuts[1].item<std::int64_t>(), std::int64_t(left ? 19 : 18));
    }
};

QTEST_APPLESS_MAIN(TestConversationRows)
#include "tst_conversation_rows.moc"
