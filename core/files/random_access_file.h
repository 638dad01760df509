#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace assay {

/// A regular file that stays open and is read by position, never mapped: a file that shrinks must give an
/// error, not a signal. Copies share the descriptor; safe to read from several threads.
class RandomAccessFile
{
public:
    /// Errors: NotFound, Io, BadModel (a pipe, a device: refused, not waited for). A symbolic link is
    /// followed (the Hugging Face cache is made of them).
    static Result<RandomAccessFile> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t size() const { return m_size; } ///< bytes, when it was opened
    /// Fills `out`. Errors: Io, also when the file became shorter.
    Status read(std::uint64_t position, std::span<std::byte> out) const;

private:
    struct Descriptor;
    std::filesystem::path m_path;
    std::shared_ptr<const Descriptor> m_file;
    std::uint64_t m_size = 0;
};

/// The number that `bytes` spell, least byte first; at most 8 of them.
std::uint64_t littleEndian(std::span<const std::byte> bytes);

/// What `foreignFile` says of the file, with its path; none as well when it cannot be read.
std::optional<Error> foreignFile(const RandomAccessFile& file);

} // namespace assay
