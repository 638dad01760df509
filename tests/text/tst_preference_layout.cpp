#include "core/text/chat/chat_template.h"
#include "core/text/layout.h"
#include "tests/support/character_tokenizer.h"
#include "tests/support/test_data.h"

using namespace assay;
using namespace assay::tests;

Q_DECLARE_METATYPE(assay::LayoutOptions)

namespace {

LayoutOptions named(const char* name, std::optional<std::int32_t> maximumTokens = {},
                    Truncation truncation = Truncation::CutRight)
{
    LayoutOptions options;
    options.name = name;
    options.maximumTokens = maximumTokens;
    options.truncation = truncation;
    return options;
}

Example pair(const char* prompt, const char* chosen, const char* rejected)
{
    Example example;
    example.source = "pairs.jsonl";
    example.row = 7;
    example.content = PreferenceExample{{prompt, {}}, {{chosen, {}}, {rejected, {}}}, {}};
    return example;
}

/// Tokens as letters: ^ BOS, $ EOS; roles as b, p, a, e, g.
QString shown(const Sequence& sequence)
{
    QString text, roles;
    for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
        text += QString::fromStdString(CharacterTokenizer::spelled(sequence.ids[i]));
        roles += QLatin1Char(tokenRoleId(sequence.roles[i]).front());
    }
    return text + " " + roles;
}

LaidOut laidOut(const LayoutOptions& options, const Example& example)
{
    return *(*makeLayout(options, std::make_shared<CharacterTokenizer>()))->layOut(example, true);
}

/// Characters that conversations are written in, by a template whose opening of an answer no answer begins
/// with.
class ChattingTokenizer : public CharacterTokenizer
{
public:
    const ChatTemplate* chatTemplate() const override { return &m_template; }

private:
    ChatTemplate m_template =
        *ChatTemplate::parse("{% for m in messages %}{{ m.role[0] }}{{ m.content }}{% endfor %}"
                             "{% if add_generation_prompt %}?{% elif messages[-1].content == 'bad' %}"
                             "{{ raise_exception('no\\nsuch turn') }}{% elif messages[-1].content == 'odd' %}"
                             "{{ 1 / 0 }}{% endif %}",
                             "", "");
};

/// "uqqqqaxyz" and "uqqqqax": 9 and 7 characters.
Example conversation()
{
    auto example = pair("", "", "");
    example.content = PreferenceExample{
        {"", {{"user", "qqqq"}}}, {{"", {{"assistant", "xyz"}}}, {"", {{"assistant", "x"}}}}, {}};
    return example;
}

std::string errorOf(const LayoutOptions& options, const Example& example)
{
    const auto row = (*makeLayout(options, std::make_shared<CharacterTokenizer>()))->layOut(example, true);
    return row.ok() ? std::string() : row.error().text();
}

} // namespace

/// Ids, roles, read-outs, targets and cuts of the layouts for pairs.
class TestPreferenceLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sides_data();
    void sides();
    void everySideIsReadAtItsEnd();
    void cuts_data();
    void cuts();
    void dropsCandidatesThatACutMakesEqual();
    void conversationsAreNotCutOnTheLeft();
    void templatesThatFailAreNamed();
    void manyCandidates();
    void givenTokens();
    void margins();
    void rowErrorsNameTheRow_data();
    void rowErrorsNameTheRow();
};

void TestPreferenceLayout::sides_data()
{
    QTest::addColumn<LayoutOptions>("options");
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("rejected");
    auto options = named("pairwise");
    QTest::newRow("BOS, prompt, answer, EOS") << options << "^qq</>xy$ bpppppaae"
                                              << "^qq</>z$ bpppppae";
    options.addBos = false;
    QTest::newRow("no BOS") << options << "qq</>xy$ pppppaae"
                            << "qq</>z$ pppppae";
    options.appendEos = false;
    QTest::newRow("nothing added") << options << "qq</>xy pppppaa"
                                   << "qq</>z pppppa";
    options.parseSpecial = true;
    QTest::newRow("special strings parsed") << options << "qq$xy pppaa"
                                            << "qq$z pppa";
    options = named("trl-pairwise");
    options.parseSpecial = false;
    options.appendEos = false;
    QTest::newRow("trl: always parsed and ended") << options << "^qq$xy$ bpppaae"
                                                  << "^qq$z$ bpppae";
}

