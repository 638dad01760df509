#include "core/text/vocabulary/vocabulary.h"

namespace assay {

namespace {

constexpr std::size_t kMaximumPieceBytes = 65536;

} // namespace

Status Vocabulary::add(std::string_view piece, std::int64_t id)
{
    const auto refuse = [&piece](std::string message) {
        return Error{ErrorCode::BadModel,
                     "vocabulary: \"" + std::string(piece.substr(0, 80)) + "\" " + message};
    };
    if (id < 0 || id >= kMaximumIds)
        return refuse("has the id " + std::to_string(id) + "; 0 to " + std::to_string(kMaximumIds - 1) +
                      " are taken");
    if (piece.size() > kMaximumPieceBytes)
        return refuse("begins a piece of " + std::to_string(piece.size()) + " bytes");
    if (m_ids.contains(piece))
        return refuse("is there twice");
    const auto place = static_cast<std::size_t>(id);
    if (place < m_pieces.size() && m_pieces[place].data())
        return refuse("has the id " + std::to_string(id) + ", which another piece has");
    if (place >= m_pieces.size())
        m_pieces.resize(place + 1);
    m_texts.emplace_back(piece);
    m_pieces[place] = m_texts.back();
    m_ids.emplace(m_pieces[place], static_cast<TokenId>(id));
    return {};
}

std::optional<TokenId> Vocabulary::find(std::string_view piece) const
{
    const auto found = m_ids.find(piece);
    return found == m_ids.end() ? std::optional<TokenId>() : found->second;
}

std::string_view Vocabulary::piece(TokenId id) const
{
    return has(id) ? m_pieces[static_cast<std::size_t>(id)] : std::string_view();
}

bool Vocabulary::has(TokenId id) const
{
    return id >= 0 && id < size() && m_pieces[static_cast<std::size_t>(id)].data();
}

} // namespace assay
