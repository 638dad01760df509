#include "core/run/token_view.h"

#include "core/config/json.h"
#include "core/config/task.h"
#include "core/data/format.h"
#include "core/run/build_model.h"
#include "core/run/checkpoint_choice.h"
#include "core/text/layout_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

std::string cutText(const CutReport& cut)
{
    if (cut.dropped && !cut.lengths.empty())
        return fmt::format("The whole row is dropped: its sides have {} tokens.",
                           fmt::join(cut.lengths, " and "));
    if (cut.dropped)
        return "The whole row is dropped: it is longer than the maximum length.";
    if (cut.tokens == 0)
        return {};
    if (!cut.lengths.empty())
        return fmt::format("{} tokens cut; the sides had {}.", cut.tokens, fmt::join(cut.lengths, " and "));
    return fmt::format("{} tokens cut, and with them {} correct and {} wrong labels.", cut.tokens,
                       cut.labelsCorrect, cut.labelsWrong);
}

/// Steps and candidates of a tokenised row are stored as their ids, separated by blanks.
std::vector<TokenId> idsOf(const std::string& text)
{
    std::vector<TokenId> ids;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end) {
        TokenId id = 0;
        const auto [next, code] = std::from_chars(at, end, id);
        if (code != std::errc())
            break;
        ids.push_back(id);
        at = next < end ? next + 1 : next;
    }
    return ids;
}

Example exampleOf(const StoredExample& stored, const std::vector<StoredPrediction>& predictions,
                  bool tokenised)
{
    const auto labelOf = [&predictions](std::size_t step) {
        for (const auto& prediction : predictions)
            if (prediction.step == static_cast<std::int32_t>(step))
                return prediction.supervised ? Label::of(static_cast<float>(prediction.label))
                                             : Label::none();
        return Label::none();
    };
    Example example;
    example.id = stored.id;
    example.source = stored.source;
    example.row = stored.row;
    if (tokenised) {
        TokenisedExample content;
        for (std::size_t i = 0; i < stored.steps.size(); ++i) {
            const auto ids = idsOf(stored.steps[i]);
            content.ids.insert(content.ids.end(), ids.begin(), ids.end());
            content.labels.resize(content.ids.size());
            if (!content.labels.empty())
                content.labels.back() = labelOf(i);
        }
        example.content = std::move(content);
        return example;
    }
    StepwiseExample content;
    content.prompt = stored.prompt;
    for (std::size_t i = 0; i < stored.steps.size(); ++i)
        content.steps.push_back({stored.steps[i], labelOf(i)});
    example.content = std::move(content);
    return example;
}

/// A preference keeps its candidates as steps, best first.
Example preferenceOf(const StoredExample& stored, bool tokenised)
{
    Example example;
    example.id = stored.id;
    example.source = stored.source;
    example.row = stored.row;
    if (tokenised) {
        TokenisedPreference given;
        for (const auto& candidate : stored.steps)
            given.candidates.push_back(idsOf(candidate));
        example.content = std::move(given);
        return example;
    }
    PreferenceExample row;
    row.prompt.text = stored.prompt;
    for (const auto& candidate : stored.steps)
        row.candidates.push_back({candidate, {}});
    example.content = std::move(row);
    return example;
}

using Tokens = std::vector<TokenView::Token>;

bool sameToken(const TokenView::Token& a, const TokenView::Token& b)
{
    return a.id == b.id && a.role == b.role;
}

/// `all` of one sequence, with what is not in `kept` marked as cut. Limits cut at one end, or between a
/// beginning and an end that stay.
Tokens markSequence(const Tokens& kept, const Tokens& all)
{
    auto at = std::search(all.begin(), all.end(), kept.begin(), kept.end(), sameToken);
    std::size_t before = static_cast<std::size_t>(at - all.begin()), head = 0;
    if (at == all.end() && !kept.empty()) {
        const auto split = std::mismatch(kept.begin(), kept.end(), all.begin(), all.end(), sameToken);
        head = static_cast<std::size_t>(split.first - kept.begin());
        const auto tail = kept.size() - head;
        before = all.size() - tail;
        if (!std::equal(split.first, kept.end(), all.end() - static_cast<std::ptrdiff_t>(tail), all.end(),
                        sameToken))
            return kept;
    }
    Tokens marked;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool stays = i < head || (i >= before && i < before + kept.size() - head);
        marked.push_back(!stays ? all[i] : i < head ? kept[i] : kept[head + i - before]);
        marked.back().cut = !stays;
    }
    return marked;
}

