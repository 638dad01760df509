#include "core/run/scorer.h"

#include "core/base/durable_file.h"
#include "core/config/json.h"
#include "core/config/task.h"
#include "core/model/heads.h"
#include "core/model/model_folder.h"
#include "core/run/compute.h"
#include "core/run/prepared_side.h"
#include "core/run/token_view.h"
#include "core/train/checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay {

namespace {

Example textExample(Task task, const std::string& prompt, std::span<const std::string> texts)
{
    Example example;
    example.source = "text";
    if (task == Task::Pairs) {
        PreferenceExample content;
        content.prompt.text = prompt;
        for (const auto& text : texts)
            content.candidates.push_back({text, {}});
        // A preference has two sides; a single answer is compared with itself.
        if (texts.size() == 1)
            content.candidates.push_back(content.candidates.front());
        example.content = std::move(content);
        return example;
    }
    StepwiseExample content;
    content.prompt = prompt;
    for (const auto& text : texts)
        content.steps.push_back({text, Label::none()});
    example.content = std::move(content);
    return example;
}

/// Keeps the keys, values and hidden states of the last text: what did not change is not computed again.
class CheckpointScorer : public Scorer
{
public:
    CheckpointScorer(ModelFolder folder, std::unique_ptr<Head> head, TokenizerPtr tokenizer, LayoutPtr layout)
        : m_folder(std::move(folder))
        , m_head(std::move(head))
        , m_tokenizer(std::move(tokenizer))
        , m_layout(std::move(layout))
    {}

    Result<std::vector<StepScore>> score(const std::string& prompt,
                                         std::span<const std::string> steps) override
    {
        const at::NoGradGuard noGradients;
        std::vector<StepScore> result;
        if (steps.empty())
            return result;
        TRY(const auto row, layOut(prompt, steps));
        if (row.empty())
            return Error{ErrorCode::BadData, "the text is longer than the layout's maximum length", "text"};
        TRY_STATUS(checkTokens(row, Example{.source = "text"}, m_folder.config.limits()));
        std::vector<at::Tensor> hidden; // [1, width] each
        for (std::size_t s = 0; s < row.scores.size() && s < steps.size(); ++s) {
            const auto& readOut = row.readOuts[static_cast<std::size_t>(row.scores[s].readOutA)];
            // Sequences come one after the other; what the next one shares with the last is kept.
            extendTo(row.sequences[static_cast<std::size_t>(readOut.sequence)].ids);
            hidden.push_back(m_hidden.narrow(0, readOut.spans.back().end - 1, 1));
        }
        if (hidden.empty())
            return result;
        const auto [logits, probabilities] = m_head->correct(m_head->forward(at::cat(hidden)));
        for (std::int64_t i = 0; i < logits.size(0); ++i)
            result.push_back({logits[i].item<double>(), probabilities[i].item<double>()});
        return result;
    }

    Result<TokenView> tokens(const std::string& prompt, std::span<const std::string> steps) override
    {
        TRY(const auto row, layOut(prompt, steps));
        return tokenViewOf(row, m_tokenizer.get());
    }

private:
    Result<LaidOut> layOut(const std::string& prompt, std::span<const std::string> steps) const
    {
        return m_layout->layOut(textExample(taskOfLayout(m_layout->options().name), prompt, steps), false);
    }

    void extendTo(const std::vector<TokenId>& ids)
    {
        const auto common = static_cast<std::int64_t>(
            std::mismatch(ids.begin(), ids.end(), m_ids.begin(), m_ids.end()).first - ids.begin());
        // Cut back first, then grow only by what was computed: an exception leaves a shorter text, no wrong
        // one.
        m_ids.resize(static_cast<std::size_t>(common));
        for (auto& layer : m_cache.layers) {
            layer.keys = layer.keys.narrow(0, 0, common);
            layer.values = layer.values.narrow(0, 0, common);
        }
        if (m_hidden.defined())
            m_hidden = m_hidden.narrow(0, 0, common);
        const auto fresh = static_cast<std::int64_t>(ids.size()) - common;
        if (fresh == 0)
            return;
        std::vector<std::int64_t> newIds(ids.begin() + common, ids.end());
        std::vector<std::int64_t> positions;
        for (std::int64_t i = 0; i < fresh; ++i)
            positions.push_back(common + i);
        const auto longs = at::TensorOptions().dtype(at::kLong);
        PrefixCache grown;
        BackboneInput input;
        input.ids = at::tensor(newIds, longs);
        input.positions = at::tensor(positions, longs);
        input.past = &m_cache;
        input.record = &grown;
        const at::Tensor hidden = m_folder.backbone->forward(input, {});
        at::Tensor all = common > 0 ? at::cat({m_hidden, hidden}) : hidden;
        m_hidden = std::move(all);
        m_cache = std::move(grown);
        m_ids.assign(ids.begin(), ids.end());
    }

    ModelFolder m_folder;
    std::unique_ptr<Head> m_head;
    TokenizerPtr m_tokenizer;
    LayoutPtr m_layout;
    std::vector<TokenId> m_ids;
    PrefixCache m_cache;
    at::Tensor m_hidden; ///< [tokens, width]
};

} // namespace

Result<std::unique_ptr<Scorer>> openScorer(const std::filesystem::path& checkpoint)
{
    TRY(auto folder, openModelFolder(checkpoint, at::kFloat, MissingHead::Refuse));
    TRY(auto tokenizer, openTokenizer(checkpoint));
    TRY(const auto json, readFile(checkpoint / "layout.json", 1 << 20));
    TRY(const auto options, layoutFromJson(json));
    TRY(auto layout, makeLayout(options, tokenizer));
    const auto* kind = folder.head.kind();
    if (!kind)
        return Error{ErrorCode::BadModel,
                     folder.head.present()
                         ? fmt::format("no head has {} outputs", folder.head.weights.weight.size(0))
                         : std::string("the folder has no head"),
                     checkpoint.string()};
    auto head = makeHead(*kind, folder.head.weights);
    return std::unique_ptr<Scorer>(std::make_unique<CheckpointScorer>(
        std::move(folder), std::move(head), std::move(tokenizer), std::move(layout)));
}

} // namespace assay
