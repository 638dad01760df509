#pragma once

#include "tests/support/program.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace assay::tests {

/// Talks to a running `assay` in JSON lines over its standard streams.
class LineClient
{
public:
    explicit LineClient(const QStringList& words) { m_process.start(programPath(), words); }
    ~LineClient()
    {
        m_process.kill();
        m_process.waitForFinished(5000);
    }

    QProcess& process() { return m_process; }
    bool started() { return m_process.waitForStarted(10000); }
    void write(const QByteArray& bytes)
    {
        m_process.write(bytes);
        m_process.waitForBytesWritten(10000);
    }
    /// The next line; a discarded value when none comes.
    nlohmann::json read()
    {
        while (!m_process.canReadLine() && m_process.waitForReadyRead(30000)) {
        }
        return nlohmann::json::parse(m_process.readLine().toStdString(), nullptr, false);
    }
    /// Ends the input; the exit code.
    int end()
    {
        m_process.closeWriteChannel();
        return m_process.waitForFinished(30000) ? m_process.exitCode() : -1;
    }

private:
    QProcess m_process;
};

/// The same over a Unix socket.
class SocketClient
{
public:
    explicit SocketClient(const std::string& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        m_socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        m_connected = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    }
    ~SocketClient() { ::close(m_socket); }
    SocketClient(const SocketClient&) = delete;
    SocketClient& operator=(const SocketClient&) = delete;

    bool connected() const { return m_connected; }
    bool write(const QByteArray& bytes)
    {
        return ::send(m_socket, bytes.constData(), static_cast<std::size_t>(bytes.size()), MSG_NOSIGNAL) ==
               bytes.size();
    }
    /// Sends whole lines until the other side takes nothing for a second, at most `bytes`; returns how much.
    std::size_t offer(const QByteArray& line, std::size_t bytes)
    {
        std::size_t sent = 0;
        std::size_t part = 0;
        const auto size = static_cast<std::size_t>(line.size());
        while (sent < bytes || part > 0) {
            pollfd one{m_socket, POLLOUT, 0};
            if (::poll(&one, 1, part > 0 ? 10000 : 1000) <= 0)
                break;
            const auto count =
                ::send(m_socket, line.constData() + part, size - part, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (count < 0 && errno != EAGAIN)
                break;
            sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
            part = (part + static_cast<std::size_t>(std::max<ssize_t>(count, 0))) % size;
        }
        return sent;
    }
    void endInput() { ::shutdown(m_socket, SHUT_WR); }
    nlohmann::json readLine()
    {
        auto end = m_received.find('\n');
        while (end == std::string::npos && receive())
            end = m_received.find('\n');
        const auto line = m_received.substr(0, end);
        m_received.erase(0, end == std::string::npos ? end : end + 1);
        return nlohmann::json::parse(line, nullptr, false);
    }
    bool atEnd() { return m_received.empty() && !receive(); }

private:
    bool receive()
    {
        pollfd one{m_socket, POLLIN, 0};
        char bytes[65536];
        const auto count = ::poll(&one, 1, 30000) > 0 ? ::recv(m_socket, bytes, sizeof(bytes), 0) : 0;
        m_received.append(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        return count > 0;
    }

    int m_socket = -1;
    bool m_connected = false;
    std::string m_received;
};

} // namespace assay::tests
