#pragma once

#include "core/base/check.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace assay {

/// Kinds of expected failure; each has one exit code of the command line (see `app/exit_codes.h`).
enum class ErrorCode {
    Usage,       ///< the request itself is wrong (unknown flag, field or value)
    NotFound,    ///< a file, run or checkpoint that was named does not exist
    BadData,     ///< a data row or file breaks the rules of its format
    BadModel,    ///< a model folder, weight file or tokenizer cannot be used
    Io,          ///< reading or writing failed
    Store,       ///< the run store refused or is damaged
    Unsupported, ///< understood, but outside what Assay does
    Blocked,     ///< a check forbids the start; can be overridden with a reason
    Numeric,     ///< a non-finite value in training
    Cancelled,   ///< stopped on request
    OutOfMemory,
    Internal, ///< a library threw; the message is its own
};

/// An expected failure: what happened, where (file:line, key, tensor, row), and what to do about it.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string where = {};
    std::string remedy = {};

    /// One line for people: "message (where). Remedy".
    std::string text() const;
};

/// Either a value or an Error; used for everything that input or the machine can make fail.
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {}
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() &
    {
        ASSAY_CHECK(ok(), error().text());
        return std::get<0>(m_state);
    }
    const T& value() const&
    {
        ASSAY_CHECK(ok(), error().text());
        return std::get<0>(m_state);
    }
    T&& value() &&
    {
        ASSAY_CHECK(ok(), error().text());
        return std::get<0>(std::move(m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void>
{
public:
    Result() = default;
    Result(Error error)
        : m_error(std::move(error))
    {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

/// Stable word of an error code, used in JSON output and in the store.
const char* errorCodeName(ErrorCode code);

} // namespace assay

#define ASSAY_CONCAT_(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_(a, b)
/// `TRY(auto x, f());` assigns the value or returns the error from the enclosing function.
#define TRY(declaration, expression)                                                                         \
    auto ASSAY_CONCAT(result_, __LINE__) = (expression);                                                     \
    if (!ASSAY_CONCAT(result_, __LINE__).ok())                                                               \
        return ASSAY_CONCAT(result_, __LINE__).error();                                                      \
    declaration = std::move(ASSAY_CONCAT(result_, __LINE__)).value()
/// `TRY_STATUS(f());` returns the error of a value-less Result from the enclosing function.
#define TRY_STATUS(expression)                                                                               \
    do {                                                                                                     \
        if (auto status_ = (expression); !status_.ok())                                                      \
            return status_.error();                                                                          \
    } while (false)