void TestPreferenceLayout::sides()
{
    QFETCH(LayoutOptions, options);
    QFETCH(QString, chosen);
    QFETCH(QString, rejected);
    const auto row = laidOut(options, pair("qq</>", "xy", "z"));
    QCOMPARE(row.sequences.size(), std::size_t{2});
    QCOMPARE(shown(row.sequences[0]), chosen);
    QCOMPARE(shown(row.sequences[1]), rejected);
}

void TestPreferenceLayout::everySideIsReadAtItsEnd()
{
    const auto row = laidOut(named("pairwise"), pair("qq", "xy", "z"));
    QCOMPARE(row.readOuts.size(), std::size_t{2});
    for (std::int32_t side = 0; side < 2; ++side) {
        const auto& readOut = row.readOuts[static_cast<std::size_t>(side)];
        QCOMPARE(readOut.sequence, side);
        QVERIFY(readOut.pooling == Pooling::Last);
        QCOMPARE(readOut.spans.back().end, side == 0 ? 6 : 5);
        QCOMPARE(row.scores[static_cast<std::size_t>(side)].readOutA, side);
    }
    QCOMPARE(row.targets.groupOffsets, (std::vector<std::int32_t>{0, 2}));
    QCOMPARE(row.targets.rank, (std::vector<float>{0.0F, 1.0F}));
    QCOMPARE(row.targets.value, (std::vector<float>{1.0F, 0.0F}));
    QCOMPARE(row.targets.mask, (std::vector<std::uint8_t>{1, 1}));
    QCOMPARE(row.scoreStep, (std::vector<std::int32_t>{-1, -1}));
    // EOS spelled in the answer is text, so the appended one is read all the same.
    const auto text = laidOut(named("pairwise"), pair("", "x</>", "y"));
    QCOMPARE(shown(text.sequences[0]), QString("^x</>$ baaaae"));
    // The reference adds none behind an answer that ends with it, and a second behind a blank.
    QCOMPARE(shown(laidOut(named("trl-pairwise"), pair("", "x</>", "y")).sequences[0]), QString("^x$ baa"));
    QCOMPARE(shown(laidOut(named("trl-pairwise"), pair("", "x</> ", "y")).sequences[0]),
             QString("^x$ $ baaae"));
    QCOMPARE(shown(laidOut(named("trl-pairwise"), pair("q</>", "", "y")).sequences[0]), QString("^q$$ bppe"));
    // Where the file had prompt and answer in one text, the end of that text decides.
    auto cut = pair("q</", ">", "y");
    std::get<PreferenceExample>(cut.content).promptCut = true;
    QCOMPARE(shown(laidOut(named("trl-pairwise"), cut).sequences[0]), QString("^q$ bpa"));
}

void TestPreferenceLayout::cuts_data()
{
    QTest::addColumn<LayoutOptions>("options");
    QTest::addColumn<QString>("sides"); // empty = dropped
    QTest::addColumn<int>("tokens");    // cut
    const auto fits = [](const char* name, Truncation truncation) { return named(name, 8, truncation); };
    // ^qqqqxyz$ has 9 tokens, ^qqqqx$ 7.
    QTest::newRow("exactly the limit") << named("trl-pairwise", 9) << "^qqqqxyz$ ^qqqqx$" << 0;
    QTest::newRow("trl drops the pair") << fits("trl-pairwise", Truncation::CutRight) << "" << 16;
    QTest::newRow("drop") << fits("pairwise", Truncation::DropRow) << "" << 16;
    QTest::newRow("right, one side") << named("pairwise", 8) << "^qqqqxyz ^qqqqx$" << 1;
    QTest::newRow("left: the same from both")
        << fits("pairwise", Truncation::CutPromptLeft) << "^qqqxyz$ ^qqqx$" << 2;
    QTest::newRow("left: the whole prompt")
        << named("pairwise", 5, Truncation::CutPromptLeft) << "^xyz$ ^x$" << 8;
    QTest::newRow("left: answers alone too long")
        << named("pairwise", 4, Truncation::CutPromptLeft) << "" << 16;
}

