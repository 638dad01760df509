#include "core/text/layout.h"
#include "tests/support/test_data.h"
#include "tests/support/toy_tokenizer.h"

#include <algorithm>

using namespace assay;
using namespace assay::tests;

using Ids = std::vector<TokenId>;
using Places = std::vector<std::pair<int, float>>;
Q_DECLARE_METATYPE(assay::LayoutOptions)
Q_DECLARE_METATYPE(Ids)
Q_DECLARE_METATYPE(Places)

namespace {

constexpr const char* kPrompt = "Which number is larger, 9.8 or 9.11?";

TokenizerPtr toyTokenizer(bool bos = true)
{
    SpecialTokens special;
    if (bos)
        special.bos = 0;
    special.eos = 2;
    return std::make_shared<ToyTokenizer>(
        std::map<std::string, Ids, std::less<>>{{kPrompt, {465, 6766, 318, 298}},
                                                {"11 is greater than 8.", {4, 322, 12}},
                                                {"Hence, 9.11 > 9.8.", {4995, 11, 22}},
                                                {"\n", {1030}},
                                                {"\n\n", {1030, 1030}},
                                                {"=>", {77}},
                                                {"", {}}},
        special);
}

Example worked(float first = 1.0F, float second = 0.0F)
{
    Example example;
    example.source = "worked.jsonl";
    example.row = 7;
    example.content = StepwiseExample{
        kPrompt,
        {{"11 is greater than 8.", Label::of(first)}, {"Hence, 9.11 > 9.8.", Label::of(second)}},
        {}};
    return example;
}

constexpr int kNoLimit = -1; // in the tables below

LayoutOptions trl()
{
    LayoutOptions options;
    options.name = "trl-stepwise";
    options.maximumTokens.reset();
    return options;
}

/// Supervised read-outs as (position, label).
Places supervised(const LaidOut& row)
{
    Places places;
    for (std::size_t i = 0; i < row.scores.size(); ++i)
        if (row.targets.mask[i]) {
            const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[i].readOutA)];
            places.emplace_back(readOut.spans.at(0).begin, row.targets.value[i]);
        }
    return places;
}

void compareCut(const CutReport& cut, int tokens, int correct, int wrong, int readOuts, bool dropped = false)
{
    QCOMPARE(cut.tokens, tokens);
    QCOMPARE(cut.labelsCorrect, correct);
    QCOMPARE(cut.labelsWrong, wrong);
    QCOMPARE(cut.readOuts, readOuts);
    QCOMPARE(cut.dropped, dropped);
}

} // namespace

/// Token ids, read-outs, targets and cuts of the step layouts, by the worked examples W1 to W10 of the
/// reference.
class TestLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workedExamples_data();
    void workedExamples();
    void rolesAndSteps();
    void stepwisePutsASeparatorBehindThePrompt();
    void truncationPolicies_data();
    void truncationPolicies();
    void everyStepIsRead();
    void emptySeparatorReadsTheStepItself();
    void rowErrorsNameTheRow();
    void givenTokensPassUnchanged();
    void refusesContradictions_data();
    void refusesContradictions();
    void limitsBelowOneAreErrorsOfTheRow_data();
    void limitsBelowOneAreErrorsOfTheRow();
    void jsonRoundTrip();
    void jsonErrors_data();
    void jsonErrors();
};

