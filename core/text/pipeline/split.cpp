#include "core/text/pipeline/pre_tokenizer.h"

#include <algorithm>

namespace assay {

namespace {

/// A part of a piece: a match, or what lies between two.
struct Part
{
    ByteRange range;
    bool match = false;
};

std::vector<Part> partsOf(ByteRange piece, const std::vector<ByteRange>& matches, bool inverted)
{
    std::vector<Part> parts;
    auto at = piece.begin;
    for (const auto& match : matches) {
        if (at < match.begin)
            parts.push_back({{at, match.begin}, inverted});
        parts.push_back({match, !inverted});
        at = match.end;
    }
    if (at < piece.end)
        parts.push_back({{at, piece.end}, inverted});
    return parts;
}

/// Every match joins the part before it, unless that is a match, too.
std::vector<ByteRange> mergedWithPrevious(const std::vector<Part>& parts)
{
    std::vector<ByteRange> pieces;
    bool previousMatch = false;
    for (const auto& part : parts) {
        if (part.match && !previousMatch && !pieces.empty())
            pieces.back().end = part.range.end;
        else
            pieces.push_back(part.range);
        previousMatch = part.match;
    }
    return pieces;
}

std::vector<ByteRange> mergedWithNext(const std::vector<Part>& parts)
{
    std::vector<ByteRange> pieces;
    bool nextMatch = false;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->match && !nextMatch && !pieces.empty())
            pieces.back().begin = part->range.begin;
        else
            pieces.push_back(part->range);
        nextMatch = part->match;
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

std::vector<ByteRange> contiguous(const std::vector<Part>& parts)
{
    std::vector<ByteRange> pieces;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0 && parts[i].match == parts[i - 1].match)
            pieces.back().end = parts[i].range.end;
        else
            pieces.push_back(parts[i].range);
    }
    return pieces;
}

class PatternSplit : public PreTokenizer
{
public:
    PatternSplit(Pattern pattern, SplitBehavior behavior, bool inverted)
        : m_pattern(std::move(pattern))
        , m_behavior(behavior)
        , m_inverted(inverted)
    {}

    CutText apply(CutText cut) const override
    {
        std::vector<ByteRange> pieces;
        for (const auto& piece : cut.pieces) {
            auto matches = m_pattern.matches(cut.text.view().substr(static_cast<std::size_t>(piece.begin),
                                                                    static_cast<std::size_t>(piece.size())));
            for (auto& match : matches)
                match = {match.begin + piece.begin, match.end + piece.begin};
            const auto parts = splitPiece(piece, matches, m_behavior, m_inverted);
            pieces.insert(pieces.end(), parts.begin(), parts.end());
        }
        cut.pieces = std::move(pieces);
        return cut;
    }

private:
    Pattern m_pattern;
    SplitBehavior m_behavior;
    bool m_inverted;
};

} // namespace

std::vector<ByteRange> splitPiece(ByteRange piece, const std::vector<ByteRange>& matches,
                                  SplitBehavior behavior, bool inverted)
{
    const auto parts = partsOf(piece, matches, inverted);
    switch (behavior) {
    case SplitBehavior::MergedWithPrevious:
        return mergedWithPrevious(parts);
    case SplitBehavior::MergedWithNext:
        return mergedWithNext(parts);
    case SplitBehavior::Contiguous:
        return contiguous(parts);
    case SplitBehavior::Removed:
    case SplitBehavior::Isolated:
        break;
    }
    std::vector<ByteRange> pieces;
    for (const auto& part : parts)
        if (!part.match || behavior == SplitBehavior::Isolated)
            pieces.push_back(part.range);
    return pieces;
}

PreTokenizerPtr makePatternSplit(Pattern pattern, SplitBehavior behavior, bool inverted)
{
    return std::make_shared<PatternSplit>(std::move(pattern), behavior, inverted);
}

} // namespace assay
