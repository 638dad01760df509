#include "core/text/pipeline/normalizers/character_change.h"
#include "core/text/pipeline/normalizers/normalizer.h"

namespace assay {

namespace {

bool isCjk(char32_t c)
{
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) ||
           (c >= 0x2b820 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

bool isBlank(char32_t c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

/// Clean text, CJK characters apart, accents and capitals away: each as the file asks.
class BertNormalizer : public Normalizer
{
public:
    BertNormalizer(bool clean, bool separateCjk, bool stripAccents, bool lowercase)
        : m_clean(clean)
        , m_separateCjk(separateCjk)
        , m_stripAccents(stripAccents)
        , m_lowercase(lowercase)
    {}

    AlignedText apply(AlignedText text) const override
    {
        if (m_clean) {
            text = filtered(text, [](char32_t c) {
                return c != 0 && c != 0xfffd && (isBlank(c) || !isControlOrFormat(c));
            });
            text = mapped(
                text, [](char32_t c) { return spelled(isBlank(c) || isWhiteSpace(c) ? U' ' : c, false); });
        }
        if (m_separateCjk)
            text = mapped(text, [](char32_t c) { return spelled(c, isCjk(c)); });
        if (m_stripAccents) {
            text = inNormalForm(std::move(text), NormalForm::Nfd);
            text = filtered(text, [](char32_t c) { return !isNonSpacingMark(c); });
        }
        return m_lowercase ? lowered(text) : text;
    }

private:
    static std::string spelled(char32_t value, bool apart)
    {
        std::string text = apart ? " " : "";
        appendCodePoint(text, value);
        return apart ? text + " " : text;
    }

    bool m_clean, m_separateCjk, m_stripAccents, m_lowercase;
};

} // namespace

Result<NormalizerPtr> makeBertNormalizer(const Component& component)
{
    TRY(const bool clean, component.flagOr("clean_text", true));
    TRY(const bool separateCjk, component.flagOr("handle_chinese_chars", true));
    TRY(const bool lowercase, component.flagOr("lowercase", true));
    TRY(const bool stripAccents, component.flagOr("strip_accents", lowercase));
    return NormalizerPtr(std::make_shared<BertNormalizer>(clean, separateCjk, stripAccents, lowercase));
}

} // namespace assay
