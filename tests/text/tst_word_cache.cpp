#include "core/base/random.h"
#include "core/text/unicode/code_points.h"
#include "core/text/vocabulary/bpe.h"
#include "core/text/vocabulary/unigram.h"
#include "core/text/vocabulary/word_cache.h"
#include "core/text/vocabulary/wordpiece.h"
#include "tests/support/golden_json.h"

#include <atomic>
#include <thread>

using namespace assay;
using namespace assay::tests;

namespace {

/// One token for each character, and how often it was asked.
class CountingModel : public TokenModel
{
public:
    std::vector<ModelToken> tokenize(std::string_view word) const override
    {
        ++m_calls;
        std::vector<ModelToken> tokens;
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(word.size()); ++i)
            tokens.push_back({word[static_cast<std::size_t>(i)], {i, i + m_tokenBytes}});
        return tokens;
    }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }
    int takeCalls() { return m_calls.exchange(0); }
    void setTokenBytes(std::int32_t bytes) { m_tokenBytes = bytes; }

private:
    Vocabulary m_vocabulary;
    mutable std::atomic<int> m_calls = 0;
    std::int32_t m_tokenBytes = 1;
};

bool sameTokens(const std::vector<ModelToken>& a, const std::vector<ModelToken>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ModelToken& x, const ModelToken& y) {
        return x.id == y.id && x.range == y.range;
    });
}

Json modelOf(const std::string& folder)
{
    std::ifstream file(testData() / "golden-hf/tokenizers" / folder / "tokenizer.json");
    return Json::parse(file).at("model");
}

Vocabulary vocabularyOf(const Json& model)
{
    Vocabulary vocabulary;
    const auto& list = model.at("vocab");
    std::int64_t next = 0;
    for (const auto& [piece, id] : list.items()) {
        const auto status = list.is_array() ? vocabulary.add(id[0].get<std::string>(), next++)
                                            : vocabulary.add(piece, id.get<std::int64_t>());
        CHECK(status.ok(), "a vocabulary of the golden files");
    }
    return vocabulary;
}

TokenModelPtr bareModel(const std::string& folder)
{
    const auto model = modelOf(folder);
    const auto type = model.at("type").get<std::string>();
    if (type == "WordPiece")
        return makeWordPiece(vocabularyOf(model), {}).value();
    if (type == "Unigram") {
        std::vector<double> scores;
        for (const auto& entry : model.at("vocab"))
            scores.push_back(entry[1].get<double>());
        return makeUnigram(vocabularyOf(model), scores, model.at("unk_id").get<TokenId>(), true).value();
    }
    std::vector<BpeMerge> merges;
    for (const auto& merge : model.at("merges")) {
        const auto text = merge.is_string() ? merge.get<std::string>()
                                            : merge[0].get<std::string>() + " " + merge[1].get<std::string>();
        merges.push_back({text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1),
                          static_cast<std::int32_t>(merges.size())});
    }
    BpeOptions options;
    options.byteLevel = folder.ends_with("byte-bpe");
    options.byteFallback = !options.byteLevel;
    options.ignoreMerges = model.value("ignore_merges", false);
    return makeBpe(vocabularyOf(model), merges, options).value();
}

/// The words of all golden texts, pieces of them cut anywhere, and what bytes of any kind become (a model
/// sees UTF-8).
std::vector<std::string> wordsOf(const std::string& folder)
{
    std::vector<std::string> words;
    std::ifstream file(testData() / "golden-hf/tokenizers" / folder / "expected.jsonl");
    RandomStream random(7, folder);
    for (std::string line; std::getline(file, line);) {
        const auto text = Json::parse(line).at("text").get<std::string>();
        for (std::size_t at = 0; at < text.size();) {
            const auto end = std::min(text.find(' ', at + 1), text.size());
            words.push_back(text.substr(at, end - at));
            at = end;
        }
        for (int i = 0; i < 20 && !text.empty(); ++i)
            words.push_back(toValidUtf8(text.substr(
                static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1)),
                static_cast<std::size_t>(random.between(1, 40)))));
    }
    for (int i = 0; i < 3000; ++i) {
        std::string word;
        for (auto left = random.between(0, 34); left > 0; --left)
            word += static_cast<char>(random.between(0, 255));
        words.push_back(toValidUtf8(word));
    }
    return words;
}

std::string numbered(int number)
{
    return "w" + std::to_string(number);
}

} // namespace

/// A model with a word cache says what it says without, whoever asks in whatever order, and its memory is
/// bounded.
class TestWordCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sameTokensFromManyThreads_data();
    void sameTokensFromManyThreads();
    void wordsAreCutOnce();
    void notKept_data();
    void notKept();
    void keepsNoMoreThanItsLimit();
    void tokensBeyondTheWordAreNotKept();
};

