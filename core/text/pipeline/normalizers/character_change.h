#pragma once

#include "core/text/unicode/aligned_text.h"
#include "core/text/unicode/code_points.h"

namespace assay {

/// The characters of `text` for which `keep` holds.
template <typename Keep>
AlignedText filtered(const AlignedText& text, Keep keep)
{
    AlignedBuilder builder(text);
    const auto view = text.view();
    for (std::size_t at = 0; at < view.size();) {
        const auto character = codePointAt(view, at);
        const auto begin = static_cast<std::int32_t>(at);
        if (keep(character.value))
            builder.keep({begin, begin + character.bytes});
        at += character.bytes;
    }
    return builder.finish();
}

/// Every character replaced by the UTF-8 that `change` gives for it.
template <typename Change>
AlignedText mapped(const AlignedText& text, Change change)
{
    AlignedBuilder builder(text);
    const auto view = text.view();
    for (std::size_t at = 0; at < view.size();) {
        const auto character = codePointAt(view, at);
        builder.put(change(character.value), static_cast<std::int32_t>(at));
        at += character.bytes;
    }
    return builder.finish();
}

/// The text in lower case.
AlignedText lowered(const AlignedText& text);
/// The text in a normal form of Unicode.
AlignedText inNormalForm(AlignedText text, NormalForm form);

} // namespace assay
