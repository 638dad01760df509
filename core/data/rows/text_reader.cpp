#include "core/data/rows/text_reader.h"

namespace assay {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

} // namespace

TextReader::TextReader(InputFile file, std::stop_token stop)
    : m_file(std::move(file))
    , m_stop(std::move(stop))
    , m_buffer(kBufferBytes, '\0')
{}

std::string_view TextReader::buffered()
{
    if (m_begin == m_end)
        fill();
    return std::string_view(m_buffer).substr(m_begin, m_end - m_begin);
}

int TextReader::peek()
{
    const auto text = buffered();
    return text.empty() ? -1 : static_cast<unsigned char>(text.front());
}

void TextReader::fill()
{
    if (!m_status.ok())
        return;
    if (m_stop.stop_requested()) {
        m_status = Error{ErrorCode::Cancelled, "stopped while rows were read", "", ""};
        return;
    }
    const bool atStart = m_before == 0 && m_end == 0;
    m_before += static_cast<std::int64_t>(m_end);
    m_begin = m_end = 0;
    const auto size = m_file.read(m_buffer);
    if (!size) {
        m_status = size.error();
        return;
    }
    m_end = *size;
    if (atStart && std::string_view(m_buffer).substr(0, m_end).starts_with(kByteOrderMark))
        m_begin = kByteOrderMark.size();
}

Status TextReader::rewind()
{
    m_begin = m_end = 0;
    m_before = 0;
    m_status = m_file.rewind();
    return m_status;
}

} // namespace assay
