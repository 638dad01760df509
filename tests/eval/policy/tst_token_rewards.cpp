// What a policy trainer gets: the values of the reference (7.6), and lists that do not fit.
#include "core/eval/policy/token_rewards.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

using namespace assay;

using Numbers = QList<double>;
using Ids = QList<qlonglong>;

namespace {

bool near(const std::vector<double>& values, const Numbers& expected)
{
    return std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
                      [](double a, double b) { return std::abs(a - b) < 1e-6; });
}

std::vector<std::int64_t> vectorOf(const Ids& ids)
{
    return {ids.begin(), ids.end()};
}

} // namespace

class TestTokenRewards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stops_data()
    {
        QTest::addColumn<Ids>("ids");
        QTest::addColumn<qlonglong>("kept");
        QTest::newRow("first") << Ids{869, 30, 869} << 1LL;
        QTest::newRow("the other first") << Ids{2, 30, 869} << 1LL;
        QTest::newRow("last") << Ids{50, 30, 869} << 3LL;
        QTest::newRow("middle") << Ids{13, 2, 20} << 2LL;
        QTest::newRow("twice") << Ids{2, 2, 2} << 1LL;
        QTest::newRow("none") << Ids{5, 6, 7} << 3LL;
        QTest::newRow("empty") << Ids{} << 0LL;
    }
    void stops()
    {
        QFETCH(Ids, ids);
        QFETCH(qlonglong, kept);
        const std::vector<std::int64_t> stopTokens{2, 869};
        QCOMPARE(responseTokens(vectorOf(ids), stopTokens), kept);
    }

    void rewards_data()
    {
        QTest::addColumn<double>("score");
        QTest::addColumn<Numbers>("own");
        QTest::addColumn<Numbers>("reference");
        QTest::addColumn<Numbers>("expected");
        QTest::newRow("1") << 1.0 << Numbers{.1, .2, .3} << Numbers{.2, .3, .4} << Numbers{.05, .05, 1.05};
        QTest::newRow("2") << 2.0 << Numbers{.4, .5, .6} << Numbers{.6, .7, .8} << Numbers{.1, .1, 2.1};
        QTest::newRow("3") << 3.0 << Numbers{.6, .7, .8} << Numbers{.9, 1, 1.1} << Numbers{.15, .15, 3.15};
    }
    void rewards()
    {
        QFETCH(double, score);
        QFETCH(Numbers, own);
        QFETCH(Numbers, reference);
        QFETCH(Numbers, expected);
        TokenRewardOptions options;
        options.divergenceWeight = 0.5;
        const auto result = tokenRewards(
            {score, {}, {own.begin(), own.end()}, {reference.begin(), reference.end()}, {}}, options);
        QVERIFY_RESULT(result);
        QVERIFY(near(result->rewards, expected));
        QVERIFY(std::abs(result->meanDivergence + 0.1 * score) < 1e-12);
        QVERIFY(result->returns.empty());
    }

    void generalisedAdvantages()
    {
        TokenRewardOptions options;
        options.divergenceWeight = 0.0;
        options.discount = 0.9;
        const std::vector<double> nothing(4, 0.0), end{0.0, 0.0, 0.0, 1.0};
        const auto result = tokenRewards({1.0, {}, nothing, nothing, end}, options);
        QVERIFY_RESULT(result);
        QVERIFY(near(result->returns, {.657923, .7695, .9, 1.0}));
        QVERIFY(near(result->advantages, {.657923, .7695, .9, 0.0}));
    }

    /// What comes after the stop token has no part in any figure: mean and variance of 1, 2, 3 of 5.
    void masked()
    {
        TokenRewardOptions options;
        options.stopTokens = {7};
        const auto result =
            tokenRewards({0.0, {5, 6, 7, 5, 7}, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0}, {}}, options);
        QVERIFY_RESULT(result);
        QCOMPARE(result->tokens, 3);
        QVERIFY(result->stopped);
        QCOMPARE(result->meanDivergence, 2.0);
        QCOMPARE(result->divergenceVariance.value(), 1.0);
        QCOMPARE(result->rewards.size(), 3U);
    }

    void withoutStop_data()
    {
        QTest::addColumn<bool>("punished");
        QTest::addColumn<Ids>("ids");
        QTest::addColumn<double>("last");
        QTest::newRow("none, and a score for that") << true << Ids{5, 6} << -3.0;
        QTest::newRow("none, and no score for that") << false << Ids{5, 6} << 2.0;
        QTest::newRow("one") << true << Ids{5, 7} << 2.0;
    }
    void withoutStop()
    {
        QFETCH(bool, punished);
        QFETCH(Ids, ids);
        QFETCH(double, last);
        TokenRewardOptions options;
        options.stopTokens = {7};
        if (punished)
            options.scoreWithoutStop = -3.0;
        const auto result = tokenRewards({2.0, vectorOf(ids), {-1, -1}, {-1, -1}, {}}, options);
        QVERIFY_RESULT(result);
        QCOMPARE(result->rewards.back(), last);
    }

    void oneTokenHasNoVariance()
    {
        const auto result = tokenRewards({1.0, {}, {-1}, {-2}, {}}, {});
        QVERIFY_RESULT(result);
        QVERIFY(!result->divergenceVariance);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << "empty"
                                 << "no token";
        QTest::newRow("another length") << "reference"
                                        << "reference_logprobs has 1 entries";
        QTest::newRow("ids of another length") << "ids"
                                               << "ids has 3 entries";
        QTest::newRow("values of another length") << "values"
                                                  << "values has 1 entries";
        QTest::newRow("no ids to stop at") << "stop"
                                           << "ids are missing";
        QTest::newRow("not finite") << "infinite"
                                    << "logprobs[1] is not finite";
        QTest::newRow("score not finite") << "score"
                                          << "the score is not finite";
    }
    void refused()
    {
        QFETCH(QString, part);
        QFETCH(QString, says);
        ScoredResponse response{1.0, {4, 5}, {-1, -1}, {-1, -1}, {0, 0}};
        TokenRewardOptions options;
        if (part == "empty")
            response = {};
        else if (part == "reference")
            response.referenceLogProbabilities.pop_back();
        else if (part == "ids")
            response.ids.push_back(1);
        else if (part == "values")
            response.values.pop_back();
        else if (part == "infinite")
            response.logProbabilities[1] = -std::numeric_limits<double>::infinity();
        else if (part == "score")
            response.score = std::numeric_limits<double>::quiet_NaN();
        else
            response.ids.clear(), options.stopTokens = {7};
        const auto result = tokenRewards(response, options);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::BadData);
        QVERIFY2(result.error().message.find(says.toStdString()) != std::string::npos,
                 result.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestTokenRewards)
#include "tst_token_rewards.moc"
