#include "core/text/layout.h"
#include "tests/fuzz/memory_file.h"

#include <algorithm>

using namespace assay;

namespace {

/// One id per byte, and none for line breaks, so that steps and separators can be empty.
class ByteTokenizer : public Tokenizer
{
public:
    std::vector<TokenId> encode(std::string_view text) const override
    {
        std::vector<TokenId> ids;
        for (const auto& piece : encodeWithOffsets(text))
            ids.push_back(piece.id);
        return ids;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view text) const override
    {
        std::vector<TokenPiece> pieces;
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] != '\n')
                pieces.push_back({static_cast<unsigned char>(text[i]), std::string(1, text[i]),
                                  static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 1)});
        return pieces;
    }
    std::string decode(std::span<const TokenId>) const override { return {}; }
    std::string piece(TokenId id) const override
    {
        return id == kBos ? "<>" : id == kEos ? "</>" : std::string(1, static_cast<char>(id));
    }
    std::int32_t vocabularySize() const override { return kEos + 1; }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_empty; }
    std::pair<std::string, std::string> file() const override { return {}; }

private:
    static constexpr TokenId kBos = 256, kEos = 257;
    SpecialTokens m_special{kBos, kEos, {}, {}};
    std::string m_empty;
};

/// Takes settings and texts off the input.
class Source
{
public:
    explicit Source(std::string_view bytes)
        : m_bytes(bytes)
    {}
    bool done() const { return m_bytes.empty(); }
    std::uint8_t byte()
    {
        if (m_bytes.empty())
            return 0;
        const auto value = static_cast<std::uint8_t>(m_bytes.front());
        m_bytes.remove_prefix(1);
        return value;
    }
    std::string text(std::size_t size)
    {
        const auto taken = m_bytes.substr(0, size);
        m_bytes.remove_prefix(taken.size());
        return std::string(taken);
    }

private:
    std::string_view m_bytes;
};

LayoutOptions optionsFrom(Source& source)
{
    LayoutOptions options;
    const auto flags = source.byte();
    if (flags & 128)
        options.name = (flags & 1) ? "pairwise" : "trl-pairwise";
    else
        options.name = (flags & 1) ? "stepwise" : "trl-stepwise";
    options.addBos = flags & 2;
    options.trainOnLastStepOnly = flags & 4;
    options.truncation = static_cast<Truncation>((flags >> 3) & 3);
    options.maximumTokens.reset();
    if (const auto tokens = source.byte())
        options.maximumTokens = tokens - 2;
    if (flags & 128) {
        options.appendEos = flags & 32;
        options.parseSpecial = flags & 64;
        return options;
    }
    if (flags & 32)
        options.maximumPromptTokens = source.byte() - 2;
    if (flags & 64)
        options.maximumCompletionTokens = source.byte() - 2;
    options.stepSeparator = source.text(source.byte() % 4);
    options.promptSeparator = source.text(source.byte() % 4);
    return options;
}

/// Two candidates, or more, of text or ids; some begin as the one before, as answers to one prompt do.
Example preferenceFrom(Source& source)
{
    const auto kind = source.byte();
    PreferenceExample texts;
    TokenisedPreference given;
    texts.prompt.text = source.text(source.byte() % 64);
    texts.promptCut = kind & 2;
    if (kind & 4)
        given.margin = texts.margin = static_cast<float>(source.byte());
    while (!source.done()) {
        const auto size = source.byte();
        auto text = source.text(size >> 1);
        if ((size & 1) && !texts.candidates.empty())
            text = texts.candidates.back().text + text;
        texts.candidates.push_back({text, {}});
        if (!text.empty()) // the format takes no candidate without ids
            given.candidates.emplace_back(text.begin(), text.end());
    }
    Example example;
    if ((kind & 1) && given.candidates.size() > 1)
        example.content = std::move(given);
    else
        example.content = std::move(texts);
    return example;
}

Example exampleFrom(Source& source, bool preference)
{
    if (preference)
        return preferenceFrom(source);
    StepwiseExample solution;
    solution.prompt = source.text(source.byte() % 64);
    while (!source.done()) {
        const auto kind = source.byte();
        solution.steps.push_back(
            {source.text(kind >> 3), (kind & 1) ? Label::of((kind & 2) ? 1.0F : 0.0F) : Label::none()});
    }
    Example example;
    example.content = std::move(solution);
    return example;
}

