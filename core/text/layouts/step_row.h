#pragma once

#include "core/text/layout.h"

#include <string>
#include <vector>

namespace assay {

/// A solution on its way to a sequence: tokens with their roles, and where every step is read.
class StepRow
{
public:
    explicit StepRow(std::size_t steps)
        : m_readAt(steps, kNoRead)
    {}

    void append(std::span<const TokenId> ids, TokenRole role, std::int32_t step = -1);
    /// Reads `step` at the token that was appended last.
    void readHere(std::size_t step) { m_readAt[step] = size() - 1; }
    /// Cuts on the right; a read-out at a token that goes away is lost, however much of its step is left.
    void keepFirst(std::int32_t tokens);
    /// Takes away the tokens [begin, begin + count).
    void remove(std::int32_t begin, std::int32_t count);

    std::int32_t size() const { return static_cast<std::int32_t>(m_sequence.ids.size()); }
    std::int32_t count(TokenRole role) const;
    std::int32_t cutTokens() const { return m_cutTokens; }

    /// The row as it is now, with what the cuts took from `labels` ([steps], supervised as the mode has it).
    LaidOut finish(std::span<const Label> labels) &&;
    /// The row dropped as a whole: no sequence, everything counted as cut.
    LaidOut drop(std::span<const Label> labels) const;

private:
    static constexpr std::int32_t kNoRead = -1;

    Sequence m_sequence;
    std::vector<std::int32_t> m_readAt; ///< [steps]
    std::int32_t m_cutTokens = 0;
};

/// The layouts that tokenise prompt, every step and the separators apart; they differ in what stands between
/// and in their cuts. Pre-tokenised rows pass unchanged.
class StepLayout : public Layout
{
public:
    StepLayout(LayoutOptions options, TokenizerPtr tokenizer);
    const LayoutOptions& options() const override { return m_options; }
    Result<LaidOut> layOut(const Example& example, bool training) const override;

protected:
    /// BOS (if the tokenizer has one and the options want it) and the prompt.
    void appendPrompt(StepRow& row, const StepwiseExample& solution) const;
    /// Every step with the separator behind it. Errors: BadData when a step has no token at all.
    Status appendSteps(StepRow& row, const Example& example, const StepwiseExample& solution) const;
    /// Labels as the mode supervises them.
    std::vector<Label> labelsOf(const StepwiseExample& solution, bool training) const;
    /// Applies `maximumTokens` by the chosen policy. Errors: BadData with the policy `fail`.
    Result<LaidOut> limit(StepRow row, const Example& example, std::span<const Label> labels) const;

    virtual Result<LaidOut> layOutSteps(const Example& example, const StepwiseExample& solution,
                                        bool training) const = 0;

    LayoutOptions m_options;
    TokenizerPtr m_tokenizer;

private:
    std::vector<TokenId> m_separator;
};

/// `stepwise`: BOS, prompt, prompt separator, then steps, each with its separator.
LayoutPtr makeStepwiseLayout(LayoutOptions options, TokenizerPtr tokenizer);
/// `trl-stepwise`: what TRL's PRMTrainer makes of a row, its cuts included.
LayoutPtr makeTrlStepwiseLayout(LayoutOptions options, TokenizerPtr tokenizer);
/// `marker`: the whole row written as one text with a tag for every step, and read at the tags: how
/// Math-Shepherd and its successors were trained.
LayoutPtr makeMarkerLayout(LayoutOptions options, TokenizerPtr tokenizer);

} // namespace assay
