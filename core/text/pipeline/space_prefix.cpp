#include "core/text/pipeline/pre_tokenizer.h"
#include "core/text/unicode/code_points.h"

namespace assay {

namespace {

constexpr std::string_view kGpt2Expression =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string_view viewOf(const CutText& cut, ByteRange piece)
{
    return cut.text.view().substr(static_cast<std::size_t>(piece.begin),
                                  static_cast<std::size_t>(piece.size()));
}

/// Puts a space before pieces that have none, and cuts by GPT-2's expression.
class ByteLevelSplit : public PreTokenizer
{
public:
    ByteLevelSplit(bool addPrefixSpace, PreTokenizerPtr split)
        : m_addPrefixSpace(addPrefixSpace)
        , m_split(std::move(split))
    {}

    CutText apply(CutText cut) const override
    {
        if (m_addPrefixSpace)
            cut = withPrefix(cut);
        return m_split ? m_split->apply(std::move(cut)) : cut;
    }

private:
    static CutText withPrefix(const CutText& cut)
    {
        AlignedBuilder builder(cut.text);
        std::vector<ByteRange> pieces;
        for (const auto& piece : cut.pieces) {
            const auto begin = builder.size();
            if (!viewOf(cut, piece).starts_with(' '))
                builder.put(" ", piece.begin);
            builder.keep(piece);
            pieces.push_back({begin, builder.size()});
        }
        return {builder.finish(), std::move(pieces)};
    }

    bool m_addPrefixSpace;
    PreTokenizerPtr m_split;
};

enum class PrependScheme { Always, First, Never };

/// Writes a mark for every space and at the beginning, and cuts before the marks.
class Metaspace : public PreTokenizer
{
public:
    Metaspace(std::string mark, PrependScheme scheme, bool split)
        : m_mark(mark)
        , m_scheme(scheme)
        , m_split(split ? makePatternSplit(Pattern::literal(mark), SplitBehavior::MergedWithNext, false)
                        : nullptr)
    {}

    CutText apply(CutText cut) const override
    {
        AlignedBuilder builder(cut.text);
        std::vector<ByteRange> pieces;
        for (const auto& piece : cut.pieces) {
            const auto begin = builder.size();
            const auto text = viewOf(cut, piece);
            const bool marked = text.starts_with(' ') || text.starts_with(m_mark);
            const bool first = cut.text.offset() == 0 && piece.begin == 0;
            if (!marked && (m_scheme == PrependScheme::Always || (m_scheme == PrependScheme::First && first)))
                builder.put(m_mark, piece.begin);
            writeMarked(builder, text, piece.begin);
            pieces.push_back({begin, builder.size()});
        }
        CutText marked{builder.finish(), std::move(pieces)};
        return m_split ? m_split->apply(std::move(marked)) : marked;
    }

private:
    void writeMarked(AlignedBuilder& builder, std::string_view text, std::int32_t offset) const
    {
        std::size_t at = 0;
        while (at < text.size()) {
            const auto space = std::min(text.find(' ', at), text.size());
            builder.keep({offset + static_cast<std::int32_t>(at), offset + static_cast<std::int32_t>(space)});
            if (space < text.size())
                builder.put(m_mark, offset + static_cast<std::int32_t>(space));
            at = space + 1;
        }
    }

    std::string m_mark;
    PrependScheme m_scheme;
    PreTokenizerPtr m_split;
};

} // namespace

PreTokenizerPtr makeByteLevelSplit(bool addPrefixSpace, bool useRegex)
{
    PreTokenizerPtr split;
    if (useRegex)
        split = makePatternSplit(Pattern::compile(kGpt2Expression).value(), SplitBehavior::Isolated, false);
    return std::make_shared<ByteLevelSplit>(addPrefixSpace, std::move(split));
}

Result<PreTokenizerPtr> makeMetaspace(const Component& component)
{
    TRY(auto mark, component.textOr("replacement", "\xe2\x96\x81"));
    if (countCodePoints(mark) != 1)
        return component.refuse("\"replacement\" must be one character");
    TRY(const bool oldPrefix, component.flagOr("add_prefix_space", true));
    TRY(const auto scheme, component.textOr("prepend_scheme", oldPrefix ? "always" : "never"));
    if (scheme != "always" && scheme != "first" && scheme != "never")
        return component.refuse("the prepend scheme \"" + scheme.substr(0, 80) + "\" is not known");
    TRY(const bool split, component.flagOr("split", true));
    return PreTokenizerPtr(std::make_shared<Metaspace>(std::move(mark),
                                                       scheme == "always"  ? PrependScheme::Always
                                                       : scheme == "first" ? PrependScheme::First
                                                                           : PrependScheme::Never,
                                                       split));
}

} // namespace assay
