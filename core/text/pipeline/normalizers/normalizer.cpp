#include "core/text/pipeline/normalizers/normalizer.h"

#include "core/text/pipeline/normalizers/character_change.h"
#include "core/text/unicode/pattern.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::size_t kMaximumReplacementBytes = 1024;

std::string utf8(char32_t value)
{
    std::string text;
    appendCodePoint(text, value);
    return text;
}

/// A normaliser that is one function.
template <typename Function>
class Simple : public Normalizer
{
public:
    explicit Simple(Function function)
        : m_function(std::move(function))
    {}
    AlignedText apply(AlignedText text) const override { return m_function(std::move(text)); }

private:
    Function m_function;
};

template <typename Function>
NormalizerPtr simple(Function function)
{
    return std::make_shared<Simple<Function>>(std::move(function));
}

AlignedText stripped(const AlignedText& text, bool left, bool right)
{
    const auto view = text.view();
    std::size_t begin = 0, end = view.size();
    while (left && begin < end && isWhiteSpace(codePointAt(view, begin).value))
        begin += codePointAt(view, begin).bytes;
    while (right && end > begin && isWhiteSpace(codePointBefore(view, end).value))
        end -= codePointBefore(view, end).bytes;
    AlignedBuilder builder(text);
    builder.keep({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
    return builder.finish();
}

AlignedText nmt(const AlignedText& text)
{
    const auto kept = filtered(text, [](char32_t c) {
        return !((c >= 0x1 && c <= 0x8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f ||
                 c == 0x9f);
    });
    return mapped(kept, [](char32_t c) {
        const bool blank = c == 0x9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 ||
                           (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                           c == 0xfeff || c == 0xfffd;
        return blank ? std::string(" ") : utf8(c);
    });
}

AlignedText prepended(const AlignedText& text, const std::string& prefix)
{
    AlignedBuilder builder(text);
    builder.put(prefix, 0);
    builder.keep({0, text.size()});
    return builder.finish();
}

class NormalizerSequence : public Normalizer
{
public:
    explicit NormalizerSequence(std::vector<NormalizerPtr> parts)
        : m_parts(std::move(parts))
    {}
    AlignedText apply(AlignedText text) const override
    {
        for (const auto& part : m_parts)
            if (!text.empty() && !text.overflowed())
                text = part->apply(std::move(text));
        return text;
    }

private:
    std::vector<NormalizerPtr> m_parts;
};

Result<NormalizerPtr> makeSequence(const Component& component)
{
    TRY(const auto parts, component.objects("normalizers"));
    std::vector<NormalizerPtr> made;
    for (const auto& part : parts) {
        TRY(const auto type, part.type());
        if (type == "Sequence")
            return part.refuse("a sequence inside a sequence is not taken");
        TRY(auto normalizer, makeNormalizer(part));
        made.push_back(std::move(normalizer));
    }
    return NormalizerPtr(std::make_shared<NormalizerSequence>(std::move(made)));
}

Result<NormalizerPtr> makePrepend(const Component& component)
{
    TRY(auto prefix, component.text("prepend"));
    if (prefix.size() > kMaximumReplacementBytes)
        return component.refuse("the text to prepend is too long");
    return simple([prefix](AlignedText text) { return prepended(text, prefix); });
}

Result<NormalizerPtr> makeStrip(const Component& component)
{
    TRY(const bool left, component.flagOr("strip_left", true));
    TRY(const bool right, component.flagOr("strip_right", true));
    return simple([left, right](AlignedText text) { return stripped(text, left, right); });
}

NormalizerPtr normalForm(NormalForm form)
{
    return simple([form](AlignedText text) { return inNormalForm(std::move(text), form); });
}

} // namespace

AlignedText lowered(const AlignedText& text)
{
    return mapped(text, [](char32_t c) {
        std::string lower;
        for (const char32_t part : lowerCase(c))
            appendCodePoint(lower, part);
        return lower;
    });
}

AlignedText inNormalForm(AlignedText text, NormalForm form)
{
    if (isSurelyNormalized(text.view(), form))
        return text;
    text.transform(normalized(text.view(), form));
    return text;
}

Result<NormalizerPtr> makeReplaceNormalizer(const Component& component)
{
    TRY(const auto pattern, component.object("pattern"));
    TRY(auto content, component.text("content"));
    if (content.size() > kMaximumReplacementBytes)
        return component.refuse("the content of a replacement is too long");
    const bool literal = pattern.has("String");
    TRY(const auto expression, pattern.text(literal ? "String" : "Regex"));
    if (literal && expression.empty())
        return pattern.refuse("an empty text cannot be replaced");
    auto compiled = literal ? Result<Pattern>(Pattern::literal(expression)) : Pattern::compile(expression);
    if (!compiled)
        return pattern.refuse(compiled.error().message);
    return simple([what = *compiled, content](AlignedText text) {
        const auto matches = what.matches(text.view());
        if (matches.empty())
            return text;
        AlignedBuilder builder(text);
        std::int32_t at = 0;
        for (const auto& match : matches) {
            builder.keep({at, match.begin});
            builder.put(content, match.end - 1);
            at = match.end;
        }
        builder.keep({at, text.size()});
        return builder.finish();
    });
}

Result<NormalizerPtr> makeNormalizer(const Component& component)
{
    TRY(const auto type, component.type());
    if (type == "Sequence")
        return makeSequence(component);
    if (type == "BertNormalizer")
        return makeBertNormalizer(component);
    if (type == "Precompiled")
        return makePrecompiledNormalizer(component);
    if (type == "Replace")
        return makeReplaceNormalizer(component);
    if (type == "Prepend")
        return makePrepend(component);
    if (type == "Strip")
        return makeStrip(component);
    if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD")
        return normalForm(type == "NFC"    ? NormalForm::Nfc
                          : type == "NFD"  ? NormalForm::Nfd
                          : type == "NFKC" ? NormalForm::Nfkc
                                           : NormalForm::Nfkd);
    if (type == "Lowercase")
        return simple([](AlignedText text) { return lowered(text); });
    if (type == "StripAccents")
        return simple([](AlignedText text) { return filtered(text, [](char32_t c) { return !isMark(c); }); });
    if (type == "Nmt")
        return simple([](AlignedText text) { return nmt(text); });
    return component.unknownType("normaliser", type);
}

} // namespace assay
