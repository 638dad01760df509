#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace assay {

/// Incremental SHA-256 (OpenSSL).
class Sha256
{
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void add(std::string_view bytes);
    /// Adds the length first, so that ("ab","c") and ("a","bc") differ.
    void addField(std::string_view bytes);
    /// Lower-case hex of 64 characters; the object is spent afterwards.
    std::string hex();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

std::string sha256Hex(std::string_view bytes);
/// Errors: Io when the file cannot be read.
Result<std::string> sha256File(const std::filesystem::path& path);

} // namespace assay
