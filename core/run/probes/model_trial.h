#pragma once

#include "core/base/result.h"
#include "core/data/example.h"

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// A row as the token view shows it.
struct TokenView
{
    struct Token
    {
        std::int32_t id = 0;
        std::string text;
        std::string role; ///< bos, prompt, step, separator, answer, eos, given
        std::int32_t step = -1;
        bool readOut = false, supervised = false;
        float label = 0.0F;
        std::int32_t sequence = 0; ///< a pair has two: chosen, then rejected
        bool cut = false;          ///< the layout cut it away; shown, never computed
    };
    std::vector<Token> tokens;
    std::string cutText;       ///< what the layout cut, empty = nothing
    std::int64_t fileRow = -1; ///< 0-based row of its file, -1 = not known
};

/// A text to try: a prompt and its steps, or its answers.
struct TrialText
{
    std::string prompt;
    std::vector<std::string> parts;
    bool parseSpecial = false; ///< of a model without scores: spellings of special tokens are these tokens
};

/// What a model makes of a text.
struct TrialAnswer
{
    struct Value
    {
        double score = 0.0;
        double reward =
            0.0; ///< step probability; of a whole answer the score; both as the export scales them
        std::optional<bool> correct; ///< of a step, where the model came with a threshold
    };
    TokenView view;
    std::optional<double> reward; ///< of the whole answer, where the model came with an aggregation
    std::vector<std::optional<Value>> values; ///< [parts]; none where the layout cut it; empty = no scores
};

/// A model folder that was opened to try texts on. Blocks its thread, as everything that computes.
class ModelTrial
{
public:
    virtual ~ModelTrial() = default;
    /// Whether parts are steps of one answer, or answers of their own; what the layout is called.
    virtual bool steps() const = 0;
    virtual std::string layoutName() const = 0;
    /// What happens to its outputs, see `RewardScale::text`; empty = nothing.
    virtual std::string rewards() const = 0;
    /// Why there are only tokens and no scores: no head, no layout, ...; none = there are scores.
    virtual const std::optional<Error>& withoutScores() const = 0;
    /// Errors: BadData (too long, breaks the rules of the layout), Numeric.
    virtual Result<TrialAnswer> answer(const TrialText& text) = 0;
};

} // namespace assay
