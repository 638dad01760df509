#include "core/base/durable_file.h"
#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace assay;

namespace {

std::vector<nlohmann::json> lines(const std::filesystem::path& path)
{
    std::istringstream text(*readFile(path));
    std::vector<nlohmann::json> rows;
    for (std::string line; std::getline(text, line);)
        rows.push_back(nlohmann::json::parse(line));
    return rows;
}

} // namespace

/// Ids and decoded texts of real vocabularies, as the sentencepiece library of the reference gives them.
class TestSentencePieceGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void derived_data();
    void derived();
    void huggingFace_data();
    void huggingFace();
    void everyModelOpens();

private:
    void compare(const Tokenizer& tokenizer, const std::string& text, const std::vector<TokenId>& ids,
                 const std::string& decoded);
};

void TestSentencePieceGolden::compare(const Tokenizer& tokenizer, const std::string& text,
                                      const std::vector<TokenId>& ids, const std::string& decoded)
{
    QVERIFY2(tokenizer.encode(text) == ids, text.c_str());
    QVERIFY2(tokenizer.decode(ids) == decoded, (text + " -> " + tokenizer.decode(ids)).c_str());
    std::int32_t position = 0;
    std::size_t i = 0;
    for (const auto& piece : tokenizer.encodeWithOffsets(text)) {
        QCOMPARE(piece.id, ids.at(i++));
        QVERIFY2(piece.begin >= position && piece.end >= piece.begin, text.c_str());
        position = piece.end;
    }
    QCOMPARE(i, ids.size());
    QVERIFY(position <= static_cast<std::int32_t>(text.size()));
}

void TestSentencePieceGolden::derived_data()
{
    QTest::addColumn<QString>("expected");
    const auto folder = tests::testData() / "derived-spm-expected";
    if (!std::filesystem::exists(folder))
        return;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".jsonl")
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
}

void TestSentencePieceGolden::derived()
{
    NEED_TEST_DATA("derived-spm-expected");
    QFETCH(QString, expected);
    const std::filesystem::path path = expected.toStdString();
    auto name = path.filename().string();
    name = name.substr(0, name.find(".expected"));
    const auto tokenizer = openTokenizer(tests::testData() / "tok-sentencepiece" / (name + ".model"));
    QVERIFY_RESULT(tokenizer);
    const auto summary =
        nlohmann::json::parse(*readFile(path.parent_path() / "summary.json"))[name + ".model"];
    const auto special = [](const std::optional<TokenId>& id) { return id.value_or(-1); };
    QCOMPARE((*tokenizer)->vocabularySize(), summary["size"].get<int>());
    QCOMPARE(special((*tokenizer)->special().bos), summary["bos"].get<int>());
    QCOMPARE(special((*tokenizer)->special().eos), summary["eos"].get<int>());
    QCOMPARE(special((*tokenizer)->special().pad), summary["pad"].get<int>());
    QCOMPARE(special((*tokenizer)->special().unk), summary["unk"].get<int>());
    const auto rows = lines(path);
    QCOMPARE(static_cast<int>(rows.size()), summary["rows"].get<int>());
    for (const auto& row : rows)
        compare(**tokenizer, row["text"].get<std::string>(), row["ids"].get<std::vector<TokenId>>(),
                row["decoded"].get<std::string>());
    qInfo("%zu texts", rows.size());
}

void TestSentencePieceGolden::huggingFace_data()
{
    QTest::addColumn<QString>("model");
    const auto list = tests::testData() / "golden-hf" / "tokenizers" / "tokenizers.json";
    if (!std::filesystem::exists(list))
        return;
    const auto all = nlohmann::json::parse(*readFile(list));
    for (const auto& [name, entry] : all.items())
        if (entry["spm_model"].is_string())
            QTest::newRow(name.c_str()) << QString::fromStdString(
                (list.parent_path() / name / entry["spm_model"].get<std::string>()).string());
}

void TestSentencePieceGolden::huggingFace()
{
    NEED_TEST_DATA("golden-hf/tokenizers");
    QFETCH(QString, model);
    const std::filesystem::path path = model.toStdString();
    const auto tokenizer = openTokenizer(path);
    QVERIFY_RESULT(tokenizer);
    const auto rows = lines(path.parent_path() / "expected.jsonl");
    QVERIFY(!rows.empty());
    for (const auto& row : rows) {
        const auto& ids = row.contains("sentencepiece_ids") ? row["sentencepiece_ids"] : row["ids"];
        const auto& decoded =
            row.contains("sentencepiece_decoded") ? row["sentencepiece_decoded"] : row["decoded"];
        compare(**tokenizer, row["text"].get<std::string>(), ids.get<std::vector<TokenId>>(),
                decoded.get<std::string>());
    }
    qInfo("%zu texts", rows.size());
}

void TestSentencePieceGolden::everyModelOpens()
{
    NEED_TEST_DATA("tok-sentencepiece");
    // The checks in front of the library must let every real model through.
    int opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::testData() / "tok-sentencepiece")) {
        if (entry.path().extension() != ".model" && entry.path().extension() != ".spm")
            continue;
        const auto tokenizer = openTokenizer(entry.path());
        QVERIFY2(tokenizer.ok(), tokenizer.ok() ? "" : tokenizer.error().text().c_str());
        ++opened;
    }
    QVERIFY(opened > 0);
    qInfo("%d models", opened);
}

QTEST_GUILESS_MAIN(TestSentencePieceGolden)
#include "tst_sentencepiece_golden.moc"
