#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// Gathers why texts that this thread encodes do not become the tokens that their tokenizer describes, from
/// its making to its end. Encoding itself always gives tokens. Of several at once the innermost gathers.
class TextFaults
{
public:
    TextFaults();
    ~TextFaults();
    TextFaults(const TextFaults&) = delete;
    TextFaults& operator=(const TextFaults&) = delete;

    const std::optional<std::string>& first() const { return m_first; }
    /// Called where it happens. Where nobody gathers the log says it, once for many in a row.
    static void report(std::string_view fault);

private:
    TextFaults* m_outer;
    std::optional<std::string> m_first;
};

} // namespace assay
