#include "core/run/guarded.h"

#include "core/data/stream/streamed_dataset.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

namespace assay {

namespace {

Error outOfMemory(std::string message)
{
    return Error{
        ErrorCode::OutOfMemory, std::move(message), {}, "Lower batch.examples, or set batch.maximum_tokens"};
}

} // namespace

Error caughtError()
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        return outOfMemory(error.what_without_backtrace());
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        if (text.find("not enough memory") != std::string::npos ||
            text.find("can't allocate") != std::string::npos)
            return outOfMemory(text);
        return Error{ErrorCode::Internal, text};
    } catch (const RowUnreadable& unreadable) {
        return unreadable.error();
    } catch (const std::bad_alloc&) {
        return outOfMemory("memory ran out");
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, error.what()};
    } catch (...) {
        return Error{ErrorCode::Internal, "an exception of an unknown kind"};
    }
}

} // namespace assay