void checkRow(const LaidOut& row, const StepwiseExample& solution, const LayoutOptions& options)
{
    CHECK(row.readOuts.size() == row.scores.size() && row.scoreStep.size() == row.scores.size(),
          "read-outs and scores");
    CHECK(row.targets.value.size() == row.scores.size() && row.targets.mask.size() == row.scores.size(),
          "targets");
    CHECK(row.readOuts.size() + static_cast<std::size_t>(row.cut.readOuts) == solution.steps.size(),
          "a step is lost");
    CHECK(row.empty() == row.cut.dropped, "a row without sequence is a dropped one");
    if (row.empty())
        return;
    const auto& sequence = row.sequences.at(0);
    const auto size = static_cast<std::int32_t>(sequence.ids.size());
    CHECK(sequence.roles.size() == sequence.ids.size() && sequence.step.size() == sequence.ids.size(),
          "roles");
    CHECK(!options.maximumTokens || size <= *options.maximumTokens, "longer than allowed");
    std::int32_t last = -1;
    for (std::size_t i = 0; i < row.readOuts.size(); ++i) {
        const auto span = row.readOuts[i].spans.at(0);
        CHECK(span.begin > last && span.end == span.begin + 1 && span.end <= size,
              "read-out outside the row");
        CHECK(sequence.step[static_cast<std::size_t>(span.begin)] == row.scoreStep[i],
              "read at another step's token");
        last = span.begin;
    }
}

std::size_t candidatesOf(const Example& example)
{
    const auto* texts = example.preference();
    return texts ? texts->candidates.size() : example.tokenisedPreference()->candidates.size();
}

/// Whatever is cut, candidates lose the same of their prompt, and the books are those of the lengths.
void checkCut(const LaidOut& row, const LayoutOptions& options)
{
    std::int64_t before = 0;
    for (const auto length : row.cut.lengths)
        before += length;
    CHECK(before - row.tokens() == row.cut.tokens, "tokens lost and not counted");
    if (options.truncation != Truncation::CutPromptLeft)
        return;
    const auto lost = [&](std::size_t i) {
        return row.cut.lengths[i] - static_cast<std::int32_t>(row.sequences[i].ids.size());
    };
    for (std::size_t i = 1; i < row.cut.lengths.size(); ++i)
        CHECK(lost(i) == lost(0), "candidates answer different prompts");
}

void checkPreference(const LaidOut& row, const Example& example, const LayoutOptions& options)
{
    const auto count = candidatesOf(example);
    CHECK(row.empty() == row.cut.dropped, "a row without sequence is a dropped one");
    CHECK(!row.cut.dropped || row.cut.readOuts == static_cast<std::int32_t>(count), "a candidate is lost");
    if (row.empty())
        return;
    CHECK(row.sequences.size() == count && row.readOuts.size() == count && row.scores.size() == count,
          "a read-out for every candidate");
    CHECK(row.targets.rank.size() == count && row.targets.mask.size() == count, "ranks");
    CHECK(row.targets.groupOffsets == std::vector<std::int32_t>({0, static_cast<std::int32_t>(count)}),
          "one group");
    CHECK(row.targets.margin.size() == 1, "one margin");
    for (std::size_t i = 0; i < count; ++i) {
        const auto& sequence = row.sequences[i];
        const auto size = static_cast<std::int32_t>(sequence.ids.size());
        CHECK(size > 0 && sequence.roles.size() == sequence.ids.size(), "roles");
        CHECK(!options.maximumTokens || size <= *options.maximumTokens, "longer than allowed");
        CHECK(row.readOuts[i].sequence == static_cast<std::int32_t>(i), "read in another candidate");
        CHECK(row.readOuts[i].spans.at(0) == (Span{size - 1, size}), "not read at the last token");
    }
    if (!row.cut.lengths.empty())
        checkCut(row, options);
}

} // namespace

/// Settings and a solution or a preference from the input: every layout keeps its books, whatever is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Source source(fuzz::view(data, size));
    const auto options = optionsFrom(source);
    const auto layout = makeLayout(options, std::make_shared<ByteTokenizer>());
    if (!layout.ok()) {
        fuzz::checkError(layout.error());
        return 0;
    }
    const auto example = exampleFrom(source, options.name.ends_with("pairwise"));
    for (const bool training : {true, false}) {
        const auto row = (*layout)->layOut(example, training);
        if (!row.ok())
            fuzz::checkError(row.error());
        else if (const auto* solution = example.stepwise())
            checkRow(*row, *solution, (*layout)->options());
        else
            checkPreference(*row, example, (*layout)->options());
    }
    return 0;
}
