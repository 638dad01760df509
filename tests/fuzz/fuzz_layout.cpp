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
        for (const char c : text)
            if (c != '\n')
                ids.push_back(static_cast<unsigned char>(c));
        return ids;
    }
    std::vector<TokenPiece> encodeWithOffsets(std::string_view) const override { return {}; }
    std::string decode(std::span<const TokenId>) const override { return {}; }
    std::string piece(TokenId) const override { return {}; }
    std::int32_t vocabularySize() const override { return 257; }
    const SpecialTokens& special() const override { return m_special; }
    const std::string& fingerprint() const override { return m_empty; }
    std::pair<std::string, std::string> file() const override { return {}; }

private:
    SpecialTokens m_special{256, {}, {}, {}};
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
    options.name = (flags & 1) ? "stepwise" : "trl-stepwise";
    options.addBos = flags & 2;
    options.trainOnLastStepOnly = flags & 4;
    options.truncation = static_cast<Truncation>((flags >> 3) & 3);
    options.maximumTokens.reset();
    if (const auto tokens = source.byte())
        options.maximumTokens = tokens - 2;
    if (flags & 32)
        options.maximumPromptTokens = source.byte() - 2;
    if (flags & 64)
        options.maximumCompletionTokens = source.byte() - 2;
    options.stepSeparator = source.text(source.byte() % 4);
    options.promptSeparator = source.text(source.byte() % 4);
    return options;
}

Example exampleFrom(Source& source)
{
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

} // namespace

/// Settings and a solution from the input: every layout keeps its books, whatever is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Source source(fuzz::view(data, size));
    const auto options = optionsFrom(source);
    const auto layout = makeLayout(options, std::make_shared<ByteTokenizer>());
    if (!layout.ok()) {
        fuzz::checkError(layout.error());
        return 0;
    }
    const auto example = exampleFrom(source);
    for (const bool training : {true, false}) {
        const auto row = (*layout)->layOut(example, training);
        if (row.ok())
            checkRow(*row, *example.stepwise(), (*layout)->options());
        else
            fuzz::checkError(row.error());
    }
    return 0;
}
