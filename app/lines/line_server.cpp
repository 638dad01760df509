#include "app/lines/line_server.h"

#include "app/lines/unix_listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace assay {

namespace {

constexpr std::size_t kMostClients = 64;
/// Lines of one call: enough to fill a batch, few enough that the first answer does not wait long.
constexpr std::size_t kMostLinesPerCall = 64;
constexpr std::chrono::seconds kLastAnswers{5};

/// A closed pipe is an error of the write, not the end of the process.
class IgnoredPipeSignal
{
public:
    IgnoredPipeSignal()
        : m_before(std::signal(SIGPIPE, SIG_IGN))
    {}
    ~IgnoredPipeSignal() { std::signal(SIGPIPE, m_before); }
    IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
    IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

private:
    void (*m_before)(int);
};

} // namespace

LineServer::LineServer(LineHandler handler, int stop)
    : m_handler(std::move(handler))
    , m_stop(stop)
{}

Status LineServer::serveStandardStreams()
{
    m_connections.push_back(std::make_unique<LineConnection>(STDIN_FILENO, STDOUT_FILENO, false));
    return loop(nullptr);
}

Status LineServer::serve(const UnixListener& listener)
{
    return loop(&listener);
}

Status LineServer::loop(const UnixListener* listener)
{
    const IgnoredPipeSignal ignored;
    for (bool more = true; more && (listener || !m_connections.empty());) {
        TRY(more, wait(listener));
        answerWaiting();
        if (!listener && m_connections.front()->broken())
            return Error{ErrorCode::Io, "nobody reads the answers any more", "standard output"};
        std::erase_if(m_connections, [](const auto& connection) { return connection->done(); });
    }
    finish();
    m_connections.clear();
    return {};
}

Result<bool> LineServer::wait(const UnixListener* listener)
{
    const bool room = listener && m_connections.size() < kMostClients;
    std::vector<pollfd> entries{{m_stop, POLLIN, 0}, {room ? listener->descriptor() : -1, POLLIN, 0}};
    bool work = false;
    for (const auto& connection : m_connections) {
        entries.push_back({connection->wantsInput() ? connection->input() : -1, POLLIN, 0});
        entries.push_back({connection->wantsOutput() ? connection->output() : -1, POLLOUT, 0});
        work = work || connection->hasWork();
    }
    if (::poll(entries.data(), entries.size(), work ? 0 : -1) < 0) {
        if (errno == EINTR)
            return true;
        return Error{ErrorCode::Io, std::strerror(errno), "poll"};
    }
    for (std::size_t i = 0; i < m_connections.size(); ++i) {
        if (entries[2 + 2 * i].revents != 0)
            m_connections[i]->receive();
        if (entries[3 + 2 * i].revents != 0)
            m_connections[i]->send();
    }
    if (entries[1].revents != 0)
        acceptClients(*listener);
    return entries[0].revents == 0;
}

void LineServer::acceptClients(const UnixListener& listener)
{
    while (m_connections.size() < kMostClients) {
        const int client = listener.accept();
        if (client < 0)
            return;
        m_connections.push_back(std::make_unique<LineConnection>(client, client, true));
    }
}

bool LineServer::answerWaiting()
{
    std::vector<LineConnection*> sources;
    std::vector<ReceivedLine> lines;
    // One line of each in turn, so that a client with many does not keep the others waiting.
    for (bool any = true; any && lines.size() < kMostLinesPerCall;) {
        any = false;
        for (std::size_t i = 0; i < m_connections.size() && lines.size() < kMostLinesPerCall; ++i) {
            auto& connection = *m_connections[(m_first + i) % m_connections.size()];
            if (!connection.hasWork())
                continue;
            any = true;
            lines.push_back(connection.take());
            sources.push_back(&connection);
        }
    }
    if (lines.empty())
        return false;
    ++m_first;
    const auto answers = m_handler(lines);
    CHECK(answers.size() == lines.size(), "a line has no answer");
    for (std::size_t i = 0; i < answers.size(); ++i)
        sources[i]->answer(answers[i]);
    for (auto* source : sources)
        source->send();
    return true;
}

void LineServer::finish()
{
    const auto deadline = std::chrono::steady_clock::now() + kLastAnswers;
    for (;;) {
        const bool answered = answerWaiting();
        std::vector<pollfd> entries;
        for (const auto& connection : m_connections)
            if (connection->wantsOutput())
                entries.push_back({connection->output(), POLLOUT, 0});
        if (!answered && entries.empty())
            return;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return;
        if (!answered)
            ::poll(entries.data(), entries.size(), static_cast<int>(left.count()));
        for (const auto& connection : m_connections)
            connection->send();
    }
}

} // namespace assay