void TestPreferenceLayout::cuts()
{
    QFETCH(LayoutOptions, options);
    QFETCH(QString, sides);
    QFETCH(int, tokens);
    const auto row = laidOut(options, pair("qqqq", "xyz", "x"));
    QCOMPARE(row.cut.tokens, tokens);
    QCOMPARE(row.cut.dropped, sides.isEmpty());
    QCOMPARE(row.empty(), sides.isEmpty());
    QCOMPARE(row.cut.lengths, tokens == 0 ? std::vector<std::int32_t>() : (std::vector<std::int32_t>{9, 7}));
    if (sides.isEmpty()) {
        QCOMPARE(row.cut.readOuts, 2);
        QVERIFY(row.scores.empty());
        return;
    }
    QCOMPARE(shown(row.sequences[0]).section(' ', 0, 0) + " " + shown(row.sequences[1]).section(' ', 0, 0),
             sides);
    for (std::size_t side = 0; side < 2; ++side)
        QCOMPARE(row.readOuts[side].spans.back().end,
                 static_cast<std::int32_t>(row.sequences[side].ids.size()));
}

void TestPreferenceLayout::dropsCandidatesThatACutMakesEqual()
{
    const auto row = laidOut(named("pairwise", 3), pair("qqqq", "xyz", "x"));
    QVERIFY(row.empty() && row.cut.dropped);
    QCOMPARE(row.cut.lengths, (std::vector<std::int32_t>{9, 7}));
    // Sides that are equal in the file pass; the label checks name them.
    QCOMPARE(laidOut(named("pairwise", 3), pair("qqqq", "x", "x")).sequences.size(), std::size_t{2});
}

void TestPreferenceLayout::conversationsAreNotCutOnTheLeft()
{
    const auto layOut = [](std::int32_t limit, Truncation truncation) {
        return (*makeLayout(named("pairwise", limit, truncation), std::make_shared<ChattingTokenizer>()))
            ->layOut(conversation(), true);
    };
    const auto fitting = layOut(9, Truncation::CutPromptLeft);
    QVERIFY_RESULT(fitting);
    QCOMPARE(shown(fitting->sequences[0]).section(' ', 0, 0), QString("uqqqqaxyz"));
    const auto refused = layOut(8, Truncation::CutPromptLeft);
    QVERIFY(!refused.ok());
    const auto error = QString::fromStdString(refused.error().text());
    QVERIFY2(error.contains("9 tokens, the limit is 8") && error.contains("cannot be cut on the left"),
             qPrintable(error));
    QVERIFY2(error.contains("pairs.jsonl, row 8") && error.contains("cut-right"), qPrintable(error));
    const auto right = layOut(8, Truncation::CutRight);
    QVERIFY_RESULT(right);
    QCOMPARE(shown(right->sequences[0]).section(' ', 0, 0), QString("uqqqqaxy"));
    const auto dropped = layOut(8, Truncation::DropRow);
    QVERIFY_RESULT(dropped);
    QVERIFY(dropped->cut.dropped);
}

void TestPreferenceLayout::templatesThatFailAreNamed()
{
    const auto errorOf = [](const char* answer) {
        auto example = pair("", "", "");
        example.content = PreferenceExample{
            {"", {{"user", "q"}}}, {{"", {{"assistant", answer}}}, {"", {{"assistant", "x"}}}}, {}};
        const auto row =
            (*makeLayout(named("pairwise"), std::make_shared<ChattingTokenizer>()))->layOut(example, true);
        return QString::fromStdString(row.ok() ? std::string() : row.error().text());
    };
    const auto raised = errorOf("bad"), outside = errorOf("odd");
    QVERIFY2(raised.contains("the template says: no such turn") && raised.contains("Mend the conversation"),
             qPrintable(raised));
    // The row is right, so nobody is told to mend it.
    QVERIFY2(outside.contains("cannot be rendered") && outside.contains("Put a simpler chat_template.jinja"),
             qPrintable(outside));
    for (const auto& error : {raised, outside})
        QVERIFY2(error.contains("through the chat template") && error.contains("row 8"), qPrintable(error));
}

