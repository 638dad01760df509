#include "core/base/random.h"
#include "tests/fuzz/fuzz_tokenizer.h"
#include "tests/support/golden_json.h"

#include <QTest>

#include <unistd.h>

#include <fstream>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr int kMutations = 1000;
constexpr unsigned kSecondsPerInput = 20;

std::filesystem::path corpus()
{
    return std::filesystem::path(qgetenv("ASSAY_SOURCE_DIR").toStdString()) /
           "tests/fuzz/corpus/tokenizer_json";
}

/// Every value of a document, the document itself first.
void collect(Json& json, std::vector<Json*>& values)
{
    values.push_back(&json);
    for (auto& child : json)
        if (json.is_structured())
            collect(child, values);
}

/// A document that is still JSON, with one to three of its values removed, repeated, exchanged or replaced.
Json mutated(Json json, RandomStream& random)
{
    const std::vector<Json> strangers{nullptr,
                                      true,
                                      -1,
                                      0,
                                      1,
                                      4194303,
                                      1e300,
                                      "",
                                      "a",
                                      "\xe2\x96\x81",
                                      "Sequence",
                                      "ByteLevel",
                                      "(a|aa)+$",
                                      std::string(1024, 'a'),
                                      Json::array(),
                                      Json::object(),
                                      {{"String", "a"}},
                                      {{"Regex", "\\s*"}}};
    for (auto changes = random.between(1, 3); changes > 0; --changes) {
        std::vector<Json*> values;
        collect(json, values);
        auto& value = *values[random.below(values.size())];
        const Json other = *values[random.below(values.size())]; // a copy: it may hold `value`
        switch (random.below(5)) {
        case 0:
            value = Json(other);
            break;
        case 1:
            value = strangers[random.below(strangers.size())];
            break;
        case 2:
            if (value.is_structured() && !value.empty())
                value.erase(
                    std::next(value.begin(), static_cast<std::ptrdiff_t>(random.below(value.size()))));
            break;
        case 3:
            if (value.is_array())
                for (int i = 0; i < 40; ++i)
                    value.push_back(Json(other));
            break;
        default:
            if (value.is_string())
                value = value.get<std::string>() + static_cast<char>('!' + random.below(90));
            else if (value.is_number_integer())
                value = value.get<std::int64_t>() + random.between(-2, 2);
        }
    }
    return json;
}

} // namespace

/// A tokenizer.json that was changed inside its structure, where bytes changed at random would only break the
/// JSON, is an error or a tokenizer that encodes within limits. A hang ends by the alarm.
class TestHostileTokenizers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void mutations_data();
    void mutations();
};

void TestHostileTokenizers::mutations_data()
{
    QTest::addColumn<QString>("file");
    for (const auto* name : {"byte_bpe.json", "unigram.json", "word_piece.json"})
        QTest::newRow(name) << QString(name);
}

void TestHostileTokenizers::mutations()
{
    QFETCH(QString, file);
    std::ifstream stream(corpus() / file.toStdString());
    const auto original = Json::parse(stream);
    int opened = 0, refused = 0;
    for (int seed = 0; seed < kMutations; ++seed) {
        RandomStream random(static_cast<std::uint64_t>(seed), file.toStdString());
        const auto bytes = mutated(original, random).dump();
        ::alarm(kSecondsPerInput);
        const auto tokenizer = openTokenizerJson(TokenizerFiles("tokenizer.json", bytes));
        fuzz::checkTokenizer(tokenizer);
        ::alarm(0);
        ++(tokenizer.ok() ? opened : refused);
    }
    qInfo("%d opened, %d refused", opened, refused);
    QVERIFY(opened > kMutations / 20);
    QVERIFY(refused > kMutations / 20);
}

QTEST_GUILESS_MAIN(TestHostileTokenizers)
#include "tst_hostile_tokenizers.moc"
