#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <memory>

namespace assay {

/// A Unix socket that only its owner may connect to (mode 0600). The file goes when the listener goes.
class UnixListener
{
public:
    /// A socket that a dead process left behind is replaced. Errors: Usage (the path is too long, is no
    /// socket, or somebody listens there), Io.
    static Result<std::unique_ptr<UnixListener>> open(const std::filesystem::path& path);
    ~UnixListener();
    UnixListener(const UnixListener&) = delete;
    UnixListener& operator=(const UnixListener&) = delete;

    /// To be polled for clients.
    int descriptor() const { return m_descriptor; }
    /// The next client's descriptor, which does not block and is the caller's to close; -1 when none waits.
    int accept() const;

private:
    UnixListener(const std::filesystem::path& path, int descriptor);

    std::filesystem::path m_path;
    int m_descriptor;
    std::uint64_t m_device = 0, m_inode = 0; ///< of the socket file that is ours to remove
};

} // namespace assay