void TestLayout::workedExamples_data()
{
    QTest::addColumn<LayoutOptions>("options");
    QTest::addColumn<bool>("training");
    QTest::addColumn<bool>("bos");
    QTest::addColumn<Ids>("ids");
    QTest::addColumn<Places>("places");
    QTest::addColumn<int>("cutTokens");
    const Ids w1{0, 465, 6766, 318, 298, 4, 322, 12, 1030, 4995, 11, 22, 1030};
    const auto first = [&w1](std::ptrdiff_t n) { return Ids(w1.begin(), w1.begin() + n); };
    auto options = trl();
    QTest::newRow("W1") << options << true << true << w1 << Places{{8, 1.0F}, {12, 0.0F}} << 0;
    options.trainOnLastStepOnly = true;
    QTest::newRow("W2") << options << true << true << w1 << Places{{12, 0.0F}} << 0;
    QTest::newRow("W2 evaluation") << options << false << true << w1 << Places{{8, 1.0F}, {12, 0.0F}} << 0;
    options = trl();
    options.maximumCompletionTokens = 6;
    QTest::newRow("W3") << options << true << true << first(11) << Places{{8, 1.0F}} << 2;
    options = trl();
    options.maximumTokens = 9;
    QTest::newRow("W4") << options << true << true << first(9) << Places{{8, 1.0F}} << 4;
    options.trainOnLastStepOnly = true;
    QTest::newRow("W8") << options << true << true << first(9) << Places{} << 4;
    options = trl();
    options.stepSeparator = "\n\n";
    const Ids w5{0, 465, 6766, 318, 298, 4, 322, 12, 1030, 1030, 4995, 11, 22, 1030, 1030};
    QTest::newRow("W5") << options << true << true << w5 << Places{{9, 1.0F}, {14, 0.0F}} << 0;
    options.maximumTokens = 9;
    QTest::newRow("W9") << options << true << true << Ids(w5.begin(), w5.begin() + 9) << Places{} << 6;
    options = trl();
    options.maximumPromptTokens = 3;
    QTest::newRow("W6") << options << true << true << Ids(w1.begin() + 2, w1.end())
                        << Places{{6, 1.0F}, {10, 0.0F}} << 2;
    QTest::newRow("W7") << trl() << true << false << Ids(w1.begin() + 1, w1.end())
                        << Places{{7, 1.0F}, {11, 0.0F}} << 0;
}

void TestLayout::workedExamples()
{
    QFETCH(LayoutOptions, options);
    QFETCH(bool, training);
    QFETCH(bool, bos);
    QFETCH(Ids, ids);
    QFETCH(Places, places);
    QFETCH(int, cutTokens);
    const auto layout = makeLayout(options, toyTokenizer(bos));
    QVERIFY_RESULT(layout);
    const auto row = (*layout)->layOut(worked(), training);
    QVERIFY_RESULT(row);
    QCOMPARE(row->sequences.size(), std::size_t{1});
    QCOMPARE(row->sequences[0].ids, ids);
    QCOMPARE(supervised(*row), places);
    QCOMPARE(row->cut.tokens, cutTokens);
    const int lost = 2 - static_cast<int>(row->readOuts.size());
    QCOMPARE(row->cut.readOuts, lost);
    // W10: a soft label keeps its value; the reference makes 0 and 1 of 0.9 and 1.0.
    const auto soft = (*layout)->layOut(worked(0.9F, 1.0F), training);
    QCOMPARE(soft->sequences[0].ids, ids);
    for (const auto& [position, value] : supervised(*soft))
        QCOMPARE(value, supervised(*row)[0].second == 1.0F && position == places[0].first ? 0.9F : 1.0F);
}

void TestLayout::rolesAndSteps()
{
    using enum TokenRole;
    const auto row = (*makeLayout(trl(), toyTokenizer()))->layOut(worked(), true);
    const std::vector<TokenRole> roles{Bos,  Prompt,    Prompt, Prompt, Prompt, Step,     Step,
                                       Step, Separator, Step,   Step,   Step,   Separator};
    QVERIFY(row->sequences[0].roles == roles);
    QCOMPARE(row->sequences[0].step, (std::vector<std::int32_t>{-1, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1}));
    QCOMPARE(row->scoreStep, (std::vector<std::int32_t>{0, 1}));
    QCOMPARE(row->targets.outputs, 1);
}

void TestLayout::stepwisePutsASeparatorBehindThePrompt()
{
    LayoutOptions options;
    options.promptSeparator = "=>";
    const auto row = (*makeLayout(options, toyTokenizer()))->layOut(worked(), true);
    QCOMPARE(row->sequences[0].ids, (Ids{0, 465, 6766, 318, 298, 77, 4, 322, 12, 1030, 4995, 11, 22, 1030}));
    QCOMPARE(supervised(*row), (Places{{9, 1.0F}, {13, 0.0F}}));
    QVERIFY(row->sequences[0].roles[5] == TokenRole::Separator);
    QCOMPARE(row->sequences[0].step[5], -1);
    options.addBos = false;
    const auto bare = (*makeLayout(options, toyTokenizer()))->layOut(worked(), true);
    QCOMPARE(bare->sequences[0].ids.front(), 465);
}

