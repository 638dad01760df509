#include "core/data/format.h"
#include "core/text/layout.h"
#include "tests/support/golden_json.h"

#include <QTemporaryDir>

#include <map>

using namespace assay;
using namespace assay::tests;

namespace {

bool hasTemplate(const Json& row)
{
    return !row.at("options").at("chat_template").is_null();
}

/// The kind by what the row, its options and the expectation hold, never by its number.
std::string kindOf(const Json& row)
{
    if (hasTemplate(row))
        return std::string("conversation with a chat template") +
               (row.at("expected").contains("error") ? ", refused by it" : "");
    std::string kind = row.at("kind").get<std::string>();
    kind += row.at("options").at("add_bos").get<bool>() ? ", with BOS" : ", without BOS";
    return kind + (row.at("expected").contains("dropped") ? ", dropped" : ", kept");
}

LayoutOptions optionsOf(const Json& row)
{
    const auto& given = row.at("options");
    LayoutOptions options;
    options.name = "trl-pairwise";
    options.addBos = given.at("add_bos").get<bool>();
    options.maximumTokens.reset();
    if (!given.at("max_length").is_null())
        options.maximumTokens = given.at("max_length").get<std::int32_t>();
    return options;
}

/// The tokenizer of the set in a folder with this template; without one for "".
Result<TokenizerPtr> tokenizerWith(const std::string& chatTemplate)
{
    const auto model = testData() / "derived-stories260k-hf" / "tokenizer.model";
    if (chatTemplate.empty())
        return openTokenizer(model);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::filesystem::copy_file(model, path / "tokenizer.model");
    std::filesystem::copy_file(testData() / "chat-templates" / (chatTemplate + ".jinja"),
                               path / "chat_template.jinja");
    return openTokenizer(path);
}

/// What differs from the expected row; empty = nothing.
std::string differenceOf(const LaidOut& laid, const Json& row)
{
    const auto& expected = row.at("expected");
    if (expected.contains("dropped")) {
        if (!laid.cut.dropped || !laid.empty() || laid.cut.readOuts != 2)
            return "not dropped";
        const auto lengths = std::vector<std::int32_t>{expected.at("chosen_length").get<std::int32_t>(),
                                                       expected.at("rejected_length").get<std::int32_t>()};
        return laid.cut.lengths == lengths && laid.cut.tokens == lengths[0] + lengths[1] ? "" : "lengths";
    }
    if (laid.empty() || laid.cut.dropped || laid.cut.tokens != 0)
        return "cut or dropped";
    for (std::size_t side = 0; side < 2; ++side) {
        const auto ids = expected.at(side == 0 ? "chosen_ids" : "rejected_ids").get<std::vector<TokenId>>();
        if (laid.sequences.at(side).ids != ids)
            return "ids of side " + std::to_string(side);
        const auto& readOut = laid.readOuts.at(side);
        const auto position = row.at("score_index_by_true_length").at(side).get<std::int32_t>();
        if (readOut.sequence != static_cast<std::int32_t>(side) ||
            readOut.spans != std::vector<Span>{{position, position + 1}})
            return "read-out of side " + std::to_string(side);
    }
    return {};
}

} // namespace

/// Ids and read-outs of TRL's RewardTrainer for every row of the golden set.
class TestPreferenceGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trlPairwise();
};

void TestPreferenceGolden::trlPairwise()
{
    NEED_TEST_DATA("golden-trl/pairwise_tokenize.jsonl");
    NEED_TEST_DATA("derived-stories260k-hf/tokenizer.model");
    const auto rows = readJsonLines("golden-trl/pairwise_tokenize.jsonl");
    QVERIFY(!rows.empty());
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString() + "/inputs.jsonl";
    std::ofstream file(path);
    for (const auto& row : rows)
        file << row.at("input").dump() << '\n';
    file.close();
    const auto dataset = openDataset(path);
    QVERIFY_RESULT(dataset);
    QCOMPARE((*dataset)->size(), static_cast<std::int64_t>(rows.size()));
    std::map<std::string, TokenizerPtr> tokenizers;

    std::map<std::string, int> table;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        const auto id = row.at("id").get<std::string>();
        ++table[kindOf(row)];
        const auto name = hasTemplate(row) ? row.at("options").at("chat_template").get<std::string>() : "";
        if (!tokenizers.contains(name)) {
            const auto opened = tokenizerWith(name);
            QVERIFY_RESULT(opened);
            tokenizers[name] = *opened;
        }
        const auto layout = makeLayout(optionsOf(row), tokenizers[name]);
        QVERIFY_RESULT(layout);
        const auto laid = (*layout)->layOut((*dataset)->at(static_cast<std::int64_t>(i)), true);
        if (row.at("expected").contains("error")) {
            QVERIFY2(!laid.ok() && laid.error().where.ends_with("row " + std::to_string(i + 1)), id.c_str());
            continue;
        }
        QVERIFY2(laid.ok(), laid.ok() ? "" : (id + ": " + laid.error().text()).c_str());
        const auto difference = differenceOf(*laid, row);
        QVERIFY2(difference.empty(), (id + ": " + difference).c_str());
    }
    for (const auto& [kind, count] : table)
        qInfo("%-48s %4d", kind.c_str(), count);
}

QTEST_GUILESS_MAIN(TestPreferenceGolden)
#include "tst_preference_golden.moc"
