#include "core/text/pipeline/pre_tokenizer.h"

#include "core/text/unicode/code_points.h"

#include <array>

namespace assay {

namespace {

constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kBehaviors{
    {{"Removed", SplitBehavior::Removed},
     {"Isolated", SplitBehavior::Isolated},
     {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
     {"MergedWithNext", SplitBehavior::MergedWithNext},
     {"Contiguous", SplitBehavior::Contiguous}}};

using IsMatch = bool (*)(char32_t);

/// Cuts at characters with a property.
class CharacterSplit : public PreTokenizer
{
public:
    CharacterSplit(IsMatch isMatch, SplitBehavior behavior)
        : m_isMatch(isMatch)
        , m_behavior(behavior)
    {}

    CutText apply(CutText cut) const override
    {
        const auto view = cut.text.view();
        std::vector<ByteRange> pieces;
        for (const auto& piece : cut.pieces) {
            std::vector<ByteRange> matches;
            for (auto at = piece.begin; at < piece.end;) {
                const auto character = codePointAt(view, static_cast<std::size_t>(at));
                if (m_isMatch(character.value))
                    matches.push_back({at, at + character.bytes});
                at += character.bytes;
            }
            const auto parts = splitPiece(piece, matches, m_behavior, false);
            pieces.insert(pieces.end(), parts.begin(), parts.end());
        }
        cut.pieces = std::move(pieces);
        return cut;
    }

private:
    IsMatch m_isMatch;
    SplitBehavior m_behavior;
};

class PreTokenizerSequence : public PreTokenizer
{
public:
    explicit PreTokenizerSequence(std::vector<PreTokenizerPtr> parts)
        : m_parts(std::move(parts))
    {}

    CutText apply(CutText cut) const override
    {
        for (const auto& part : m_parts)
            cut = part->apply(std::move(cut));
        return cut;
    }

private:
    std::vector<PreTokenizerPtr> m_parts;
};

PreTokenizerPtr characterSplit(IsMatch isMatch, SplitBehavior behavior)
{
    return std::make_shared<CharacterSplit>(isMatch, behavior);
}

Result<SplitBehavior> behaviorOf(const Component& component, std::string_view key, std::string missing)
{
    TRY(const auto name, component.textOr(key, std::move(missing)));
    for (const auto& [known, behavior] : kBehaviors)
        if (name == known)
            return behavior;
    return component.refuse("the behaviour \"" + name.substr(0, 80) + "\" is not known");
}

Result<PreTokenizerPtr> makeSplit(const Component& component)
{
    TRY(const auto pattern, component.object("pattern"));
    TRY(const auto behavior, behaviorOf(component, "behavior", ""));
    TRY(const bool inverted, component.flagOr("invert", false));
    const bool literal = pattern.has("String");
    TRY(const auto expression, pattern.text(literal ? "String" : "Regex"));
    if (literal && expression.empty())
        return pattern.refuse("nothing can be cut at an empty text");
    auto compiled = literal ? Result<Pattern>(Pattern::literal(expression)) : Pattern::compile(expression);
    if (!compiled)
        return pattern.refuse(compiled.error().message);
    return makePatternSplit(*compiled, behavior, inverted);
}

Result<PreTokenizerPtr> makeSequence(std::vector<PreTokenizerPtr> parts)
{
    return PreTokenizerPtr(std::make_shared<PreTokenizerSequence>(std::move(parts)));
}

Result<PreTokenizerPtr> makeDelimiterSplit(const Component& component)
{
    TRY(const auto delimiter, component.text("delimiter"));
    if (countCodePoints(delimiter) != 1)
        return component.refuse("\"delimiter\" must be one character");
    return makePatternSplit(Pattern::literal(delimiter), SplitBehavior::Removed, false);
}

/// All that neither nests nor makes words of bytes.
Result<PreTokenizerPtr> makeSimple(const Component& component, const std::string& type)
{
    if (type == "Split")
        return makeSplit(component);
    if (type == "Metaspace")
        return makeMetaspace(component);
    if (type == "BertPreTokenizer")
        return makeSequence({characterSplit(&isWhiteSpace, SplitBehavior::Removed),
                             characterSplit(&isPunctuation, SplitBehavior::Isolated)});
    if (type == "Whitespace")
        return makePatternSplit(Pattern::compile(R"(\w+|[^\w\s]+)").value(), SplitBehavior::Removed, true);
    if (type == "WhitespaceSplit")
        return characterSplit(&isWhiteSpace, SplitBehavior::Removed);
    if (type == "CharDelimiterSplit")
        return makeDelimiterSplit(component);
    if (type == "Punctuation") {
        TRY(const auto behavior, behaviorOf(component, "behavior", "Isolated"));
        return characterSplit(&isPunctuation, behavior);
    }
    if (type == "Digits") {
        TRY(const bool individual, component.flagOr("individual_digits", false));
        return characterSplit(&isNumeric, individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
    }
    return component.unknownType("pre-tokenizer", type);
}

Result<MadePreTokenizer> makeOne(const Component& component)
{
    TRY(const auto type, component.type());
    if (type == "ByteLevel") {
        TRY(const bool prefix, component.flagOr("add_prefix_space", true));
        TRY(const bool regex, component.flagOr("use_regex", true));
        return MadePreTokenizer{makeByteLevelSplit(prefix, regex), true};
    }
    TRY(auto made, makeSimple(component, type));
    return MadePreTokenizer{std::move(made), false};
}

} // namespace

Result<MadePreTokenizer> makePreTokenizer(const Component& component)
{
    TRY(const auto type, component.type());
    if (type != "Sequence")
        return makeOne(component);
    TRY(const auto parts, component.objects("pretokenizers"));
    MadePreTokenizer sequence;
    std::vector<PreTokenizerPtr> made;
    for (const auto& part : parts) {
        TRY(const auto partType, part.type());
        if (partType == "Sequence")
            return part.refuse("a sequence inside a sequence is not taken");
        if (sequence.byteLevel)
            return part.refuse("nothing can follow the pre-tokenizer ByteLevel here");
        TRY(auto one, makeOne(part));
        made.push_back(std::move(one.preTokenizer));
        sequence.byteLevel = one.byteLevel;
    }
    sequence.preTokenizer = std::make_shared<PreTokenizerSequence>(std::move(made));
    return sequence;
}

} // namespace assay
