#include "core/train/segment_forest.h"

#include "core/base/check.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace assay {

namespace {

std::int32_t lengthOf(const Sequence& sequence)
{
    return static_cast<std::int32_t>(sequence.ids.size());
}

std::uint8_t typeAt(const Sequence& sequence, std::int32_t position)
{
    return sequence.tokenTypes.empty() ? std::uint8_t{0}
                                       : sequence.tokenTypes[static_cast<std::size_t>(position)];
}

/// Token, type and offset together: only equal inputs may share a position.
std::int64_t keyAt(const Sequence& sequence, std::int32_t position)
{
    return (std::int64_t{sequence.ids[static_cast<std::size_t>(position)]} << 8) | typeAt(sequence, position);
}

std::int32_t commonLength(const Sequence& a, const Sequence& b, std::int32_t from)
{
    if (a.positionOffset != b.positionOffset)
        return 0;
    const std::int32_t limit = std::min(lengthOf(a), lengthOf(b));
    std::int32_t i = from;
    while (i < limit && keyAt(a, i) == keyAt(b, i))
        ++i;
    return i;
}

bool before(const Sequence& a, const Sequence& b)
{
    if (a.positionOffset != b.positionOffset)
        return a.positionOffset < b.positionOffset;
    const std::int32_t common = commonLength(a, b, 0);
    if (common == lengthOf(a) || common == lengthOf(b))
        return lengthOf(a) < lengthOf(b);
    return keyAt(a, common) < keyAt(b, common);
}

class ForestBuilder
{
public:
    ForestBuilder(std::span<const Sequence* const> sequences, std::int32_t minimumShared)
        : m_sequences(sequences)
        , m_minimumShared(minimumShared)
    {
        m_forest.paths.resize(sequences.size());
        for (const auto* sequence : sequences) {
            m_forest.sequenceTokens += lengthOf(*sequence);
            m_anyType = m_anyType || !sequence->tokenTypes.empty();
        }
    }

    SegmentForest build()
    {
        std::vector<std::int32_t> order(m_sequences.size());
        std::iota(order.begin(), order.end(), 0);
        if (m_minimumShared == 0) {
            for (const auto index : order)
                leaf({&index, 1}, 0, lengthOf(at(index)), -1);
            return std::move(m_forest);
        }
        std::stable_sort(order.begin(), order.end(),
                         [this](std::int32_t a, std::int32_t b) { return before(at(a), at(b)); });
        // Sequences with different offsets never share anything: split there first.
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= order.size(); ++i) {
            if (i == order.size() || at(order[i]).positionOffset != at(order[begin]).positionOffset) {
                grow(std::span(order).subspan(begin, i - begin), 0, -1);
                begin = i;
            }
        }
        return std::move(m_forest);
    }

private:
    const Sequence& at(std::int32_t index) const { return *m_sequences[static_cast<std::size_t>(index)]; }

    /// One node holding tokens [from, to) of every sequence in `group` (they are equal there).
    std::int32_t leaf(std::span<const std::int32_t> group, std::int32_t from, std::int32_t to,
                      std::int32_t parent)
    {
        const Sequence& sequence = at(group.front());
        Segment segment;
        segment.parent = parent;
        segment.begin = static_cast<std::int32_t>(m_forest.ids.size());
        segment.depth = parent < 0 ? 0 : m_forest.segments[static_cast<std::size_t>(parent)].depth + 1;
        for (std::int32_t i = from; i < to; ++i) {
            m_forest.ids.push_back(sequence.ids[static_cast<std::size_t>(i)]);
            m_forest.positions.push_back(sequence.positionOffset + i);
            if (m_anyType)
                m_forest.tokenTypes.push_back(typeAt(sequence, i));
        }
        segment.end = static_cast<std::int32_t>(m_forest.ids.size());
        segment.subtreeEnd = segment.end;
        for (const auto index : group)
            m_forest.paths[static_cast<std::size_t>(index)].push_back({from, segment.begin, to - from});
        m_forest.segments.push_back(segment);
        return static_cast<std::int32_t>(m_forest.segments.size()) - 1;
    }

    /// `group` is sorted and equal before `from`.
    void grow(std::span<const std::int32_t> group, std::int32_t from, std::int32_t parent)
    {
        // Sorted, so the first and last sequence have the shortest common beginning of all.
        const std::int32_t common = commonLength(at(group.front()), at(group.back()), from);
        const bool equal = common == lengthOf(at(group.front())) && common == lengthOf(at(group.back()));
        if (group.size() == 1 || equal) {
            if (common > from)
                leaf(group, from, common, parent);
            return;
        }
        std::int32_t start = from;
        std::int32_t node = parent;
        if (common - from >= m_minimumShared) {
            node = leaf(group, from, common, parent);
            start = common;
        }
        for (std::size_t begin = 0; begin < group.size();) {
            std::size_t end = begin + 1;
            const bool ends = lengthOf(at(group[begin])) == common;
            while (end < group.size() &&
                   (ends ? lengthOf(at(group[end])) == common
                         : keyAt(at(group[end]), common) == keyAt(at(group[begin]), common)))
                ++end;
            grow(group.subspan(begin, end - begin), start, node);
            begin = end;
        }
        if (node != parent)
            m_forest.segments[static_cast<std::size_t>(node)].subtreeEnd =
                static_cast<std::int32_t>(m_forest.ids.size());
    }

    std::span<const Sequence* const> m_sequences;
    std::int32_t m_minimumShared;
    bool m_anyType = false;
    SegmentForest m_forest;
};

} // namespace

std::optional<Execution> executionFromName(std::string_view name)
{
    for (const auto execution : {Execution::Merged, Execution::Packed, Execution::Padded, Execution::Single})
        if (executionName(execution) == name)
            return execution;
    return std::nullopt;
}

std::string_view executionName(Execution execution)
{
    switch (execution) {
    case Execution::Merged:
        return "merged";
    case Execution::Packed:
        return "packed";
    case Execution::Padded:
        return "padded";
    case Execution::Single:
        return "single";
    }
    return "merged";
}

std::int32_t SegmentForest::flat(std::int32_t sequence, std::int32_t position) const
{
    const auto& path = paths[static_cast<std::size_t>(sequence)];
    const auto piece = std::upper_bound(path.begin(), path.end(), position,
                                        [](std::int32_t p, const SequencePiece& s) { return p < s.begin; });
    ASSAY_CHECK(piece != path.begin(), "position before the sequence");
    const auto& found = *std::prev(piece);
    ASSAY_CHECK(position < found.begin + found.length, "position behind the sequence");
    return found.flat + position - found.begin;
}

SegmentForest buildForest(std::span<const Sequence* const> sequences, std::int32_t minimumShared)
{
    return ForestBuilder(sequences, minimumShared).build();
}

} // namespace assay