Tokens markCuts(const Tokens& kept, const Tokens& all)
{
    Tokens marked;
    const auto sequences = all.empty() ? 0 : all.back().sequence + 1;
    for (std::int32_t sequence = 0; sequence < sequences; ++sequence) {
        const auto of = [sequence](const Tokens& tokens) {
            Tokens part;
            for (const auto& token : tokens)
                if (token.sequence == sequence)
                    part.push_back(token);
            return part;
        };
        for (auto& token : markSequence(of(kept), of(all)))
            marked.push_back(std::move(token));
    }
    return marked;
}

/// Whether a stored row has ids for text: every step is digits and blanks and there is no prompt.
bool looksTokenised(const StoredExample& stored)
{
    return stored.prompt.empty() && !stored.steps.empty() &&
           std::all_of(stored.steps.begin(), stored.steps.end(), [](const std::string& step) {
               return !step.empty() && step.find_first_not_of("0123456789 ") == std::string::npos;
           });
}

} // namespace

TokenView tokenViewOf(const LaidOut& row, const Tokenizer* tokenizer)
{
    TokenView view;
    view.cutText = cutText(row.cut);
    std::vector<std::size_t> first;
    for (std::size_t number = 0; number < row.sequences.size(); ++number) {
        const auto& sequence = row.sequences[number];
        first.push_back(view.tokens.size());
        for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
            TokenView::Token token;
            token.id = sequence.ids[i];
            token.text = tokenizer ? tokenizer->piece(token.id) : std::to_string(token.id);
            token.role = tokenRoleId(i < sequence.roles.size() ? sequence.roles[i] : TokenRole::Given);
            token.step = i < sequence.step.size() ? sequence.step[i] : -1;
            token.sequence = static_cast<std::int32_t>(number);
            view.tokens.push_back(std::move(token));
        }
    }
    for (std::size_t s = 0; s < row.scores.size(); ++s) {
        const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[s].readOutA)];
        auto& token = view.tokens[first[static_cast<std::size_t>(readOut.sequence)] +
                                  static_cast<std::size_t>(readOut.spans.back().end) - 1];
        token.readOut = true;
        token.supervised = row.targets.mask[s] != 0;
        token.label = row.targets.value[s];
    }
    return view;
}

Result<TokenView> tokenViewWithCuts(const Example& example, const Layout& layout,
                                    const TokenizerPtr& tokenizer)
{
    TRY(const auto laidOut, layout.layOut(example, true));
    auto view = tokenViewOf(laidOut, tokenizer.get());
    view.fileRow = example.row;
    if (!laidOut.cut.dropped && laidOut.cut.tokens == 0)
        return view;
    auto unlimited = layout.options();
    unlimited.maximumTokens = std::nullopt;
    unlimited.maximumPromptTokens = std::nullopt;
    unlimited.maximumCompletionTokens = std::nullopt;
    TRY(const auto whole, makeLayout(unlimited, tokenizer));
    TRY(const auto all, whole->layOut(example, true));
    view.tokens = markCuts(view.tokens, tokenViewOf(all, tokenizer.get()).tokens);
    return view;
}

Result<TokenView> tokenViewOfExample(const RunReader& reader, const RunId& run, const std::string& exampleId)
{
    TRY(const auto details, reader.run(run));
    TRY(auto config, configFromJson(details.configJson));
    TRY(const auto stored, reader.example(exampleId));
    TRY(const auto evaluations, reader.evaluations(run));
    std::vector<StoredPrediction> predictions;
    if (!evaluations.empty()) {
        TRY(predictions, reader.predictions(evaluations.back().id, exampleId));
    }
    // The newest checkpoint carries the tokenizer, so that last month's run opens when its model folder is
    // gone.
    TRY(const auto checkpoints, reader.checkpoints(run));
    TokenizerPtr tokenizer;
    if (!checkpoints.empty())
        if (auto opened = openTokenizer(reader.place().artefacts() / checkpoints.back().path); opened.ok())
            tokenizer = std::move(opened).value();
    if (!tokenizer)
        if (const auto origin = modelOrigin(reader.place(), config); origin.ok())
            if (auto plan = planModel(origin->building); plan.ok())
                tokenizer = plan->tokenizer;
    TRY(const auto layout, makeLayout(layoutOptions(config.layout), tokenizer));
    const bool tokenised = looksTokenised(stored);
    const bool pairs = taskOf(config) == Task::Pairs;
    const auto example = pairs ? preferenceOf(stored, tokenised) : exampleOf(stored, predictions, tokenised);
    TRY(const auto laidOut, layout->layOut(example, false));
    return tokenViewOf(laidOut, tokenizer.get());
}

} // namespace assay
