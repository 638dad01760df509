#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace assay {

/// A request as it came in.
struct ReceivedLine
{
    std::string text;
    bool tooLong = false; ///< the text is missing: it had more than `kLongestLineBytes`
};

constexpr std::size_t kLongestLineBytes = std::size_t{16} << 20;

/// Lines in and out over two descriptors (or one socket), never blocking when they have been polled. What it
/// holds is bounded: nothing is read while requests or unsent answers pile up.
class LineConnection
{
public:
    LineConnection(int input, int output, bool socket);
    ~LineConnection();
    LineConnection(const LineConnection&) = delete;
    LineConnection& operator=(const LineConnection&) = delete;

    int input() const { return m_input; }
    int output() const { return m_output; }
    /// Whether there is room for more requests.
    bool wantsInput() const;
    bool wantsOutput() const { return !m_broken && m_sent < m_unsent.size(); }
    /// Whether its next request may be answered: there is one, and the answers before it are being taken.
    bool hasWork() const;
    /// The input has ended and everything is answered and sent, or nobody takes the answers any more.
    bool done() const;
    bool broken() const { return m_broken; }

    /// Reads once what is there; call it when the input is readable.
    void receive();
    /// Only after `hasWork`.
    ReceivedLine take();
    void answer(const std::string& line);
    /// Writes what the other side takes now.
    void send();

private:
    void split(std::size_t from);
    void finishLine();

    int m_input, m_output;
    bool m_socket, m_ended = false, m_broken = false;
    std::string m_partial;     ///< of the line that has not ended
    bool m_discarding = false; ///< the line is too long: its rest is thrown away
    std::deque<ReceivedLine> m_waiting;
    std::size_t m_waitingBytes = 0;
    std::string m_unsent;
    std::size_t m_sent = 0; ///< bytes at the front of m_unsent that are out
};

} // namespace assay