void TestWordCache::sameTokensFromManyThreads_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto* folder : {"bert-wordpiece-uncased", "deberta-v3-spm-unigram", "gpt2-byte-bpe",
                               "llama-spm-bpe", "llama3-byte-bpe", "metaspace-unigram", "qwen2-byte-bpe"})
        QTest::newRow(folder) << QString(folder);
}

void TestWordCache::sameTokensFromManyThreads()
{
    QFETCH(QString, folder);
    if (!std::filesystem::exists(testData() / "golden-hf"))
        QSKIP("the golden files are not there");
    const auto model = bareModel(folder.toStdString());
    const auto cached = withWordCache(model);
    const auto words = wordsOf(folder.toStdString());
    QVERIFY2(words.size() > 4000, std::to_string(words.size()).c_str());
    std::vector<std::vector<ModelToken>> expected;
    for (const auto& word : words)
        expected.push_back(model->tokenize(word));
    std::atomic<int> different = 0;
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t seed = 0; seed < 4; ++seed)
            threads.emplace_back([&, seed] {
                RandomStream random(seed, "order");
                for (std::size_t i = 0; i < 3 * words.size(); ++i) {
                    const auto at = static_cast<std::size_t>(
                        random.between(0, static_cast<std::int64_t>(words.size()) - 1));
                    different += sameTokens(cached->tokenize(words[at]), expected[at]) ? 0 : 1;
                }
            });
    }
    QCOMPARE(different.load(), 0);
    QCOMPARE(&cached->vocabulary(), &model->vocabulary());
}

void TestWordCache::wordsAreCutOnce()
{
    const auto model = std::make_shared<CountingModel>();
    const auto cached = withWordCache(model);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 100; ++i) {
            const auto word = numbered(i);
            QVERIFY(sameTokens(cached->tokenize(word), CountingModel().tokenize(word)));
        }
    }
    // Three of a hundred words may want the two places of one set.
    QVERIFY2(model->takeCalls() <= 110, "repeated words go to the model again");
}

void TestWordCache::notKept_data()
{
    QTest::addColumn<QString>("word");
    QTest::addColumn<int>("calls");
    const auto letters = [](std::size_t count) {
        return QString(static_cast<qsizetype>(count), QLatin1Char('a'));
    };
    QTest::newRow("as many tokens as fit") << letters(WordCacheLimits::kTokens) << 1;
    QTest::newRow("a token too many") << letters(WordCacheLimits::kTokens + 1) << 5;
    QTest::newRow("a byte too many") << letters(WordCacheLimits::kWordBytes + 1) << 5;
    QTest::newRow("nothing") << QString() << 5;
}

void TestWordCache::notKept()
{
    QFETCH(QString, word);
    QFETCH(int, calls);
    const auto model = std::make_shared<CountingModel>();
    const auto cached = withWordCache(model);
    for (int i = 0; i < 5; ++i)
        QVERIFY(
            sameTokens(cached->tokenize(word.toStdString()), CountingModel().tokenize(word.toStdString())));
    QCOMPARE(model->takeCalls(), calls);
}

void TestWordCache::keepsNoMoreThanItsLimit()
{
    const auto model = std::make_shared<CountingModel>();
    const auto cached = withWordCache(model);
    const int many = 4 * static_cast<int>(WordCacheLimits::kWords);
    for (int i = 0; i < many; ++i)
        cached->tokenize(numbered(i));
    QCOMPARE(model->takeCalls(), many);
    // Asked backwards the newest come first, before they are pushed out by the question for the older ones.
    for (int i = many - 1; i >= 0; --i)
        QVERIFY(sameTokens(cached->tokenize(numbered(i)), CountingModel().tokenize(numbered(i))));
    const int kept = many - model->takeCalls();
    QVERIFY2(kept <= static_cast<int>(WordCacheLimits::kWords), std::to_string(kept).c_str());
    QVERIFY2(kept > static_cast<int>(WordCacheLimits::kWords) / 2, std::to_string(kept).c_str());
}

void TestWordCache::tokensBeyondTheWordAreNotKept()
{
    const auto model = std::make_shared<CountingModel>();
    model->setTokenBytes(300);
    const auto cached = withWordCache(model);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(cached->tokenize("ab").at(1).range.end, 301);
    QCOMPARE(model->takeCalls(), 3);
}

QTEST_GUILESS_MAIN(TestWordCache)
#include "tst_word_cache.moc"
