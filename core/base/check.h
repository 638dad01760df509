#pragma once

#include <string_view>

namespace assay {

/// Prints the failed condition and aborts: a bug of ours, never a reaction to input.
[[noreturn]] void checkFailed(const char* file, int line, const char* condition, std::string_view message);

} // namespace assay

/// Always on, in release builds too. For bugs only; expected failures return Result<T>.
#define CHECK(condition, message)                                                                            \
    do {                                                                                                      \
        if (!(condition)) [[unlikely]]                                                                        \
            ::assay::checkFailed(__FILE__, __LINE__, #condition, message);                                    \
    } while (false)
