#include "core/text/pipeline/pipeline_tokenizer.h"

#include "core/base/hash.h"

#include <algorithm>

namespace assay {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

/// One file's own hash; of several the hash of all names and hashes.
std::string fingerprintOf(const Files& files)
{
    if (files.size() == 1)
        return sha256Hex(files.front().second);
    std::string all;
    for (const auto& [name, bytes] : files)
        all += name + '\n' + sha256Hex(bytes) + '\n';
    return sha256Hex(all);
}

class PipelineTokenizer : public Tokenizer
{
public:
    PipelineTokenizer(Pipeline pipeline, Files files)
        : m_pipeline(std::move(pipeline))
        , m_files(std::move(files))
        , m_fingerprint(fingerprintOf(m_files))
    {
        m_pipeline.added.finish(m_pipeline.normalizer.get());
        m_size = m_pipeline.model->vocabulary().size();
        if (!m_pipeline.added.all().empty())
            m_size = std::max(m_size, m_pipeline.added.all().rbegin()->first + 1);
    }

    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        walk(text, {false, false}, [&ids](TokenId id, ByteRange) { ids.push_back(id); });
        return ids;
    }

    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        return corrected(pieces(text, false));
    }

    std::vector<TokenPiece> encodeParsed(std::string_view text) const override
    {
        return corrected(pieces(text, true));
    }

    TemplatedPieces encodeTemplated(std::string_view text,
                                    std::optional<std::string_view> second) const override
    {
        TemplatedPieces all;
        for (auto& piece : pieces(text, true))
            all.add(std::move(piece), 0, 0);
        if (second)
            for (auto& piece : pieces(*second, true))
                all.add(std::move(piece), 1, 1);
        return m_pipeline.postProcessor ? m_pipeline.postProcessor->apply(std::move(all), second.has_value())
                                        : all;
    }

    std::string decode(std::span<const TokenId> ids) const override
    {
        std::vector<std::string> pieces;
        for (const auto id : ids)
            pieces.push_back(piece(id));
        if (m_pipeline.decoder)
            pieces = m_pipeline.decoder->apply(std::move(pieces));
        std::string text;
        for (std::size_t i = 0; i < pieces.size(); ++i)
            text += (i > 0 && !m_pipeline.decoder ? " " : "") + pieces[i];
        return text;
    }

    std::string piece(TokenId id) const override
    {
        if (const auto* token = m_pipeline.added.find(id))
            return token->content;
        if (m_pipeline.model->vocabulary().has(id))
            return std::string(m_pipeline.model->vocabulary().piece(id));
        return "<" + std::to_string(id) + ">";
    }

    std::int32_t vocabularySize() const override { return m_size; }
    const SpecialTokens& special() const override { return m_pipeline.special; }
    std::vector<std::string> missingSpecialTokens() const override { return m_pipeline.missingSpecial; }
    bool isSpecial(TokenId id) const override
    {
        const auto* token = m_pipeline.added.find(id);
        return token && token->special;
    }
    const ChatTemplate* chatTemplate() const override { return m_pipeline.chatTemplate.get(); }
    const std::string& fingerprint() const override { return m_fingerprint; }
    std::pair<std::string, std::string> file() const override { return m_files.front(); }
    Files companionFiles() const override { return {m_files.begin() + 1, m_files.end()}; }

private:
    struct Way
    {
        bool parseSpecial = false;
        bool tracked = false; ///< whether offsets are wanted
    };

    /// Calls `sink` with every token and what it stands for in the original text (nothing unless tracked).
    template <typename Sink>
    void walk(std::string_view text, Way way, Sink sink) const
    {
        const auto& added = m_pipeline.added;
        for (const auto& split : added.split(text, false, way.parseSpecial)) {
            if (split.token) {
                sink(*split.token, split.range);
                continue;
            }
            const auto part = text.substr(static_cast<std::size_t>(split.range.begin),
                                          static_cast<std::size_t>(split.range.size()));
            AlignedText aligned(part, split.range.begin, way.tracked);
            if (m_pipeline.normalizer)
                aligned = m_pipeline.normalizer->apply(std::move(aligned));
            for (const auto& inner : added.split(aligned.view(), true, way.parseSpecial)) {
                if (inner.token)
                    sink(*inner.token, aligned.origin(inner.range));
                else if (inner.range.size() == aligned.size())
                    walkWords(std::move(aligned), sink);
                else
                    walkWords(aligned.slice(inner.range), sink);
            }
        }
    }

    template <typename Sink>
    void walkWords(AlignedText text, Sink& sink) const
    {
        const auto size = text.size();
        CutText cut{std::move(text), {{0, size}}};
        if (m_pipeline.preTokenizer)
            cut = m_pipeline.preTokenizer->apply(std::move(cut));
        for (const auto& word : cut.pieces) {
            if (word.size() == 0) // left out, see AlignedText::sizeLimit
                continue;
            const auto bytes = cut.text.view().substr(static_cast<std::size_t>(word.begin),
                                                      static_cast<std::size_t>(word.size()));
            for (const auto& token : m_pipeline.model->tokenize(bytes))
                sink(token.id,
                     cut.text.origin({word.begin + token.range.begin, word.begin + token.range.end}));
        }
    }

    std::vector<TokenPiece> pieces(std::string_view text, bool parseSpecial) const
    {
        std::vector<TokenPiece> pieces;
        walk(text, {parseSpecial, true}, [&](TokenId id, ByteRange range) {
            pieces.push_back({id, piece(id), range.begin, range.end});
        });
        return pieces;
    }

    std::vector<TokenPiece> corrected(std::vector<TokenPiece> pieces) const
    {
        return m_pipeline.postProcessor ? m_pipeline.postProcessor->corrected(std::move(pieces)) : pieces;
    }

    Pipeline m_pipeline;
    Files m_files;
    std::string m_fingerprint;
    std::int32_t m_size = 0;
};

} // namespace

TokenizerPtr makePipelineTokenizer(Pipeline pipeline, std::vector<std::pair<std::string, std::string>> files)
{
    CHECK(pipeline.model && !files.empty(), "a pipeline has a model and a file");
    return std::make_shared<PipelineTokenizer>(std::move(pipeline), std::move(files));
}

} // namespace assay
