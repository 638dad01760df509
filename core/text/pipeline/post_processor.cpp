#include "core/text/pipeline/post_processor.h"

#include "core/text/pipeline/template_processor.h"
#include "core/text/vocabulary/byte_alphabet.h"

#include <algorithm>

namespace assay {

namespace {

/// Takes the blanks that byte-level pieces begin or end with out of their offsets.
class TrimOffsets : public PostProcessor
{
public:
    explicit TrimOffsets(bool addPrefixSpace)
        : m_addPrefixSpace(addPrefixSpace)
    {}

    TemplatedPieces apply(TemplatedPieces pieces, bool) const override
    {
        pieces.pieces = corrected(std::move(pieces.pieces));
        return pieces;
    }

    std::vector<TokenPiece> corrected(std::vector<TokenPiece> pieces) const override
    {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            auto& piece = pieces[i];
            const auto text = pieceBytes(piece.piece).value_or(piece.piece);
            auto leading = static_cast<std::int32_t>(std::min(text.find_first_not_of(' '), text.size()));
            const auto last = text.find_last_not_of(' ');
            const auto trailing =
                static_cast<std::int32_t>(text.size() - (last == std::string::npos ? 0 : last + 1));
            if (leading > 0 && (i == 0 || piece.begin == 0) && m_addPrefixSpace)
                --leading; // the blank that was put before the text
            piece.begin = std::min(piece.begin + leading, piece.end);
            if (piece.end >= trailing)
                piece.end = std::max(piece.end - trailing, piece.begin);
        }
        return pieces;
    }

private:
    bool m_addPrefixSpace;
};

class PostProcessorSequence : public PostProcessor
{
public:
    explicit PostProcessorSequence(std::vector<PostProcessorPtr> parts)
        : m_parts(std::move(parts))
    {}

    TemplatedPieces apply(TemplatedPieces pieces, bool pair) const override
    {
        for (const auto& part : m_parts)
            pieces = part->apply(std::move(pieces), pair);
        return pieces;
    }

    std::vector<TokenPiece> corrected(std::vector<TokenPiece> pieces) const override
    {
        for (const auto& part : m_parts)
            pieces = part->corrected(std::move(pieces));
        return pieces;
    }

private:
    std::vector<PostProcessorPtr> m_parts;
};

Result<PostProcessorPtr> makeSequence(const Component& component)
{
    TRY(const auto parts, component.objects("processors"));
    std::vector<PostProcessorPtr> made;
    for (const auto& part : parts) {
        TRY(const auto type, part.type());
        if (type == "Sequence")
            return part.refuse("a sequence inside a sequence is not taken");
        TRY(auto processor, makePostProcessor(part));
        made.push_back(std::move(processor));
    }
    return PostProcessorPtr(std::make_shared<PostProcessorSequence>(std::move(made)));
}

PostProcessorPtr trimOffsets(bool trim, bool addPrefixSpace)
{
    if (!trim)
        return std::make_shared<PostProcessorSequence>(std::vector<PostProcessorPtr>());
    return std::make_shared<TrimOffsets>(addPrefixSpace);
}

} // namespace

Result<PostProcessorPtr> makePostProcessor(const Component& component)
{
    TRY(const auto type, component.type());
    if (type == "Sequence")
        return makeSequence(component);
    if (type == "TemplateProcessing")
        return makeTemplateProcessor(component);
    if (type == "BertProcessing")
        return makeBertProcessor(component);
    if (type == "ByteLevel" || type == "RobertaProcessing") {
        TRY(const bool trim, component.flagOr("trim_offsets", true));
        TRY(const bool prefix, component.flagOr("add_prefix_space", true));
        if (type == "ByteLevel")
            return trimOffsets(trim, prefix);
        TRY(auto around, makeRobertaProcessor(component));
        return PostProcessorPtr(std::make_shared<PostProcessorSequence>(
            std::vector<PostProcessorPtr>{trimOffsets(trim, prefix), std::move(around)}));
    }
    return component.unknownType("post-processor", type);
}

} // namespace assay
