#include "core/text/unicode/characters.h"

#include "core/base/check.h"
#include "core/text/unicode/code_points.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <memory>

namespace assay {

namespace {

using Changed = ChangedCharacter;

bool inCategory(char32_t value, std::uint32_t mask)
{
    return (U_GET_GC_MASK(static_cast<UChar32>(value)) & mask) != 0;
}

const UNormalizer2* tables(bool compatible)
{
    UErrorCode status = U_ZERO_ERROR;
    const auto* instance = compatible ? unorm2_getNFKCInstance(&status) : unorm2_getNFCInstance(&status);
    CHECK(U_SUCCESS(status), u_errorName(status));
    return instance;
}

/// Decomposed characters in canonical order; the parts of one character after the first are inserted ones.
class Decomposition
{
public:
    explicit Decomposition(bool compatible)
        : m_tables(tables(compatible))
    {}

    void add(char32_t value)
    {
        if (value < 0x80)
            return push({value, 0});
        std::array<UChar, 64> units{};
        UErrorCode status = U_ZERO_ERROR;
        const auto count = unorm2_getDecomposition(m_tables, static_cast<UChar32>(value), units.data(),
                                                   static_cast<std::int32_t>(units.size()), &status);
        CHECK(U_SUCCESS(status), u_errorName(status));
        if (count < 0)
            return push({value, 0});
        for (std::int32_t i = 0, parts = 0; i < count; ++parts) {
            UChar32 part = 0;
            U16_NEXT(units.data(), i, count, part);
            push({static_cast<char32_t>(part), parts == 0 ? 0 : 1});
        }
    }

    std::vector<Changed> finish()
    {
        sortPending();
        return std::move(m_characters);
    }

private:
    void push(Changed character)
    {
        if (u_getCombiningClass(static_cast<UChar32>(character.value)) == 0)
            sortPending();
        m_characters.push_back(character);
        if (u_getCombiningClass(static_cast<UChar32>(character.value)) == 0)
            m_sorted = m_characters.size();
    }

    void sortPending()
    {
        std::stable_sort(m_characters.begin() + static_cast<std::ptrdiff_t>(m_sorted), m_characters.end(),
                         [](const Changed& a, const Changed& b) {
                             return u_getCombiningClass(static_cast<UChar32>(a.value)) <
                                    u_getCombiningClass(static_cast<UChar32>(b.value));
                         });
        m_sorted = m_characters.size();
    }

    const UNormalizer2* m_tables;
    std::vector<Changed> m_characters;
    std::size_t m_sorted = 0;
};

/// Canonical composition of decomposed characters.
std::vector<Changed> composed(const std::vector<Changed>& characters)
{
    const auto* canonical = tables(false);
    std::vector<Changed> result;
    std::size_t starter = 0;
    bool hasStarter = false;
    int lastClass = -1; // of what stands between the starter and here; -1 = nothing
    for (const auto& character : characters) {
        const int combiningClass = u_getCombiningClass(static_cast<UChar32>(character.value));
        if (hasStarter && lastClass < combiningClass) {
            auto& first = result[starter];
            const auto pair = unorm2_composePair(canonical, static_cast<UChar32>(first.value),
                                                 static_cast<UChar32>(character.value));
            if (pair >= 0) {
                first = {static_cast<char32_t>(pair), first.change + character.change - 1};
                continue;
            }
        }
        if (combiningClass == 0) {
            starter = result.size();
            hasStarter = true;
            lastClass = -1;
        } else if (hasStarter) {
            lastClass = combiningClass;
        }
        result.push_back(character);
    }
    return result;
}

struct CloseBreaks
{
    void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

} // namespace

bool isWhiteSpace(char32_t value)
{
    return u_isUWhiteSpace(static_cast<UChar32>(value)) != 0;
}

bool isNumeric(char32_t value)
{
    return inCategory(value, U_GC_N_MASK);
}

bool isPunctuation(char32_t value)
{
    const bool ascii = value < 0x7f && value > 0x20 && u_isalnum(static_cast<UChar32>(value)) == 0;
    return ascii || inCategory(value, U_GC_P_MASK);
}

bool isWordCharacter(char32_t value)
{
    return u_isUAlphabetic(static_cast<UChar32>(value)) != 0 ||
           inCategory(value, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK) || value == 0x200c || value == 0x200d;
}

bool isNonSpacingMark(char32_t value)
{
    return inCategory(value, U_GC_MN_MASK);
}

bool isMark(char32_t value)
{
    return inCategory(value, U_GC_M_MASK);
}

bool isControlOrFormat(char32_t value)
{
    return inCategory(value, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK);
}

std::u32string lowerCase(char32_t value)
{
    // The only character with a longer lower case that no context asks for.
    if (value == 0x130)
        return U"i\u0307";
    return {static_cast<char32_t>(u_tolower(static_cast<UChar32>(value)))};
}

char32_t upperCase(char32_t value)
{
    return static_cast<char32_t>(u_toupper(static_cast<UChar32>(value)));
}

bool isSurelyNormalized(std::string_view text, NormalForm form)
{
    constexpr std::array<UProperty, 4> kQuickChecks{UCHAR_NFC_QUICK_CHECK, UCHAR_NFD_QUICK_CHECK,
                                                    UCHAR_NFKC_QUICK_CHECK, UCHAR_NFKD_QUICK_CHECK};
    const auto property = kQuickChecks[static_cast<std::size_t>(form)];
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const auto character = codePointAt(text, at);
        const auto value = static_cast<UChar32>(character.value);
        // Characters of a combining class would have to be in order, too.
        if (u_getIntPropertyValue(value, property) != UNORM_YES || u_getCombiningClass(value) != 0)
            return false;
        at += character.bytes;
    }
    return true;
}

std::vector<ChangedCharacter> normalized(std::string_view text, NormalForm form)
{
    Decomposition decomposition(form == NormalForm::Nfkc || form == NormalForm::Nfkd);
    for (std::size_t at = 0; at < text.size();) {
        const auto character = codePointAt(text, at);
        decomposition.add(character.value);
        at += character.bytes;
    }
    auto characters = decomposition.finish();
    return form == NormalForm::Nfc || form == NormalForm::Nfkc ? composed(characters) : characters;
}

std::vector<std::int32_t> graphemeEnds(std::string_view text)
{
    UErrorCode status = U_ZERO_ERROR;
    // Making one takes longer than a typical text does.
    thread_local const std::unique_ptr<UBreakIterator, CloseBreaks> breaks(
        ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status));
    CHECK(U_SUCCESS(status) && breaks, u_errorName(status));
    UText source = UTEXT_INITIALIZER;
    utext_openUTF8(&source, text.data(), static_cast<std::int64_t>(text.size()), &status);
    ubrk_setUText(breaks.get(), &source, &status);
    CHECK(U_SUCCESS(status), u_errorName(status));
    std::vector<std::int32_t> ends;
    ubrk_first(breaks.get());
    for (auto end = ubrk_next(breaks.get()); end != UBRK_DONE; end = ubrk_next(breaks.get()))
        ends.push_back(end);
    utext_close(&source);
    return ends;
}

} // namespace assay
