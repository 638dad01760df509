#include "core/text/jinja/lexer.h"

#include "core/text/jinja/value.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>

namespace assay::jinja {

namespace {

constexpr std::array<std::string_view, 29> kOperators = {
    "//", "**", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ".", ",", ":",
    "|",  "+",  "-",  "*",  "/",  "%",  "~", "<", ">", "=", ";", "!", "@", "&"};

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string withPlainLineBreaks(std::string_view source)
{
    std::string text;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r')
            text += source[i];
        else if (i + 1 == source.size() || source[i + 1] != '\n')
            text += '\n';
    }
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

class Lexer
{
public:
    explicit Lexer(std::string source)
        : m_source(std::move(source))
    {}

    std::vector<Token> run()
    {
        while (m_at < m_source.size())
            readData();
        add(TokenKind::End, "");
        return std::move(m_tokens);
    }

private:
    std::string_view rest() const { return std::string_view(m_source).substr(m_at); }

    void add(TokenKind kind, std::string text)
    {
        m_line +=
            static_cast<std::int32_t>(std::count(m_source.begin() + static_cast<std::ptrdiff_t>(m_counted),
                                                 m_source.begin() + static_cast<std::ptrdiff_t>(m_at), '\n'));
        m_counted = m_at;
        m_tokens.push_back({kind, std::move(text), m_line});
    }

    [[noreturn]] void fail(std::string_view message)
    {
        add(TokenKind::End, "");
        throw Fault(fmt::format("line {}: {}", m_line, message));
    }

    /// Text up to the next tag, and the tag.
    void readData()
    {
        auto begin = m_source.find('{', m_at);
        while (begin != std::string::npos &&
               (begin + 1 == m_source.size() ||
                std::string_view("{%#").find(m_source[begin + 1]) == std::string_view::npos))
            begin = m_source.find('{', begin + 1);
        auto data =
            std::string_view(m_source).substr(m_at, begin == std::string::npos ? begin : begin - m_at);
        const char kind = begin == std::string::npos ? '\0' : m_source[begin + 1];
        const char control = kind != '\0' && begin + 2 < m_source.size() ? m_source[begin + 2] : '\0';
        if (control == '-')
            data = rightStripped(data);
        else if ((kind == '%' || kind == '#') && control != '+')
            data = withoutIndent(data);
        if (!data.empty())
            add(TokenKind::Data, std::string(data));
        if (kind == '\0') {
            m_at = m_source.size();
            return;
        }
        m_at = begin + 2 + (control == '-' || control == '+' ? 1 : 0);
        if (kind == '#')
            readComment();
        else
            readTag(kind == '%');
    }

    static std::string_view rightStripped(std::string_view data)
    {
        while (!data.empty()) {
            const auto last = codePointBefore(data, data.size());
            if (!isWhiteSpace(last.value))
                break;
            data.remove_suffix(last.bytes);
        }
        return data;
    }

    /// Drops blanks at the end that nothing but a line break stands before.
    std::string_view withoutIndent(std::string_view data) const
    {
        const auto last = data.find_last_not_of(" \t\v\f");
        if (last == std::string_view::npos)
            return m_tokens.empty() || m_afterLineBreak ? std::string_view() : data;
        return data[last] == '\n' ? data.substr(0, last + 1) : data;
    }

    /// What a tag's end does to the text behind it.
    void skipBehind(char control, bool block)
    {
        m_afterLineBreak = false;
        if (control == '-') {
            while (m_at < m_source.size() && isWhiteSpace(codePointAt(m_source, m_at).value)) {
                m_afterLineBreak = m_afterLineBreak || m_source[m_at] == '\n';
                m_at += codePointAt(m_source, m_at).bytes;
            }
        } else if (block && control != '+' && rest().starts_with('\n')) {
            ++m_at;
            m_afterLineBreak = true;
        }
    }

    void readComment()
    {
        const auto end = m_source.find("#}", m_at);
        if (end == std::string::npos)
            fail("a comment does not end");
        const char control = end > m_at ? m_source[end - 1] : '\0';
        m_at = end + 2;
        skipBehind(control, true);
    }

    void readTag(bool block)
    {
        if (block && rawBlock())
            return;
        add(block ? TokenKind::BlockBegin : TokenKind::OutputBegin, "");
        const std::string_view closing = block ? "%}" : "}}";
        m_brackets = 0;
        while (true) {
            m_at = std::min(m_source.find_first_not_of(" \t\n\v\f", m_at), m_source.size());
            if (m_at == m_source.size())
                fail("a tag does not end");
            const char control = m_source[m_at];
            const bool controlled =
                (control == '-' || control == '+') && rest().substr(1).starts_with(closing);
            if (m_brackets == 0 && (controlled || rest().starts_with(closing))) {
                m_at += closing.size() + (controlled ? 1 : 0);
                add(block ? TokenKind::BlockEnd : TokenKind::OutputEnd, "");
                skipBehind(controlled ? control : '\0', block);
                return;
            }
            readWord();
        }
    }

