#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Properties of characters, as the Unicode tables of ICU have them.

/// The property White_Space.
bool isWhiteSpace(char32_t value);
/// Any of the categories Nd, Nl and No.
bool isNumeric(char32_t value);
/// A punctuation category, or ASCII punctuation (which has symbols among it).
bool isPunctuation(char32_t value);
/// What the regular expression \w takes: alphabetic, marks, decimal digits, connectors, joiners.
bool isWordCharacter(char32_t value);
/// Category Mn.
bool isNonSpacingMark(char32_t value);
/// Categories Mn, Mc and Me.
bool isMark(char32_t value);
/// Categories Cc, Cf and Co.
bool isControlOrFormat(char32_t value);
/// Lower case of one character: two where Unicode gives two.
std::u32string lowerCase(char32_t value);

/// Upper case of one character that stays one.
char32_t upperCase(char32_t value);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// A character after normalisation. `change` says what it stands for: 0 = one character of the source,
/// 1 = inserted behind it, -n = one of the source and the n behind it.
struct ChangedCharacter
{
    char32_t value = 0;
    std::int32_t change = 0;
};

/// Whether a look at each character alone shows that the text is in this form. False says nothing.
bool isSurelyNormalized(std::string_view text, NormalForm form);
std::vector<ChangedCharacter> normalized(std::string_view text, NormalForm form);

/// Bytes at which a grapheme cluster of the text ends, ascending.
std::vector<std::int32_t> graphemeEnds(std::string_view text);

} // namespace assay
