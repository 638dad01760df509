#include "core/base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace assay {

struct Sha256::State
{
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256()
    : m_state(std::make_unique<State>())
{
    CHECK(EVP_DigestInit_ex(m_state->context, EVP_sha256(), nullptr) == 1, "SHA-256 is not available");
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes)
{
    CHECK(EVP_DigestUpdate(m_state->context, bytes.data(), bytes.size()) == 1, "SHA-256 update");
}

void Sha256::addField(std::string_view bytes)
{
    const std::uint64_t size = bytes.size();
    std::array<char, 8> prefix{};
    for (std::size_t i = 0; i < 8; ++i)
        prefix[i] = static_cast<char>((size >> (8 * i)) & 0xff);
    add({prefix.data(), prefix.size()});
    add(bytes);
}

std::string Sha256::hex()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    CHECK(EVP_DigestFinal_ex(m_state->context, digest.data(), &size) == 1, "SHA-256 final");
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(std::size_t{2} * size);
    for (unsigned int i = 0; i < size; ++i) {
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
    }
    return text;
}

std::string sha256Hex(std::string_view bytes)
{
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

Result<std::string> sha256File(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{ErrorCode::Io, std::string("cannot open: ") + std::strerror(errno), path.string()};
    Sha256 hash;
    std::string buffer(1 << 20, '\0');
    while (file) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
    }
    if (file.bad())
        return Error{ErrorCode::Io, "reading failed", path.string()};
    return hash.hex();
}

} // namespace assay
