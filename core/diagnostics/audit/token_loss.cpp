#include "core/diagnostics/audit/token_loss.h"

#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay {

namespace {

constexpr std::size_t kTextBytes = 8192; // of a text that is decoded again
constexpr std::size_t kShownCharacters = 20;
constexpr double kLossRed = 0.02; // share of letters or of tokens
constexpr double kLossWarning = 0.002;

using Letters = std::map<char32_t, std::int64_t>;

/// Letters and digits of a text and how often they are there, without what tells forms of one apart.
Letters lettersOf(std::string_view text)
{
    Letters letters;
    for (const auto& character : normalized(text, NormalForm::Nfkd))
        for (const char32_t value : lowerCase(character.value))
            if (isWordCharacter(value) && !isMark(value))
                ++letters[value];
    return letters;
}

void addPassage(std::vector<std::string_view>& texts, const Passage& passage)
{
    texts.push_back(passage.text);
    for (const auto& message : passage.messages)
        texts.push_back(message.content);
}

std::vector<std::string_view> textsOf(const Example& example)
{
    std::vector<std::string_view> texts;
    if (const auto* row = example.stepwise()) {
        texts.push_back(row->prompt);
        for (const auto& step : row->steps)
            texts.push_back(step.text);
    } else if (const auto* pair = example.preference()) {
        addPassage(texts, pair->prompt);
        for (const auto& candidate : pair->candidates)
            addPassage(texts, candidate);
    }
    return texts;
}

std::string_view beginning(std::string_view text)
{
    auto end = std::min(text.size(), kTextBytes);
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end);
}

/// Letters of `before` that are not in `after`.
Letters lostLetters(const Letters& before, const Letters& after)
{
    Letters lost;
    for (const auto& [letter, count] : before) {
        const auto found = after.find(letter);
        const auto left = found == after.end() ? 0 : found->second;
        if (left < count)
            lost[letter] = count - left;
    }
    return lost;
}

void addRow(TokenLoss& loss, const Example& example, const Tokenizer& tokenizer, std::int64_t& worst)
{
    std::int64_t lostHere = 0;
    std::string shown;
    for (const auto whole : textsOf(example)) {
        const auto text = beginning(whole);
        const auto before = lettersOf(text);
        for (const auto& [letter, count] : before)
            loss.characters += count;
        for (const auto& [letter, count] :
             lostLetters(before, lettersOf(tokenizer.decode(tokenizer.encode(text))))) {
            lostHere += count;
            if (countCodePoints(shown) < kShownCharacters)
                appendCodePoint(shown, letter);
        }
    }
    loss.lostCharacters += lostHere;
    if (lostHere > worst) {
        worst = lostHere;
        loss.worstRow = example.row;
        loss.worstText = std::move(shown);
    }
}

/// The unknown token, unless it is one that layouts write: vocabularies of bytes know everything and often
/// name their end of text.
std::optional<TokenId> unknownAlone(const SpecialTokens& special)
{
    const bool shared =
        special.unk == special.bos || special.unk == special.eos || special.unk == special.pad;
    return shared ? std::nullopt : special.unk;
}

} // namespace

TokenLoss countTokenLoss(const Dataset& dataset, std::span<const LaidOut> laidOut, const Tokenizer& tokenizer,
                         std::int64_t maximumRows, const std::stop_token& stop)
{
    TokenLoss loss;
    const auto unknown = unknownAlone(tokenizer.special());
    std::int64_t most = 0;
    for (std::size_t i = 0; i < laidOut.size(); ++i) {
        std::int64_t here = 0;
        for (const auto& sequence : laidOut[i].sequences) {
            loss.tokens += static_cast<std::int64_t>(sequence.ids.size());
            if (unknown)
                here += std::count(sequence.ids.begin(), sequence.ids.end(), *unknown);
        }
        loss.unknownTokens += here;
        if (here > most) {
            most = here;
            loss.unknownRow = dataset.key(static_cast<std::int64_t>(i)).row;
        }
    }
    std::int64_t worst = 0;
    const auto stride = std::max<std::int64_t>(1, dataset.size() / std::max<std::int64_t>(1, maximumRows));
    for (std::int64_t i = 0; i < dataset.size() && loss.rows < maximumRows && !stop.stop_requested();
         i += stride) {
        const auto example = dataset.at(i);
        if (textsOf(example).empty())
            continue;
        ++loss.rows;
        addRow(loss, example, tokenizer, worst);
    }
    return loss;
}

std::optional<Finding> tokenLossRule(const TokenLoss& loss)
{
    const double worst = std::max(loss.lostShare(), loss.unknownShare());
    if (worst < kLossWarning)
        return std::nullopt;
    std::string evidence;
    std::vector<std::int64_t> rows;
    if (loss.unknownTokens > 0) {
        evidence = fmt::format(
            "{} of {} tokens ({:.1f} %) stand for text that the vocabulary does not have; most in "
            "row {}.",
            loss.unknownTokens, loss.tokens, 100.0 * loss.unknownShare(), loss.unknownRow + 1);
        rows.push_back(loss.unknownRow);
    }
    if (loss.lostCharacters > 0) {
        evidence +=
            fmt::format("{}{} of {} letters and digits ({:.1f} %, {} rows tried) are gone when the tokens "
                        "become text again; row {} loses \"{}\".",
                        evidence.empty() ? "" : " ", loss.lostCharacters, loss.characters,
                        100.0 * loss.lostShare(), loss.rows, loss.worstRow + 1, loss.worstText);
        if (loss.worstRow != loss.unknownRow)
            rows.push_back(loss.worstRow);
    }
    return Finding{
        .id = "tokenizer-loses-text",
        .severity = worst >= kLossRed ? Severity::Red : Severity::Warning,
        .title = "The tokenizer loses text",
        .evidence = std::move(evidence),
        .cause = "The vocabulary was made for other languages or signs, or is not this model's.",
        .remedy = "Choose a model whose tokenizer knows this text (byte-level vocabularies know all), or "
                  "remove these rows: the model cannot see what is lost.",
        .rows = std::move(rows),
        .number = worst};
}

} // namespace assay
