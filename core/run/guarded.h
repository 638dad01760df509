#pragma once

#include "core/base/result.h"

#include <functional>

namespace assay {

/// The error of the exception that is being handled: out of memory, or what a library said. Only inside a
/// catch block.
Error caughtError();

/// Turns what libraries throw into an error.
template <typename T>
Result<T> guarded(const std::function<Result<T>()>& work)
{
    try {
        return work();
    } catch (...) {
        return caughtError();
    }
}

} // namespace assay
