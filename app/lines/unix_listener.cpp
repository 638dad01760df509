#include "app/lines/unix_listener.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

namespace {

constexpr int kBacklog = 64;

Error failed(const std::filesystem::path& path, const char* what)
{
    return Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                 fmt::format("cannot {}: {}", what, std::strerror(errno)), path.string()};
}

sockaddr_un addressOf(const std::filesystem::path& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
    return address;
}

bool somebodyListens(const sockaddr_un& address)
{
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected =
        probe >= 0 && ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    if (probe >= 0)
        ::close(probe);
    return connected;
}

/// Removes a socket nobody listens on; never anything else.
Status removeStale(const std::filesystem::path& path, const sockaddr_un& address)
{
    struct stat status
    {};
    if (::lstat(path.c_str(), &status) != 0)
        return errno == ENOENT ? Status() : Status(failed(path, "look at the socket"));
    if (!S_ISSOCK(status.st_mode))
        return Error{ErrorCode::Usage, "there is something that is no socket", path.string(),
                     "Choose another path"};
    if (somebodyListens(address))
        return Error{ErrorCode::Usage, "another process listens there", path.string(),
                     "Stop it, or choose another path"};
    return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Status()
                                                          : Status(failed(path, "remove the old socket"));
}

} // namespace

Result<std::unique_ptr<UnixListener>> UnixListener::open(const std::filesystem::path& path)
{
    constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
    if (path.empty() || path.native().size() > kLongest)
        return Error{ErrorCode::Usage,
                     fmt::format("the path of a socket has 1 to {} bytes, this one has {}", kLongest,
                                 path.native().size()),
                     path.string(), "Choose a shorter one, or a relative one"};
    const auto address = addressOf(path);
    TRY_STATUS(removeStale(path, address));
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return failed(path, "make a socket");
    // The file must never be open to others, not even between bind and chmod.
    const mode_t before = ::umask(0177);
    const int bound = ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    const int reason = errno;
    ::umask(before);
    if (bound != 0 || ::listen(descriptor, kBacklog) != 0) {
        errno = bound != 0 ? reason : errno;
        const auto error = failed(path, "listen");
        ::close(descriptor);
        return error;
    }
    return std::unique_ptr<UnixListener>(new UnixListener(path, descriptor));
}

UnixListener::UnixListener(const std::filesystem::path& path, int descriptor)
    : m_path(std::filesystem::absolute(path))
    , m_descriptor(descriptor)
{
    struct stat status
    {};
    if (::lstat(m_path.c_str(), &status) == 0) {
        m_device = status.st_dev;
        m_inode = status.st_ino;
    }
}

UnixListener::~UnixListener()
{
    ::close(m_descriptor);
    struct stat status
    {};
    if (::lstat(m_path.c_str(), &status) == 0 && status.st_dev == m_device && status.st_ino == m_inode)
        ::unlink(m_path.c_str());
}

int UnixListener::accept() const
{
    return ::accept4(m_descriptor, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

} // namespace assay
