#include "core/run/scorer.h"

#include "core/base/durable_file.h"
#include "core/config/json.h"
#include "core/model/model_folder.h"
#include "core/run/compute.h"
#include "core/run/token_view.h"
#include "core/train/checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

namespace assay {

namespace {

Example textExample(const std::string& prompt, std::span<const std::string> steps)
{
    StepwiseExample content;
    content.prompt = prompt;
    for (const auto& step : steps)
        content.steps.push_back({step, Label::none()});
    Example example;
    example.source = "text";
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
        TRY(const auto row, m_layout->layOut(textExample(prompt, steps), false));
        if (row.empty())
            return Error{ErrorCode::BadData, "the text is longer than the layout's maximum length", "text"};
        const auto& ids = row.sequences.front().ids;
        extendTo(ids);
        std::vector<std::int64_t> positions;
        for (const auto& score : row.scores)
            positions.push_back(row.readOuts[static_cast<std::size_t>(score.readOutA)].spans.back().end - 1);
        std::vector<StepScore> result;
        if (positions.empty())
            return result;
        const at::Tensor rows =
            m_hidden.index_select(0, at::tensor(positions, at::TensorOptions().dtype(at::kLong)));
        const auto [logits, probabilities] = m_head->correct(m_head->forward(rows));
        for (std::int64_t i = 0; i < logits.size(0); ++i)
            result.push_back({logits[i].item<double>(), probabilities[i].item<double>()});
        return result;
    }

    Result<TokenView> tokens(const std::string& prompt, std::span<const std::string> steps) override
    {
        TRY(const auto row, m_layout->layOut(textExample(prompt, steps), false));
        return tokenViewOf(row, m_tokenizer.get());
    }

private:
    void extendTo(const std::vector<TokenId>& ids)
    {
        const auto common = static_cast<std::int64_t>(
            std::mismatch(ids.begin(), ids.end(), m_ids.begin(), m_ids.end()).first - ids.begin());
        m_ids.assign(ids.begin(), ids.end());
        const auto fresh = static_cast<std::int64_t>(ids.size()) - common;
        for (auto& layer : m_cache.layers) {
            layer.keys = layer.keys.narrow(0, 0, common);
            layer.values = layer.values.narrow(0, 0, common);
        }
        if (m_hidden.defined())
            m_hidden = m_hidden.narrow(0, 0, common);
        if (fresh == 0)
            return;
        std::vector<std::int64_t> newIds(ids.begin() + common, ids.end());
        std::vector<std::int64_t> positions;
        for (std::int64_t i = 0; i < fresh; ++i)
            positions.push_back(common + i);
        const auto longs = at::TensorOptions().dtype(at::kLong);
        const PrefixCache past = m_cache;
        BackboneInput input;
        input.ids = at::tensor(newIds, longs);
        input.positions = at::tensor(positions, longs);
        input.past = &past;
        input.record = &m_cache;
        const at::Tensor hidden = m_folder.backbone->forward(input, {});
        m_hidden = common > 0 ? at::cat({m_hidden, hidden}) : hidden;
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
    const auto* kind = headKind(folder.head.weight.size(0) == 2 ? "step-classifier" : "step-scalar");
    auto head = makeHead(*kind, folder.head.weight, folder.head.bias);
    return std::unique_ptr<Scorer>(std::make_unique<CheckpointScorer>(
        std::move(folder), std::move(head), std::move(tokenizer), std::move(layout)));
}

} // namespace assay
