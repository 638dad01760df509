#include "core/train/attention_plan.h"
#include "core/train/segment_forest.h"
#include "tests/support/random_rows.h"

#include <QtTest/QTest>

#include <set>

using namespace assay;

namespace {

Sequence sequence(std::vector<TokenId> ids, std::int32_t offset = 0)
{
    Sequence result;
    result.ids = std::move(ids);
    result.positionOffset = offset;
    return result;
}

SegmentForest forestOf(const std::vector<Sequence>& sequences, std::int32_t minimumShared)
{
    std::vector<const Sequence*> pointers;
    for (const auto& s : sequences)
        pointers.push_back(&s);
    return buildForest(pointers, minimumShared);
}

/// Every token pair that may attend, by the definition: same sequence, not later.
std::set<std::pair<std::int32_t, std::int32_t>> allowedPairs(const SegmentForest& forest)
{
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const auto& path : forest.paths) {
        std::vector<std::int32_t> flat;
        for (const auto& piece : path)
            for (std::int32_t i = 0; i < piece.length; ++i)
                flat.push_back(piece.flat + i);
        for (std::size_t q = 0; q < flat.size(); ++q)
            for (std::size_t k = 0; k <= q; ++k)
                pairs.insert({flat[q], flat[k]});
    }
    return pairs;
}

std::multiset<std::pair<std::int32_t, std::int32_t>> plannedPairs(const AttentionPlan& plan)
{
    std::multiset<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const auto& step : plan.steps) {
        if (!step.batched) {
            for (auto q = step.part.queryBegin; q < step.part.queryEnd; ++q)
                for (auto k = step.part.keyBegin; k < step.part.keyEnd; ++k)
                    if (!step.part.causal || k - step.part.keyBegin <= q - step.part.queryBegin)
                        pairs.insert({q, k});
            continue;
        }
        const auto& batch = step.batch;
        const std::set<std::int64_t> real(batch.queryValid.begin(), batch.queryValid.end());
        for (std::size_t row = 0; row < batch.queryRows.size(); ++row) {
            if (!real.contains(static_cast<std::int64_t>(row)))
                continue;
            const auto part = row / static_cast<std::size_t>(batch.queries);
            for (std::size_t k = 0; k < static_cast<std::size_t>(batch.keys); ++k)
                if (batch.allowed[row * static_cast<std::size_t>(batch.keys) + k])
                    pairs.insert({static_cast<std::int32_t>(batch.queryRows[row]),
                                  static_cast<std::int32_t>(
                                      batch.keyRows[part * static_cast<std::size_t>(batch.keys) + k])});
        }
    }
    return pairs;
}

} // namespace

class TestSegmentForest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tokens_data()
    {
        QTest::addColumn<int>("minimumShared");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("packed") << 0 << qint64(11);
        QTest::newRow("merged") << 1 << qint64(6);
        QTest::newRow("two shared are too few, three are enough") << 3 << qint64(8);
        QTest::newRow("two shared are enough") << 2 << qint64(7);
    }
    void tokens()
    {
        QFETCH(int, minimumShared);
        QFETCH(qint64, expected);
        const auto forest =
            forestOf({sequence({1, 2, 3, 4}), sequence({1, 2, 5}), sequence({1, 2, 3, 9})}, minimumShared);
        QCOMPARE(forest.tokens(), expected);
        QCOMPARE(forest.sequenceTokens, qint64(11));
    }

    void equalSequencesAreOneNode()
    {
        const auto forest = forestOf({sequence({1, 2}), sequence({1, 2})}, 1);
        QCOMPARE(forest.segments.size(), std::size_t(1));
        QCOMPARE(forest.flat(0, 1), forest.flat(1, 1));
    }

    void aSequenceMayEndInsideAnother()
    {
        const auto forest = forestOf({sequence({1, 2, 3}), sequence({1, 2})}, 1);
        QCOMPARE(forest.tokens(), qint64(3));
        QCOMPARE(forest.flat(0, 1), forest.flat(1, 1));
    }

    void differentOffsetsShareNothing()
    {
        const auto forest = forestOf({sequence({1, 2, 3}), sequence({1, 2, 4}, 5)}, 1);
        QCOMPARE(forest.tokens(), qint64(6));
        QCOMPARE(forest.positions[static_cast<std::size_t>(forest.flat(1, 2))], 7);
    }

    void everyTokenKeepsItsIdAndPosition()
    {
        RandomStream random(3, "forest");
        for (int round = 0; round < 200; ++round) {
            const auto rows =
                tests::randomTree(random, {.sequences = 9, .longestEdge = round % 2 ? 1 : 5, .deeper = 0.9});
            std::vector<const Sequence*> sequences;
            for (const auto& row : rows)
                sequences.push_back(&row.sequences.front());
            const auto forest = buildForest(sequences, round % 4);
            for (std::size_t s = 0; s < sequences.size(); ++s)
                for (std::int32_t p = 0; p < static_cast<std::int32_t>(sequences[s]->ids.size()); ++p) {
                    const auto flat = static_cast<std::size_t>(forest.flat(static_cast<std::int32_t>(s), p));
                    QCOMPARE(forest.ids[flat], sequences[s]->ids[static_cast<std::size_t>(p)]);
                    QCOMPARE(forest.positions[flat], p);
                }
        }
    }

    void descendantsAreContiguous()
    {
        RandomStream random(4, "forest");
        for (int round = 0; round < 100; ++round) {
            const auto rows = tests::randomTree(random, {.sequences = 12, .deeper = 0.9});
            std::vector<const Sequence*> sequences;
            for (const auto& row : rows)
                sequences.push_back(&row.sequences.front());
            const auto forest = buildForest(sequences, 1);
            for (std::size_t i = 0; i < forest.segments.size(); ++i) {
                std::int32_t end = forest.segments[i].end;
                for (std::size_t j = i + 1; j < forest.segments.size(); ++j) {
                    auto ancestor = forest.segments[j].parent;
                    while (ancestor > static_cast<std::int32_t>(i))
                        ancestor = forest.segments[static_cast<std::size_t>(ancestor)].parent;
                    if (ancestor == static_cast<std::int32_t>(i))
                        end = std::max(end, forest.segments[j].end);
                }
                QCOMPARE(forest.segments[i].subtreeEnd, end);
            }
        }
    }

    void planCoversEveryPairOnce_data()
    {
        QTest::addColumn<qint64>("batchedPairs");
        QTest::newRow("all batched") << (qint64(1) << 40);
        QTest::newRow("all fused") << qint64(0);
        QTest::newRow("mixed") << qint64(9);
    }
    void planCoversEveryPairOnce()
    {
        QFETCH(qint64, batchedPairs);
        RandomStream random(5, "plan");
        for (int round = 0; round < 60; ++round) {
            const auto rows =
                tests::randomTree(random, {.sequences = 8, .longestEdge = round % 2 ? 1 : 6, .deeper = 0.9});
            std::vector<const Sequence*> sequences;
            for (const auto& row : rows)
                sequences.push_back(&row.sequences.front());
            const auto forest = buildForest(sequences, round % 3);
            const auto planned = plannedPairs(planAttention(forest, batchedPairs));
            const auto allowed = allowedPairs(forest);
            QCOMPARE(planned.size(), allowed.size());
            QVERIFY(std::equal(planned.begin(), planned.end(), allowed.begin()));
        }
    }
};

QTEST_APPLESS_MAIN(TestSegmentForest)
#include "tst_segment_forest.moc"
