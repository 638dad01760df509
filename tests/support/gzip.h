#pragma once

#include <zlib.h>

#include <cstdlib>
#include <string>

namespace assay::tests {

/// Bytes as a gzip file of one member.
inline std::string gzipped(const std::string& bytes)
{
    z_stream stream{};
    constexpr int kGzip = 16; // added to the window bits
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        std::abort();
    std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        std::abort();
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

} // namespace assay::tests
