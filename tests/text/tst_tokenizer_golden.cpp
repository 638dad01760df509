#include "core/base/durable_file.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode/code_points.h"
#include "tests/support/golden_json.h"

#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;

namespace {

namespace fs = std::filesystem;
using Ids = std::vector<TokenId>;

std::vector<Json> linesOf(const fs::path& path)
{
    std::vector<Json> rows;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        rows.push_back(Json::parse(line));
    return rows;
}

Ids idsOf(const std::vector<TokenPiece>& pieces)
{
    Ids ids;
    for (const auto& piece : pieces)
        ids.push_back(piece.id);
    return ids;
}

/// Bytes [begin, end) as characters of the text.
Json characters(const std::string& text, std::int32_t begin, std::int32_t end)
{
    const auto count = [&text](std::int32_t bytes) {
        return countCodePoints(std::string_view(text).substr(0, static_cast<std::size_t>(bytes)));
    };
    return Json::array({count(begin), count(end)});
}

Json offsetsOf(const std::string& text, const std::vector<TokenPiece>& pieces)
{
    auto offsets = Json::array();
    for (const auto& piece : pieces)
        offsets.push_back(characters(text, piece.begin, piece.end));
    return offsets;
}

Ids withoutSpecial(const Tokenizer& tokenizer, const Ids& ids)
{
    Ids left;
    for (const auto id : ids)
        if (!tokenizer.isSpecial(id))
            left.push_back(id);
    return left;
}

/// What differs from an expected line; empty = nothing.
std::string differenceOf(const Tokenizer& tokenizer, const Json& row)
{
    const auto text = row.at("text").get<std::string>();
    const auto& ids = row.at("ids");
    const auto parsed = tokenizer.encodeParsed(text);
    if (Json(idsOf(parsed)) != ids)
        return "ids: " + Json(idsOf(parsed)).dump() + " expected " + ids.dump();
    if (offsetsOf(text, parsed) != row.at("offsets"))
        return "offsets: " + offsetsOf(text, parsed).dump() + " expected " + row.at("offsets").dump();
    if (Json(tokenizer.decode(idsOf(parsed))) != row.at("decoded"))
        return "decoded: " + Json(tokenizer.decode(idsOf(parsed))).dump() + " expected " +
               row.at("decoded").dump();
    const auto plain = row.value("ids_special_tokens_as_plain_text", ids);
    if (Json(tokenizer.encode(text)) != plain || Json(idsOf(tokenizer.encodeWithOffsets(text))) != plain)
        return "ids as plain text: " + Json(tokenizer.encode(text)).dump() + " expected " + plain.dump();
    const auto templated = idsOf(tokenizer.encodeTemplated(text, std::nullopt).pieces);
    if (Json(templated) != row.at("ids_with_special"))
        return "ids with special: " + Json(templated).dump() + " expected " +
               row.at("ids_with_special").dump();
    const auto skipped = tokenizer.decode(withoutSpecial(tokenizer, templated));
    const auto expected = row.value("decoded_with_special_skipped", row.at("decoded").get<std::string>());
    return skipped == expected
               ? ""
               : "without special: " + Json(skipped).dump() + " expected " + Json(expected).dump();
}

std::string pairDifferenceOf(const Tokenizer& tokenizer, const Json& row)
{
    const auto text = row.at("text").get<std::string>(), second = row.at("pair").get<std::string>();
    const auto pair = tokenizer.encodeTemplated(text, second);
    auto offsets = Json::array(), texts = Json::array();
    for (std::size_t i = 0; i < pair.pieces.size(); ++i) {
        const auto& piece = pair.pieces[i];
        offsets.push_back(characters(pair.texts[i] == 1 ? second : text, piece.begin, piece.end));
        texts.push_back(pair.texts[i] < 0 ? Json() : Json(pair.texts[i]));
    }
    if (Json(idsOf(pair.pieces)) != row.at("ids_with_special"))
        return "ids: " + Json(idsOf(pair.pieces)).dump() + " expected " + row.at("ids_with_special").dump();
    if (Json(pair.types) != row.at("type_ids"))
        return "types: " + Json(pair.types).dump();
    return offsets == row.at("offsets") && texts == row.at("sequence_ids")
               ? ""
               : "offsets or texts: " + offsets.dump() + texts.dump();
}

bool hasIdBeyond(const Json& ids, std::int32_t size)
{
    return std::any_of(ids.begin(), ids.end(),
                       [size](const Json& id) { return id.get<std::int32_t>() >= size; });
}

struct Vocabulary
{
    fs::path folder;
    std::string name;
};

std::vector<Vocabulary> goldenTokenizers()
{
    std::vector<Vocabulary> found;
    const auto folder = testData() / "golden-hf" / "tokenizers";
    if (!fs::exists(folder))
        return found;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_directory())
            found.push_back({entry.path(), entry.path().filename().string()});
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
}

} // namespace

