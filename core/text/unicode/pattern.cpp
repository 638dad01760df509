#include "core/text/unicode/pattern.h"

#include "core/base/check.h"
#include "core/text/unicode/code_points.h"
#include "core/text/unicode/pattern_syntax.h"
#include "core/text/unicode/text_faults.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

namespace assay {

namespace {

constexpr std::size_t kMaximumExpressionBytes = 16384;
constexpr std::uint32_t kMatchLimit = 5'000'000;
constexpr std::uint32_t kDepthLimit = 50'000;
constexpr std::uint32_t kHeapLimitKib = 20'000;
constexpr std::size_t kJitStackBytes = std::size_t{1} << 20;

/// What one thread needs to match.
struct Workspace
{
    Workspace()
        : data(pcre2_match_data_create(1, nullptr))
        , context(pcre2_match_context_create(nullptr))
        , stack(pcre2_jit_stack_create(std::size_t{32} << 10, kJitStackBytes, nullptr))
    {
        CHECK(data && context, "out of memory");
        pcre2_set_match_limit(context, kMatchLimit);
        pcre2_set_depth_limit(context, kDepthLimit);
        pcre2_set_heap_limit(context, kHeapLimitKib);
        if (stack)
            pcre2_jit_stack_assign(context, nullptr, stack);
    }
    ~Workspace()
    {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
        pcre2_jit_stack_free(stack);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    pcre2_match_data* data;
    pcre2_match_context* context;
    pcre2_jit_stack* stack;
};

std::string messageOf(int code)
{
    std::array<PCRE2_UCHAR, 256> buffer{};
    pcre2_get_error_message(code, buffer.data(), buffer.size());
    return reinterpret_cast<const char*>(buffer.data());
}

std::vector<ByteRange> literalMatches(std::string_view text, std::string_view wanted)
{
    std::vector<ByteRange> found;
    for (auto at = text.find(wanted); at != std::string_view::npos;
         at = text.find(wanted, at + wanted.size()))
        found.push_back({static_cast<std::int32_t>(at), static_cast<std::int32_t>(at + wanted.size())});
    return found;
}

} // namespace

struct Pattern::Program
{
    explicit Program(pcre2_code* compiled)
        : code(compiled)
    {}
    ~Program() { pcre2_code_free(code); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pcre2_code* code;
};

Result<Pattern> Pattern::compile(std::string_view expression)
{
    if (expression.empty() || expression.size() > kMaximumExpressionBytes)
        return Error{ErrorCode::BadModel, "a regular expression of " + std::to_string(expression.size()) +
                                              " bytes; 1 to " + std::to_string(kMaximumExpressionBytes) +
                                              " are taken"};
    const auto translated = toPcre2Syntax(expression);
    auto* context = pcre2_compile_context_create(nullptr);
    CHECK(context, "out of memory");
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context, 50);
    int code = 0;
    PCRE2_SIZE at = 0;
    // Oniguruma's ^ and $ stand for lines.
    auto* compiled =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code, &at, context);
    pcre2_compile_context_free(context);
    if (!compiled)
        return Error{ErrorCode::BadModel, "the regular expression \"" +
                                              std::string(expression.substr(0, 200)) +
                                              "\" is not understood: " + messageOf(code)};
    Pattern pattern;
    pattern.m_program = std::make_shared<Program>(compiled);
    // Without a just-in-time compiler the interpreter does the same work.
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
    return pattern;
}

Pattern Pattern::literal(std::string_view text)
{
    CHECK(!text.empty(), "an empty text matches nowhere");
    Pattern pattern;
    pattern.m_literal = text;
    return pattern;
}

std::vector<ByteRange> Pattern::matches(std::string_view text) const
{
    if (!m_program)
        return literalMatches(text, m_literal);
    thread_local const Workspace workspace;
    std::vector<ByteRange> found;
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    const auto* range = pcre2_get_ovector_pointer(workspace.data);
    std::size_t at = 0;
    while (at < text.size()) {
        // AlignedText holds valid UTF-8 only.
        const auto count = pcre2_match(m_program->code, subject, text.size(), at, PCRE2_NO_UTF_CHECK,
                                       workspace.data, workspace.context);
        if (count < 0) {
            if (count != PCRE2_ERROR_NOMATCH)
                TextFaults::report("a regular expression of the tokenizer reached its limit on this text (" +
                                   messageOf(count) + "), and what is left of it is one word");
            break;
        }
        const auto begin = range[0], end = range[1];
        if (begin < at || end < begin) // \K can move the beginning anywhere
            break;
        if (begin < end)
            found.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
        else if (begin == text.size())
            break;
        at = begin < end ? end : begin + codePointAt(text, begin).bytes;
    }
    return found;
}

} // namespace assay
