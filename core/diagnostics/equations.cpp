#include "core/diagnostics/equations.h"

#include <charconv>
#include <cmath>

namespace assay {

namespace {

/// Reads tokens of an equation from a text, skipping blanks.
class Scanner
{
public:
    explicit Scanner(std::string_view text)
        : m_rest(text)
    {}

    std::optional<double> number()
    {
        skipBlanks();
        double value = 0.0;
        if (m_rest.empty() || m_rest.front() < '0' || m_rest.front() > '9')
            return std::nullopt;
        const auto [end, error] =
            std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value, std::chars_format::fixed);
        if (error != std::errc{})
            return std::nullopt;
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return value;
    }
    char symbol()
    {
        skipBlanks();
        if (m_rest.empty())
            return '\0';
        const char found = m_rest.front();
        m_rest.remove_prefix(1);
        return found;
    }

private:
    void skipBlanks()
    {
        while (!m_rest.empty() && (m_rest.front() == ' ' || m_rest.front() == '\n' || m_rest.front() == '\t'))
            m_rest.remove_prefix(1);
    }
    std::string_view m_rest;
};

std::optional<double> apply(double a, char operation, double b)
{
    switch (operation) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
    case 'x':
        return a * b;
    case '/':
        return b == 0.0 ? std::nullopt : std::optional<double>(a / b);
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<bool> equationHolds(std::string_view step)
{
    const auto isDigit = [&](std::size_t i) { return step[i] >= '0' && step[i] <= '9'; };
    for (std::size_t i = 0; i < step.size(); ++i) {
        if (!isDigit(i) || (i > 0 && (isDigit(i - 1) || step[i - 1] == '.')))
            continue;
        Scanner scanner(step.substr(i));
        const auto left = scanner.number();
        const char operation = scanner.symbol();
        const auto right = scanner.number();
        if (!left || !right || scanner.symbol() != '=')
            continue;
        const auto stated = scanner.number();
        const auto computed = apply(*left, operation, *right);
        if (stated && computed)
            return std::abs(*computed - *stated) < 1e-9;
    }
    return std::nullopt;
}

} // namespace assay
