#include "core/base/result.h"

#include <cstdio>
#include <cstdlib>

namespace assay {

void checkFailed(const char* file, int line, const char* condition, std::string_view message)
{
    std::fprintf(stderr, "%s:%d: internal error: %s (%.*s)\n", file, line, condition,
                 static_cast<int>(message.size()), message.data());
    std::abort();
}

std::string Error::text() const
{
    std::string result = message;
    if (!where.empty())
        result += " (" + where + ")";
    if (!remedy.empty())
        result += ". " + remedy;
    return result;
}

const char* errorCodeName(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Usage:
        return "usage";
    case ErrorCode::NotFound:
        return "not-found";
    case ErrorCode::BadData:
        return "bad-data";
    case ErrorCode::BadModel:
        return "bad-model";
    case ErrorCode::Io:
        return "io";
    case ErrorCode::Store:
        return "store";
    case ErrorCode::Unsupported:
        return "unsupported";
    case ErrorCode::Blocked:
        return "blocked";
    case ErrorCode::Numeric:
        return "numeric";
    case ErrorCode::Cancelled:
        return "cancelled";
    case ErrorCode::OutOfMemory:
        return "out-of-memory";
    case ErrorCode::Internal:
        return "internal";
    }
    return "internal";
}

} // namespace assay