/// Ids, offsets and texts of every kind of vocabulary file, as the library that the field uses gives them.
class TestTokenizerGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfFile_data();
    void everyKindOfFile();
};

void TestTokenizerGolden::everyKindOfFile_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QStringList>("files");
    for (const auto& [folder, name] : goldenTokenizers()) {
        const auto add = [folder = folder, name = name](const QString& kind, const QStringList& files) {
            QTest::newRow((name + ", " + kind.toStdString()).c_str())
                << QString::fromStdString(folder.string()) << files;
        };
        add("tokenizer.json", {"tokenizer.json"});
        if (fs::exists(folder / "vocab.txt"))
            add("vocab.txt", {"vocab.txt"});
        if (fs::exists(folder / "merges.txt"))
            add("vocab.json and merges.txt", {"vocab.json", "merges.txt"});
    }
}

void TestTokenizerGolden::everyKindOfFile()
{
    NEED_TEST_DATA("golden-hf/tokenizers");
    QFETCH(QString, folder);
    QFETCH(QStringList, files);
    // A folder with nothing but these files, so that the other kinds cannot be taken instead.
    const QTemporaryDir alone;
    const fs::path source = folder.toStdString(), path = alone.path().toStdString();
    files << "tokenizer_config.json";
    for (const auto& file : files)
        fs::copy_file(source / file.toStdString(), path / file.toStdString());
    const auto opened = openTokenizer(path);
    QVERIFY_RESULT(opened);
    const auto& tokenizer = **opened;

    const auto rows = linesOf(source / "expected.jsonl");
    QVERIFY(!rows.empty());
    int wrong = 0, beyond = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // Tokens that were added in tokenizer.json only are in no other file.
        if (hasIdBeyond(rows[i].at("ids_with_special"), tokenizer.vocabularySize())) {
            ++beyond;
            continue;
        }
        const auto difference = differenceOf(tokenizer, rows[i]);
        if (difference.empty())
            continue;
        ++wrong;
        qWarning("line %zu, %s: %s", i + 1, rows[i].at("text").dump().c_str(), difference.c_str());
    }
    const auto pairs = linesOf(source / "pairs.jsonl");
    QVERIFY(!pairs.empty());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto difference = pairDifferenceOf(tokenizer, pairs[i]);
        if (difference.empty())
            continue;
        ++wrong;
        qWarning("pair %zu: %s", i + 1, difference.c_str());
    }
    QCOMPARE(wrong, 0);
    QVERIFY(beyond == 0 || (files.front() == "vocab.json" && beyond < 15));
    qInfo("%zu texts, %zu pairs equal; %d texts with tokens that this file does not have",
          rows.size() - static_cast<std::size_t>(beyond), pairs.size(), beyond);
}

QTEST_GUILESS_MAIN(TestTokenizerGolden)
#include "tst_tokenizer_golden.moc"
