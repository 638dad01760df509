#pragma once

#include <string_view>

namespace assay {

/// Prints the failed condition and aborts: a bug of ours, never a reaction to input.
[[noreturn]] void checkFailed(const char* file, int line, const char* condition, std::string_view message);

} // namespace assay

/// Always on, in release builds too. For bugs only; expected failures return Result<T>. Code that includes
/// torch writes the long name, because torch's logging header has a CHECK of its own.
#define ASSAY_CHECK(condition, message)                                                                      \
    do {                                                                                                     \
        if (!(condition)) [[unlikely]]                                                                       \
            ::assay::checkFailed(__FILE__, __LINE__, #condition, message);                                   \
    } while (false)

#ifndef CHECK
#define CHECK(condition, message) ASSAY_CHECK(condition, message)
#endif