void TestLayout::truncationPolicies_data()
{
    QTest::addColumn<QByteArray>("policy");
    QTest::addColumn<int>("limit");
    QTest::addColumn<Ids>("ids"); // empty = no sequence
    QTest::addColumn<Places>("places");
    QTest::addColumn<QList<int>>("cut"); // tokens, correct, wrong, read-outs, dropped
    const Ids whole{0, 465, 6766, 318, 298, 1030, 4, 322, 12, 1030, 4995, 11, 22, 1030};
    const Places both{{9, 1.0F}, {13, 0.0F}};
    const QList<int> none{0, 0, 0, 0, 0};
    const QList<int> all{14, 1, 1, 2, 1};
    for (const char* policy : {"drop-row", "cut-prompt-left", "cut-right", "fail"}) {
        QTest::addRow("%s fits", policy) << QByteArray(policy) << 14 << whole << both << none;
        QTest::addRow("%s no limit", policy) << QByteArray(policy) << kNoLimit << whole << both << none;
    }
    QTest::newRow("drop-row") << QByteArray("drop-row") << 13 << Ids{} << Places{} << all;
    QTest::newRow("cut-right, a separator")
        << QByteArray("cut-right") << 13 << Ids(whole.begin(), whole.end() - 1) << Places{{9, 1.0F}}
        << QList<int>{1, 0, 1, 1, 0};
    QTest::newRow("cut-right, all labels")
        << QByteArray("cut-right") << 9 << Ids(whole.begin(), whole.begin() + 9) << Places{}
        << QList<int>{5, 1, 1, 2, 0};
    QTest::newRow("cut-prompt-left") << QByteArray("cut-prompt-left") << 12
                                     << Ids{0, 318, 298, 1030, 4, 322, 12, 1030, 4995, 11, 22, 1030}
                                     << Places{{7, 1.0F}, {11, 0.0F}} << QList<int>{2, 0, 0, 0, 0};
    QTest::newRow("cut-prompt-left, the whole prompt")
        << QByteArray("cut-prompt-left") << 10 << Ids{0, 1030, 4, 322, 12, 1030, 4995, 11, 22, 1030}
        << Places{{5, 1.0F}, {9, 0.0F}} << QList<int>{4, 0, 0, 0, 0};
    QTest::newRow("cut-prompt-left, not enough")
        << QByteArray("cut-prompt-left") << 9 << Ids{} << Places{} << all;
}

void TestLayout::truncationPolicies()
{
    QFETCH(QByteArray, policy);
    QFETCH(int, limit);
    QFETCH(Ids, ids);
    QFETCH(Places, places);
    QFETCH(QList<int>, cut);
    LayoutOptions options;
    if (limit == kNoLimit)
        options.maximumTokens.reset();
    else
        options.maximumTokens = limit;
    options.truncation = *truncationFromId(policy.toStdString());
    const auto row = (*makeLayout(options, toyTokenizer()))->layOut(worked(), true);
    QVERIFY_RESULT(row);
    QCOMPARE(row->empty(), ids.empty());
    if (!ids.empty()) {
        QCOMPARE(row->sequences[0].ids, ids);
        QCOMPARE(row->sequences[0].roles.size(), ids.size());
        QCOMPARE(row->sequences[0].step.size(), ids.size());
    }
    QCOMPARE(supervised(*row), places);
    compareCut(row->cut, cut[0], cut[1], cut[2], cut[3], cut[4] != 0);
}

void TestLayout::everyStepIsRead()
{
    auto example = worked();
    std::get<StepwiseExample>(example.content).steps[1].label = Label::none();
    LayoutOptions options;
    const auto row = (*makeLayout(options, toyTokenizer()))->layOut(example, true);
    QCOMPARE(row->readOuts.size(), std::size_t{2});
    QCOMPARE(row->targets.mask, (std::vector<std::uint8_t>{1, 0}));
    // An unsupervised read-out that is cut is a read-out lost, and no label lost.
    options.maximumTokens = 13;
    const auto cut = (*makeLayout(options, toyTokenizer()))->layOut(example, true);
    compareCut(cut->cut, 1, 0, 0, 1);
    // So are the labels that last-step-only does not train on.
    options.maximumTokens = 9;
    options.trainOnLastStepOnly = true;
    const auto last = (*makeLayout(options, toyTokenizer()))->layOut(worked(), true);
    compareCut(last->cut, 5, 0, 1, 2);
}