void TestPreferenceLayout::manyCandidates()
{
    Example example;
    example.content = PreferenceExample{{"q", {}}, {{"a", {}}, {"b", {}}, {"c", {}}}, {}};
    const auto row = laidOut(named("pairwise"), example);
    QCOMPARE(row.sequences.size(), std::size_t{3});
    QCOMPARE(row.targets.groupOffsets, (std::vector<std::int32_t>{0, 3}));
    QCOMPARE(row.targets.rank, (std::vector<float>{0.0F, 1.0F, 2.0F}));
}

void TestPreferenceLayout::givenTokens()
{
    Example example;
    example.content = TokenisedPreference{{{5, 6, 7}, {5, 8}}, 0.5F};
    const auto row = laidOut(named("pairwise", 2), example);
    QCOMPARE(row.sequences[0].ids, (std::vector<TokenId>{5, 6}));
    QCOMPARE(row.sequences[1].ids, (std::vector<TokenId>{5, 8}));
    QVERIFY(row.sequences[0].roles[0] == TokenRole::Given);
    QCOMPARE(row.targets.margin, std::vector<float>{0.5F});
    QVERIFY(laidOut(named("trl-pairwise", 2), example).cut.dropped);
    // Which of the ids are the prompt is not known, so there is nothing to cut.
    QVERIFY(laidOut(named("pairwise", 2, Truncation::CutPromptLeft), example).cut.dropped);
    const auto without = (*makeLayout(named("pairwise"), nullptr))->layOut(example, true);
    QVERIFY_RESULT(without);
    QCOMPARE(without->sequences[0].ids, (std::vector<TokenId>{5, 6, 7}));
}

void TestPreferenceLayout::margins()
{
    auto example = pair("q", "x", "y");
    QCOMPARE(laidOut(named("pairwise"), example).targets.margin, std::vector<float>{0.0F});
    std::get<PreferenceExample>(example.content).margin = 1.5F;
    QCOMPARE(laidOut(named("pairwise"), example).targets.margin, std::vector<float>{1.5F});
}

void TestPreferenceLayout::rowErrorsNameTheRow_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("reason");
    QTest::newRow("too long") << "too long"
                              << "9 tokens, the limit is 8";
    QTest::newRow("messages") << "messages"
                              << "chat template";
    QTest::newRow("steps") << "steps"
                           << "stepwise";
    QTest::newRow("nothing to read") << "empty"
                                     << "no token to read";
    QTest::newRow("limit") << "limit"
                           << "maximum_tokens is 0";
    QTest::newRow("one candidate") << "single"
                                   << "two candidates";
}

void TestPreferenceLayout::rowErrorsNameTheRow()
{
    QFETCH(QString, kind);
    QFETCH(QString, reason);
    auto options = named("pairwise");
    auto example = pair("qqqq", "xyz", "x");
    if (kind == "too long")
        options = named("pairwise", 8, Truncation::Fail);
    if (kind == "limit")
        options.maximumTokens = 0;
    if (kind == "messages")
        example.content = PreferenceExample{{}, {{"", {{"user", "x"}}}, {"", {{"user", "y"}}}}, {}};
    if (kind == "steps")
        example.content = StepwiseExample{"q", {{"s", Label::of(1.0F)}}, {}};
    if (kind == "single")
        example.content = PreferenceExample{{}, {{"x", {}}}, {}};
    if (kind == "empty") {
        options.addBos = options.appendEos = false;
        example = pair("", "x", "");
    }
    const auto error = QString::fromStdString(errorOf(options, example));
    QVERIFY2(error.contains(reason), qPrintable(error));
    QVERIFY2(error.contains("pairs.jsonl, row 8"), qPrintable(error));
}

QTEST_GUILESS_MAIN(TestPreferenceLayout)
#include "tst_preference_layout.moc"
