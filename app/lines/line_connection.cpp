#include "app/lines/line_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

namespace assay {

namespace {

constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostUnsentBytes = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{1} << 16;

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool writable(int descriptor)
{
    pollfd one{descriptor, POLLOUT, 0};
    return ::poll(&one, 1, 0) > 0;
}

bool tryLater(int code)
{
    return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

} // namespace

LineConnection::LineConnection(int input, int output, bool socket)
    : m_input(input)
    , m_output(output)
    , m_socket(socket)
{}

LineConnection::~LineConnection()
{
    if (m_socket)
        ::close(m_input);
}

bool LineConnection::wantsInput() const
{
    return !m_ended && !m_broken && m_waiting.size() < kMostWaiting && m_waitingBytes < kLongestLineBytes &&
           m_unsent.size() - m_sent < kMostUnsentBytes;
}

bool LineConnection::hasWork() const
{
    return !m_broken && !m_waiting.empty() && m_unsent.size() - m_sent < kMostUnsentBytes;
}

bool LineConnection::done() const
{
    return m_broken || (m_ended && m_waiting.empty() && m_sent == m_unsent.size());
}

void LineConnection::receive()
{
    const auto before = m_partial.size();
    m_partial.resize(before + kReadBytes);
    const auto count = ::read(m_input, m_partial.data() + before, kReadBytes);
    const int code = errno;
    m_partial.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count > 0) {
        split(before);
    } else if (count == 0 || !tryLater(code)) {
        m_ended = true;
        finishLine(); // the last line need not end in a line break
    }
}

void LineConnection::split(std::size_t from)
{
    auto end = m_partial.find('\n', from);
    if (end != std::string::npos) {
        const std::string bytes = std::move(m_partial);
        std::size_t begin = 0;
        for (; end != std::string::npos; end = bytes.find('\n', begin)) {
            m_partial.assign(bytes, begin, end - begin);
            finishLine();
            begin = end + 1;
        }
        m_partial.assign(bytes, begin);
    }
    if (m_partial.size() > kLongestLineBytes) {
        m_discarding = true;
        m_partial.clear();
    }
}

void LineConnection::finishLine()
{
    if (m_discarding || m_partial.size() > kLongestLineBytes) {
        m_waiting.push_back({{}, true});
    } else if (!isBlank(m_partial)) {
        m_waitingBytes += m_partial.size();
        m_waiting.push_back({std::move(m_partial), false});
    }
    m_partial.clear();
    m_discarding = false;
}

ReceivedLine LineConnection::take()
{
    auto line = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_waitingBytes -= line.text.size();
    return line;
}

void LineConnection::answer(const std::string& line)
{
    m_unsent += line;
    m_unsent += '\n';
}

void LineConnection::send()
{
    while (wantsOutput()) {
        const char* data = m_unsent.data() + m_sent;
        const auto left = m_unsent.size() - m_sent;
        ssize_t count = 0;
        if (m_socket) {
            count = ::send(m_output, data, left, MSG_DONTWAIT | MSG_NOSIGNAL);
        } else {
            // A pipe that is writable takes PIPE_BUF bytes without blocking; its mode is the caller's.
            if (!writable(m_output))
                break;
            count = ::write(m_output, data, std::min<std::size_t>(left, PIPE_BUF));
        }
        if (count < 0) {
            m_broken = !tryLater(errno);
            break;
        }
        m_sent += static_cast<std::size_t>(count);
    }
    if (m_sent == m_unsent.size() || m_sent > kMostUnsentBytes) {
        m_unsent.erase(0, m_sent);
        m_sent = 0;
    }
}

} // namespace assay
