#pragma once

#include "core/data/dataset.h"
#include "core/files/scratch_file.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace assay {

/// Where an example lies in the file of its rows, and what it is known by.
struct RowPlace
{
    std::int64_t offset = 0;              ///< of the row's text
    std::int64_t row = 0;                 ///< Example::row
    std::int64_t number = 0;              ///< of the row in the file
    std::uint32_t bytes = 0;              ///< of the row's text
    std::uint32_t within = 0;             ///< which of the row's examples
    std::array<std::uint8_t, 16> id{};    ///< Example::id, whose text is hexadecimal
    std::array<std::uint8_t, 16> group{}; ///< Example::group

    RowKey key() const;
};

/// The places of all examples of a file, in a scratch file of 64 bytes each: memory does not grow with the
/// rows. Filled by one thread, then safe to read from several.
class RowTable
{
public:
    /// Errors: Io.
    static Result<RowTable> create(const std::filesystem::path& folder);

    std::int64_t size() const { return m_size; }
    /// Errors: Io.
    Status add(const Example& example, RowPlace place);
    /// After the last one. Errors: Io.
    Status finish();
    /// Errors: Io.
    Result<RowPlace> at(std::int64_t index) const;

private:
    /// The last piece that was read: passes over all rows read each piece once.
    struct Piece
    {
        std::mutex mutex;
        std::int64_t begin = -1;
        std::vector<RowPlace> places;
    };

    explicit RowTable(ScratchFile file)
        : m_file(std::move(file))
        , m_piece(std::make_unique<Piece>())
    {}

    ScratchFile m_file;
    std::int64_t m_size = 0;
    std::vector<RowPlace> m_waiting; ///< not written yet
    std::unique_ptr<Piece> m_piece;
};

} // namespace assay
