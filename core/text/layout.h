#pragma once

#include "core/base/result.h"
#include "core/data/example.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Positions [begin, end) of a sequence.
struct Span
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    bool operator==(const Span&) const = default;
};

enum class Pooling {
    Last, ///< the hidden state of the last position of the last span
    Mean  ///< the mean over all positions of all spans
};

/// What is read from the backbone: a step end is one position; mean pooling is a span.
struct ReadOut
{
    std::int32_t sequence = 0;
    std::vector<Span> spans;
    Pooling pooling = Pooling::Last;
};

/// What the head scores: one read-out, or two for dual encodings (the head combines them).
struct Score
{
    std::int32_t readOutA = 0;
    std::int32_t readOutB = -1; ///< -1 = none
};

/// What the objective compares scores with. Value and mask are [scores, outputs], row-major.
struct Targets
{
    std::int32_t outputs = 1;
    std::vector<float> value;
    std::vector<std::uint8_t> mask;
    std::vector<std::int32_t>
        groupOffsets;          ///< ranked candidates: scores [offset i, offset i+1) are one group
    std::vector<float> rank;   ///< [scores], within the group, 0 = best
    std::vector<float> margin; ///< [groups]
    std::vector<float> weight; ///< [scores]
};

/// Why a token is in a sequence; the token view colours by it.
enum class TokenRole : std::uint8_t { Bos, Prompt, Step, Separator, Answer, Eos, Given };
/// `bos`, `prompt`, `step`, `separator`, `answer`, `eos`, `given`.
std::string_view tokenRoleId(TokenRole role);

/// Token ids with everything the backbone and the token view need. Never padded.
struct Sequence
{
    std::vector<TokenId> ids;
    std::vector<std::uint8_t> tokenTypes; ///< empty = all zero
    std::int32_t positionOffset = 0;
    std::vector<TokenRole> roles;   ///< [ids]
    std::vector<std::int32_t> step; ///< [ids], 0-based step of the token, -1 = none
};

/// What a layout cut away, by class, so that it can be shown before it hurts.
struct CutReport
{
    bool dropped = false; ///< the whole row
    std::int32_t tokens = 0;
    std::int32_t labelsCorrect = 0; ///< supervised labels >= 0.5 lost
    std::int32_t labelsWrong = 0;   ///< supervised labels < 0.5 lost
    std::int32_t readOuts = 0;      ///< read-outs lost, supervised or not
    /// Tokens of every sequence before the cut; empty where nothing was cut.
    std::vector<std::int32_t> lengths;
};

/// An example as token sequences with read-outs, each tied to a target.
struct LaidOut
{
    std::vector<Sequence> sequences;
    std::vector<ReadOut> readOuts;
    std::vector<Score> scores;
    Targets targets;
    std::vector<std::int32_t> scoreStep; ///< [scores], 0-based step of the score, -1 = whole sequence
    CutReport cut;
    bool empty() const { return sequences.empty(); }
    /// Tokens of all sequences.
    std::int64_t tokens() const
    {
        std::int64_t count = 0;
        for (const auto& sequence : sequences)
            count += static_cast<std::int64_t>(sequence.ids.size());
        return count;
    }
};

/// CutPromptLeft keeps BOS and the prompt separator, and drops a row whose steps or answers alone are too
/// long. Candidates of one prompt lose the same number of its tokens. CutRight drops a preference whose
/// candidates differ only in what it cuts.
enum class Truncation { DropRow, CutPromptLeft, CutRight, Fail };
/// `drop-row`, `cut-prompt-left`, `cut-right`, `fail`.
std::string_view truncationId(Truncation truncation);
std::optional<Truncation> truncationFromId(std::string_view id);

/// Settings of a layout; the same object is stored in every checkpoint (`layout.json`).
struct LayoutOptions
{
    std::string name = "stepwise"; ///< one of `layoutNames()`
    std::string stepSeparator = "\n";
    std::string promptSeparator = "\n"; ///< `stepwise` only
    bool addBos = true;                 ///< all but `trl-stepwise`, which always does
    // Limits; none = off. One below 1 is an error of every row that meets it.
    std::optional<std::int32_t> maximumTokens = 1024; ///< whole row
    Truncation truncation = Truncation::CutRight;
    bool trainOnLastStepOnly = false;
    // trl-stepwise only. They reproduce the reference trainer's options, cuts included.
    std::optional<std::int32_t> maximumPromptTokens;
    std::optional<std::int32_t> maximumCompletionTokens;
    // pairwise only.
    bool appendEos = true;     ///< the tokenizer's EOS token behind every answer
    bool parseSpecial = false; ///< special-token strings inside the text become those tokens
    // marker only.
    std::string stepTag;               ///< one token of `stepSeparator`, or the answer to a turn
    std::string conversation = "none"; ///< one of `conversationNames()`
    std::string system;                ///< message in front of a conversation; empty = none
    bool readBeforeTag = false;        ///< at the token that predicts the tag instead of at the tag
    bool operator==(const LayoutOptions&) const = default;
};

/// The only code that knows about BOS, separators, EOS and truncation. Training, evaluation, scoring and
/// export use the same object.
class Layout
{
public:
    virtual ~Layout() = default;
    virtual const LayoutOptions& options() const = 0;
    /// `training` = false keeps every label (train_on_last_step_only is a training option).
    /// Every step that is left has a read-out, supervised or not; a preference has one sequence for each
    /// candidate, best first, read at its last token. A row without any supervised read-out comes back and is
    /// the caller's to drop and count. Pre-tokenised steps pass unchanged, whatever their length.
    /// Errors: BadData naming the row (counts that do not match, an empty step without separator, ...).
    virtual Result<LaidOut> layOut(const Example& example, bool training) const = 0;
};

using LayoutPtr = std::shared_ptr<const Layout>;

/// Errors: Usage for an unknown name or contradicting options. Without a tokenizer (null) only pre-tokenised
/// rows can be laid out.
Result<LayoutPtr> makeLayout(const LayoutOptions& options, TokenizerPtr tokenizer);
/// Ids of all layouts, for choices and help.
std::span<const std::string_view> layoutNames();
/// What the layout marker writes: `none` (plain text), `answer` (prompt and steps as one question and answer
/// of the chat template), `turns` (every step a question, the tag its answer).
std::span<const std::string_view> conversationNames();

std::string layoutToJson(const LayoutOptions& options);
/// Missing keys keep their default. Errors: BadModel (unknown or repeated key, wrong type, not JSON).
Result<LayoutOptions> layoutFromJson(std::string_view json);

} // namespace assay
