#include "core/text/pipeline/decoder.h"

#include "core/base/utf8.h"
#include "core/text/unicode/code_points.h"
#include "core/text/vocabulary/byte_alphabet.h"
#include "core/text/vocabulary/byte_pieces.h"

#include <array>
#include <numeric>

namespace assay {

namespace {

using Pieces = std::vector<std::string>;

constexpr std::size_t kMaximumReplacementBytes = 1024;

/// A decoder that is one function.
template <typename Function>
class Simple : public Decoder
{
public:
    explicit Simple(Function function)
        : m_function(std::move(function))
    {}
    Pieces apply(Pieces pieces) const override { return m_function(std::move(pieces)); }

private:
    Function m_function;
};

template <typename Function>
DecoderPtr simple(Function function)
{
    return std::make_shared<Simple<Function>>(std::move(function));
}

std::string replaced(std::string text, std::string_view what, std::string_view by)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

std::string joined(const Pieces& pieces)
{
    return std::accumulate(pieces.begin(), pieces.end(), std::string());
}

Pieces decodeBytes(const Pieces& pieces)
{
    std::string bytes;
    for (const auto& piece : pieces)
        bytes += pieceBytes(piece).value_or(piece);
    return {toValidUtf8(bytes)};
}

/// Runs of <0x00> to <0xFF> become the text of these bytes; U+FFFD for each where they are none.
Pieces decodeByteFallback(const Pieces& pieces)
{
    Pieces result;
    std::string run;
    const auto flush = [&] {
        if (run.empty())
            return;
        if (isUtf8(run))
            result.push_back(run);
        else
            result.insert(result.end(), run.size(), "\xef\xbf\xbd");
        run.clear();
    };
    for (const auto& piece : pieces) {
        if (const auto byte = byteOfPiece(piece)) {
            run += static_cast<char>(*byte);
            continue;
        }
        flush();
        result.push_back(piece);
    }
    flush();
    return result;
}

/// Takes the blanks away that tokenisation by words put before punctuation and English contractions.
std::string cleanedUp(std::string text)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules{{{" .", "."},
                                                                                    {" ?", "?"},
                                                                                    {" !", "!"},
                                                                                    {" ,", ","},
                                                                                    {" ' ", "'"},
                                                                                    {" n't", "n't"},
                                                                                    {" 'm", "'m"},
                                                                                    {" do not", " don't"},
                                                                                    {" 's", "'s"},
                                                                                    {" 've", "'ve"},
                                                                                    {" 're", "'re"}}};
    for (const auto& [what, by] : kRules)
        text = replaced(std::move(text), what, by);
    return text;
}

Result<DecoderPtr> makeWordPieceDecoder(const Component& component)
{
    TRY(auto prefix, component.textOr("prefix", "##"));
    TRY(const bool cleanup, component.flagOr("cleanup", true));
    return simple([prefix, cleanup](Pieces pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            auto& piece = pieces[i];
            if (i > 0)
                piece = piece.starts_with(prefix) ? piece.substr(prefix.size()) : " " + piece;
            if (cleanup)
                piece = cleanedUp(std::move(piece));
        }
        return pieces;
    });
}

Result<DecoderPtr> makeMetaspaceDecoder(const Component& component)
{
    TRY(auto mark, component.textOr("replacement", "\xe2\x96\x81"));
    TRY(const bool oldPrefix, component.flagOr("add_prefix_space", true));
    TRY(const auto scheme, component.textOr("prepend_scheme", oldPrefix ? "always" : "never"));
    if (mark.empty())
        return component.refuse("\"replacement\" must be one character");
    return simple([mark, prefixed = scheme != "never"](Pieces pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i)
            pieces[i] = replaced(std::move(pieces[i]), mark, i == 0 && prefixed ? "" : " ");
        return pieces;
    });
}

Result<DecoderPtr> makeBpeDecoder(const Component& component)
{
    TRY(auto suffix, component.textOr("suffix", "</w>"));
    if (suffix.empty())
        return component.refuse("\"suffix\" must not be empty");
    return simple([suffix](Pieces pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i)
            pieces[i] = replaced(std::move(pieces[i]), suffix, i + 1 == pieces.size() ? "" : " ");
        return pieces;
    });
}

Result<DecoderPtr> makeReplaceDecoder(const Component& component)
{
    TRY(const auto pattern, component.object("pattern"));
    if (!pattern.has("String"))
        return pattern.refuse("a decoder replaces a text, not a regular expression");
    TRY(auto what, pattern.text("String"));
    TRY(auto by, component.text("content"));
    if (what.empty() || by.size() > kMaximumReplacementBytes)
        return component.refuse(
            "an empty text cannot be replaced, nor can one become longer than 1,024 bytes");
    return simple([what, by](Pieces pieces) {
        for (auto& piece : pieces)
            piece = replaced(std::move(piece), what, by);
        return pieces;
    });
}

Result<DecoderPtr> makeStripDecoder(const Component& component)
{
    TRY(auto content, component.text("content"));
    TRY(const auto start, component.numberOr("start", 0));
    TRY(const auto stop, component.numberOr("stop", 0));
    if (countCodePoints(content) != 1)
        return component.refuse("\"content\" must be one character");
    return simple([content, start, stop](Pieces pieces) {
        for (auto& piece : pieces) {
            for (auto i = start; i > 0 && piece.starts_with(content); --i)
                piece.erase(0, content.size());
            for (auto i = stop; i > 0 && piece.ends_with(content); --i)
                piece.resize(piece.size() - content.size());
        }
        return pieces;
    });
}

Result<DecoderPtr> makeSequence(const Component& component)
{
    TRY(const auto parts, component.objects("decoders"));
    std::vector<DecoderPtr> made;
    for (const auto& part : parts) {
        TRY(const auto type, part.type());
        if (type == "Sequence")
            return part.refuse("a sequence inside a sequence is not taken");
        TRY(auto decoder, makeDecoder(part));
        made.push_back(std::move(decoder));
    }
    return simple([made](Pieces pieces) {
        for (const auto& part : made)
            pieces = part->apply(std::move(pieces));
        return pieces;
    });
}

} // namespace

Result<DecoderPtr> makeDecoder(const Component& component)
{
    TRY(const auto type, component.type());
    if (type == "Sequence")
        return makeSequence(component);
    if (type == "ByteLevel")
        return simple([](const Pieces& pieces) { return decodeBytes(pieces); });
    if (type == "ByteFallback")
        return simple([](const Pieces& pieces) { return decodeByteFallback(pieces); });
    if (type == "Fuse")
        return simple([](const Pieces& pieces) { return Pieces{joined(pieces)}; });
    if (type == "WordPiece")
        return makeWordPieceDecoder(component);
    if (type == "Metaspace")
        return makeMetaspaceDecoder(component);
    if (type == "BPEDecoder")
        return makeBpeDecoder(component);
    if (type == "Replace")
        return makeReplaceDecoder(component);
    if (type == "Strip")
        return makeStripDecoder(component);
    return component.unknownType("decoder", type);
}

} // namespace assay