void TestLayout::emptySeparatorReadsTheStepItself()
{
    for (const auto* name : {"stepwise", "trl-stepwise"}) {
        auto options = trl();
        options.name = name;
        options.stepSeparator = "";
        options.promptSeparator = "";
        const auto layout = *makeLayout(options, toyTokenizer());
        QCOMPARE(supervised(*layout->layOut(worked(), true)), (Places{{7, 1.0F}, {10, 0.0F}}));
        auto example = worked();
        std::get<StepwiseExample>(example.content).steps[1].text = "";
        const auto empty = layout->layOut(example, true);
        QVERIFY(!empty.ok());
        QVERIFY(empty.error().message.find("step 2") != std::string::npos);
    }
}

void TestLayout::rowErrorsNameTheRow()
{
    LayoutOptions options;
    options.maximumTokens = 13;
    options.truncation = Truncation::Fail;
    const auto tooLong = (*makeLayout(options, toyTokenizer()))->layOut(worked(), true);
    QVERIFY(tooLong.error().code == ErrorCode::BadData);
    QCOMPARE(tooLong.error().where, std::string("worked.jsonl, row 8"));
    QVERIFY(tooLong.error().message.find("14 tokens") != std::string::npos);

    auto mixed = worked();
    std::get<StepwiseExample>(mixed.content).steps[1].label = Label::none();
    for (const bool training : {true, false}) {
        const auto row = (*makeLayout(trl(), toyTokenizer()))->layOut(mixed, training);
        QVERIFY(!row.ok());
        QCOMPARE(row.error().where, std::string("worked.jsonl, row 8"));
    }
    // A row to be scored has no label at all.
    std::get<StepwiseExample>(mixed.content).steps[0].label = Label::none();
    QCOMPARE((*makeLayout(trl(), toyTokenizer()))->layOut(mixed, false)->readOuts.size(), std::size_t{2});

    Example empty;
    empty.content = StepwiseExample{kPrompt, {}, {}};
    auto lastOnly = trl();
    lastOnly.trainOnLastStepOnly = true;
    QVERIFY(!(*makeLayout(lastOnly, toyTokenizer()))->layOut(empty, true).ok());
    QCOMPARE((*makeLayout(lastOnly, toyTokenizer()))->layOut(empty, false)->sequences[0].ids.size(),
             std::size_t{5});
    QVERIFY((*makeLayout(trl(), nullptr))->layOut(worked(), true).error().message.find("no tokenizer") !=
            std::string::npos);
}

void TestLayout::givenTokensPassUnchanged()
{
    Example example;
    example.content =
        TokenisedExample{{5, 6, 7, 8}, {Label::none(), Label::of(1.0F), Label::none(), Label::of(0.0F)}};
    for (const auto* name : {"stepwise", "trl-stepwise"}) {
        LayoutOptions options;
        options.name = name;
        options.maximumTokens = 2;
        const auto row = (*makeLayout(options, nullptr))->layOut(example, true);
        QVERIFY_RESULT(row);
        QCOMPARE(row->sequences[0].ids, (Ids{5, 6, 7, 8}));
        QCOMPARE(supervised(*row), (Places{{1, 1.0F}, {3, 0.0F}}));
        QCOMPARE(row->scoreStep, (std::vector<std::int32_t>{0, 1}));
        QVERIFY(std::all_of(row->sequences[0].roles.begin(), row->sequences[0].roles.end(),
                            [](TokenRole role) { return role == TokenRole::Given; }));
        compareCut(row->cut, 0, 0, 0, 0);
    }
    std::get<TokenisedExample>(example.content).labels.pop_back();
    QVERIFY(!(*makeLayout(trl(), nullptr))->layOut(example, true).ok());
}

void TestLayout::refusesContradictions_data()
{
    QTest::addColumn<LayoutOptions>("options");
    QTest::addColumn<QByteArray>("named");
    auto options = trl();
    options.name = "marker";
    QTest::newRow("unknown name") << options << QByteArray("marker");
    options = trl();
    options.name = "stepwise";
    options.maximumCompletionTokens = 5;
    QTest::newRow("setting of the other layout") << options << QByteArray("trl-stepwise");
}