    void readWord()
    {
        const char c = m_source[m_at];
        if (c == '"' || c == '\'')
            return readText(c);
        if (isDigit(c))
            return readNumber();
        if (isNameCharacter(c)) {
            const auto begin = m_at;
            while (m_at < m_source.size() && isNameCharacter(m_source[m_at]))
                ++m_at;
            return add(TokenKind::Name, m_source.substr(begin, m_at - begin));
        }
        for (const auto known : kOperators) {
            if (!rest().starts_with(known))
                continue;
            m_brackets += known == "(" || known == "[" || known == "{"   ? 1
                          : known == ")" || known == "]" || known == "}" ? -1
                                                                         : 0;
            m_at += known.size();
            return add(TokenKind::Operator, std::string(known));
        }
        fail(fmt::format("the character '{}' is not expected",
                         rest().substr(0, codePointAt(m_source, m_at).bytes)));
    }

    void readNumber()
    {
        const auto begin = m_at;
        bool fraction = false;
        const auto digits = [this] {
            while (m_at < m_source.size() && (isDigit(m_source[m_at]) || m_source[m_at] == '_'))
                ++m_at;
        };
        digits();
        if (m_at + 1 < m_source.size() && m_source[m_at] == '.' && isDigit(m_source[m_at + 1])) {
            fraction = true;
            ++m_at;
            digits();
        }
        if (m_at + 1 < m_source.size() && (m_source[m_at] == 'e' || m_source[m_at] == 'E')) {
            fraction = true;
            m_at += m_source[m_at + 1] == '-' || m_source[m_at + 1] == '+' ? 2 : 1;
            digits();
        }
        auto text = m_source.substr(begin, m_at - begin);
        text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
        add(fraction ? TokenKind::Float : TokenKind::Integer, text);
    }

    void readText(char quote)
    {
        std::string text;
        for (++m_at; m_at < m_source.size() && m_source[m_at] != quote; ++m_at) {
            if (m_source[m_at] == '\\' && m_at + 1 < m_source.size())
                readEscape(text);
            else
                text += m_source[m_at];
        }
        if (m_at == m_source.size())
            fail("a text does not end");
        ++m_at;
        add(TokenKind::Text, std::move(text));
    }

    /// At the backslash; leaves the last character of the escape.
    void readEscape(std::string& text)
    {
        constexpr std::string_view kLetters = "ntrabfv\\'\"\n";
        constexpr std::string_view kMeanings = "\n\t\r\a\b\f\v\\'\"";
        const char letter = m_source[++m_at];
        const auto known = kLetters.find(letter);
        if (known < kMeanings.size()) {
            text += kMeanings[known];
            return;
        }
        if (letter == '\n')
            return;
        const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
        if (digits == 0) {
            text += std::string("\\") + letter;
            return;
        }
        const auto hex = m_source.substr(m_at + 1, digits);
        const bool valid =
            hex.size() == digits && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        const auto value = valid ? std::stoul(hex, nullptr, 16) : ULONG_MAX;
        if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
            fail("an escape in a text is no character");
        appendCodePoint(text, static_cast<char32_t>(value));
        m_at += digits;
    }

    /// `{% raw %}`: everything up to its end is text.
    bool rawBlock()
    {
        const auto word = [this](std::size_t from, std::string_view name) -> std::size_t {
            const auto begin = m_source.find_first_not_of(" \t\n", from);
            if (begin == std::string::npos || !std::string_view(m_source).substr(begin).starts_with(name))
                return 0;
            auto end = m_source.find_first_not_of(" \t\n", begin + name.size());
            if (end != std::string::npos && m_source[end] == '-')
                ++end;
            return end != std::string::npos && std::string_view(m_source).substr(end).starts_with("%}")
                       ? end + 2
                       : 0;
        };
        const auto begin = word(m_at, "raw");
        if (begin == 0)
            return false;
        m_at = begin;
        skipBehind(m_source[begin - 3], true);
        for (auto end = m_source.find("{%", m_at); end != std::string::npos;
             end = m_source.find("{%", end + 2)) {
            const bool strip = m_source.compare(end + 2, 1, "-") == 0;
            const auto behind = word(end + (strip ? 3 : 2), "endraw");
            if (behind == 0)
                continue;
            const auto data = std::string_view(m_source).substr(m_at, end - m_at);
            add(TokenKind::Data, std::string(strip ? rightStripped(data) : withoutIndent(data)));
            m_at = behind;
            skipBehind(m_source[behind - 3], true);
            return true;
        }
        fail("a raw block does not end");
    }

    std::string m_source;
    std::size_t m_at = 0;
    std::size_t m_counted = 0; ///< how far the lines have been counted
    std::int32_t m_line = 1;
    int m_brackets = 0;            ///< open ones of the tag
    bool m_afterLineBreak = false; ///< whether the last tag took the line break behind it
    std::vector<Token> m_tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source)
{
    return Lexer(withPlainLineBreaks(source)).run();
}

} // namespace assay::jinja
