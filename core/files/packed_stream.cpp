#include "core/files/packed_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace assay {

namespace {

constexpr unsigned kBufferBytes = 1U << 17;

/// zlib's handle, which reads plain files too.
class GzipStream : public InputFile::Stream
{
public:
    explicit GzipStream(gzFile file)
        : m_file(file)
    {
        gzbuffer(file, kBufferBytes);
    }
    Result<std::size_t> read(std::span<char> buffer) override
    {
        const auto wanted = std::min(buffer.size(), std::size_t{std::numeric_limits<int>::max()});
        const int got = gzread(m_file.get(), buffer.data(), static_cast<unsigned>(wanted));
        int code = Z_OK;
        const char* text = gzerror(m_file.get(), &code);
        if (got >= 0 && (code == Z_OK || code == Z_STREAM_END))
            return static_cast<std::size_t>(got);
        if (code == Z_ERRNO)
            return Error{ErrorCode::Io, std::string("reading failed: ") + std::strerror(errno), "", ""};
        return code == Z_BUF_ERROR ? endsTooEarly(Packing::Gzip) : damaged(Packing::Gzip, text);
    }
    bool rewind() override { return gzrewind(m_file.get()) == 0; }
    Packing packing() const override { return gzdirect(m_file.get()) != 0 ? Packing::None : Packing::Gzip; }
    std::int64_t taken() const override { return gzoffset(m_file.get()); }

private:
    struct Closer
    {
        void operator()(gzFile file) const { gzclose_r(file); }
    };
    std::unique_ptr<gzFile_s, Closer> m_file;
};

class ZstdStream : public InputFile::Stream
{
public:
    explicit ZstdStream(std::FILE* file)
        : m_file(file)
        , m_context(ZSTD_createDStream())
    {
        // A frame may ask for a window of its own size: what the command line tool allows is enough.
        constexpr int kLargestWindowBits = 27;
        ZSTD_DCtx_setParameter(m_context.get(), ZSTD_d_windowLogMax, kLargestWindowBits);
    }
    Result<std::size_t> read(std::span<char> buffer) override
    {
        ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
        while (out.pos == 0) {
            if (m_input.pos == m_input.size && !refill())
                return std::ferror(m_file.get()) ? Result<std::size_t>(readingFailed())
                       : m_insideFrame           ? Result<std::size_t>(endsTooEarly(Packing::Zstd))
                                                 : Result<std::size_t>(std::size_t{0});
            const auto left = ZSTD_decompressStream(m_context.get(), &out, &m_input);
            if (ZSTD_isError(left))
                return damaged(Packing::Zstd, ZSTD_getErrorName(left));
            m_insideFrame = left != 0;
        }
        return out.pos;
    }
    bool rewind() override
    {
        ZSTD_DCtx_reset(m_context.get(), ZSTD_reset_session_only);
        m_input = {};
        m_insideFrame = false;
        m_taken = 0;
        return std::fseek(m_file.get(), 0, SEEK_SET) == 0;
    }
    Packing packing() const override { return Packing::Zstd; }
    std::int64_t taken() const override { return m_taken; }

private:
    bool refill()
    {
        m_input = {m_buffer.data(), std::fread(m_buffer.data(), 1, m_buffer.size(), m_file.get()), 0};
        m_taken += static_cast<std::int64_t>(m_input.size);
        return m_input.size > 0;
    }
    static Error readingFailed()
    {
        return {ErrorCode::Io, std::string("reading failed: ") + std::strerror(errno), "", ""};
    }

    struct Closer
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
        void operator()(ZSTD_DStream* context) const { ZSTD_freeDStream(context); }
    };
    std::unique_ptr<std::FILE, Closer> m_file;
    std::unique_ptr<ZSTD_DStream, Closer> m_context;
    std::string m_buffer = std::string(kBufferBytes, '\0');
    ZSTD_inBuffer m_input{};
    bool m_insideFrame = false;
    std::int64_t m_taken = 0;
};

} // namespace

Error openingFailed(const std::filesystem::path& path)
{
    return {errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
            std::string("cannot open: ") + std::strerror(errno), path.string(), ""};
}

Error endsTooEarly(Packing packing)
{
    return {ErrorCode::BadData, "the " + packingName(packing) + " file ends too early", "",
            "Fetch or copy the file again"};
}

Error damaged(Packing packing, const std::string& reason)
{
    return {ErrorCode::BadData, "the " + packingName(packing) + " file is damaged: " + reason, "",
            "Fetch or copy the file again"};
}

Result<std::unique_ptr<InputFile::Stream>> openGzipStream(const std::filesystem::path& path)
{
    errno = 0;
    const auto file = gzopen(path.c_str(), "rb");
    if (!file)
        return openingFailed(path);
    return std::unique_ptr<InputFile::Stream>(std::make_unique<GzipStream>(file));
}

Result<std::unique_ptr<InputFile::Stream>> openZstdStream(const std::filesystem::path& path)
{
    errno = 0;
    auto* file = std::fopen(path.c_str(), "rbe");
    if (!file)
        return openingFailed(path);
    return std::unique_ptr<InputFile::Stream>(std::make_unique<ZstdStream>(file));
}

} // namespace assay