void TestLayout::refusesContradictions()
{
    QFETCH(LayoutOptions, options);
    QFETCH(QByteArray, named);
    const auto layout = makeLayout(options, toyTokenizer());
    QVERIFY(!layout.ok());
    QVERIFY(layout.error().code == ErrorCode::Usage);
    QVERIFY2(layout.error().text().find(named.toStdString()) != std::string::npos,
             layout.error().text().c_str());
}

void TestLayout::limitsBelowOneAreErrorsOfTheRow_data()
{
    QTest::addColumn<LayoutOptions>("options");
    QTest::addColumn<QByteArray>("named");
    for (const int tokens : {0, -1, -7}) {
        auto options = trl();
        options.maximumTokens = tokens;
        QTest::addRow("row, %d", tokens) << options << QByteArray("maximum_tokens");
        options.name = "stepwise";
        QTest::addRow("stepwise, row, %d", tokens) << options << QByteArray("maximum_tokens");
        options = trl();
        options.maximumPromptTokens = tokens;
        QTest::addRow("prompt, %d", tokens) << options << QByteArray("maximum_prompt_tokens");
        options = trl();
        options.maximumCompletionTokens = tokens;
        QTest::addRow("steps, %d", tokens) << options << QByteArray("maximum_completion_tokens");
    }
}

void TestLayout::limitsBelowOneAreErrorsOfTheRow()
{
    QFETCH(LayoutOptions, options);
    QFETCH(QByteArray, named);
    auto example = worked();
    example.source = "rows.jsonl";
    example.row = 7;
    const auto row = (*makeLayout(options, toyTokenizer()))->layOut(example, true);
    QVERIFY(!row.ok());
    QVERIFY(row.error().code == ErrorCode::BadData);
    QCOMPARE(row.error().where, std::string("rows.jsonl, row 8"));
    QVERIFY2(row.error().message.find(named.toStdString()) != std::string::npos, row.error().text().c_str());
}

void TestLayout::jsonRoundTrip()
{
    LayoutOptions options;
    options.name = "trl-stepwise";
    options.stepSeparator = "\n\"ки";
    options.promptSeparator = "";
    options.addBos = false;
    options.maximumTokens = 17;
    options.truncation = Truncation::CutPromptLeft;
    options.trainOnLastStepOnly = true;
    options.maximumPromptTokens = 3;
    options.maximumCompletionTokens = 4;
    options.appendEos = false;
    options.parseSpecial = true;
    const auto read = layoutFromJson(layoutToJson(options));
    QVERIFY_RESULT(read);
    QVERIFY(*read == options);
    options.maximumTokens.reset();
    options.maximumPromptTokens.reset();
    QVERIFY(*layoutFromJson(layoutToJson(options)) == options);
    QVERIFY(*layoutFromJson("{}") == LayoutOptions());
}

void TestLayout::jsonErrors_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("nothing") << QByteArray("") << QByteArray("not a JSON object");
    QTest::newRow("list") << QByteArray("[]") << QByteArray("not a JSON object");
    QTest::newRow("unknown key") << QByteArray(R"({"nam":"stepwise"})") << QByteArray("nam");
    QTest::newRow("twice") << QByteArray(R"({"name":"stepwise","name":"stepwise"})") << QByteArray("twice");
    QTest::newRow("number as text") << QByteArray(R"({"maximum_tokens":"9"})")
                                    << QByteArray("maximum_tokens");
    QTest::newRow("fraction") << QByteArray(R"({"maximum_tokens":9.5})") << QByteArray("maximum_tokens");
    QTest::newRow("2^64 - 1") << QByteArray(R"({"maximum_prompt_tokens":18446744073709551615})")
                              << QByteArray("range");
    QTest::newRow("text as flag") << QByteArray(R"({"add_bos":1})") << QByteArray("add_bos");
    QTest::newRow("policy") << QByteArray(R"({"truncation":"cut"})") << QByteArray("cut");
    QTest::newRow("nested") << QByteArray(R"({"name":{"a":[]}})") << QByteArray("nested");
    QTest::newRow("deep") << QByteArray(100000, '[') << QByteArray("nested");
}

void TestLayout::jsonErrors()
{
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, named);
    const auto options = layoutFromJson(json.toStdString());
    QVERIFY(!options.ok());
    QVERIFY(options.error().code == ErrorCode::BadModel);
    QVERIFY2(options.error().message.find(named.toStdString()) != std::string::npos,
             options.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
