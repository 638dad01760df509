#pragma once

#include "app/lines/line_connection.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace assay {

class UnixListener;

/// One answer for every line, in the same order.
using LineHandler = std::function<std::vector<std::string>(std::span<const ReceivedLine> lines)>;

/// Answers lines as they come: whatever waits, of all clients in turn, is one call of the handler; it never
/// waits for more. Each client's answers come in the order of its lines and are sent at once. One thread;
/// a stop answers what was read and ends.
class LineServer
{
public:
    /// `stop`: a descriptor that becomes readable when it is time to end.
    LineServer(LineHandler handler, int stop);

    /// Lines on standard input, answers on standard output, until the input ends. Errors: Io (nobody takes
    /// the answers).
    Status serveStandardStreams();
    /// Any number of clients, until a stop.
    Status serve(const UnixListener& listener);

private:
    Status loop(const UnixListener* listener);
    /// Waits until something can be done, and reads and writes; returns false once it is time to end. Errors:
    /// Io.
    Result<bool> wait(const UnixListener* listener);
    void acceptClients(const UnixListener& listener);
    /// Lets the handler answer what waits; returns whether there was anything.
    bool answerWaiting();
    /// After a stop: what was read is answered; a client that takes nothing for some seconds is left behind.
    void finish();

    LineHandler m_handler;
    int m_stop;
    std::vector<std::unique_ptr<LineConnection>> m_connections;
    std::size_t m_first = 0; ///< whose turn it is
};

} // namespace assay
