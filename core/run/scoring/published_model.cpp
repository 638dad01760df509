#include "core/run/scoring/published_model.h"

#include "core/base/durable_file.h"
#include "core/config/fields.h"
#include "core/config/json.h"
#include "core/config/task.h"
#include "core/model/model_folder.h"
#include "core/model/reward_model.h"
#include "core/run/build_model.h"
#include "core/run/exports/export_record.h"
#include "core/run/preflight/memory_meter.h"
#include "core/text/layout_settings.h"

#include <algorithm>

namespace assay {

namespace {

bool given(const ScorerSettings& settings, std::string_view beginning)
{
    return std::any_of(settings.begin(), settings.end(),
                       [beginning](const auto& setting) { return setting.first.starts_with(beginning); });
}

Result<LayoutOptions> layoutFor(const ExperimentConfig& config, const ScorerSettings& settings,
                                const StoredHead& head)
{
    if (given(settings, "layout."))
        return layoutOptions(config.layout);
    if (head.layout)
        return *head.layout;
    const std::filesystem::path folder = config.backbone.folder;
    const auto json = readFile(folder / "layout.json", 1 << 20);
    if (json)
        return layoutFromJson(*json);
    return Error{ErrorCode::BadModel, "nothing says how rows become tokens for this model", folder.string(),
                 "Give the layout it was trained with (--layout.name and the like), or name its declaration "
                 "with --head"};
}

Result<std::unique_ptr<Head>> headFor(const ExperimentConfig& config, const ModelFolder& model,
                                      const ComputeChoice& compute, FreshHead freshHead)
{
    if (const HeadKind* kind = model.head.kind())
        return makeHead(*kind, model.head.weights);
    if (model.head.present())
        return Error{ErrorCode::Unsupported,
                     "no head of ours has " + std::to_string(model.head.weights.weight.size(0)) + " outputs",
                     config.backbone.folder, "Take a model with one output, or two for every step"};
    if (freshHead == FreshHead::Refuse)
        return Error{ErrorCode::BadModel, "the model has no trained head", config.backbone.folder,
                     "A published step model may be a language model whose tokens are compared: --head "
                     "math-shepherd or rlhflow. --fresh-head scores with random weights"};
    const HeadKind* kind = headKind(headKindOf(config));
    if (!kind)
        return Error{ErrorCode::Usage, "there is no head for this layout", "layout.name"};
    RandomStream stream(config.seedFor(config.run.headSeed), "head");
    return newHead(*kind, model.backbone->width(), stream, compute.weights, compute.device);
}

} // namespace

PublishedModel::PublishedModel() = default;
PublishedModel::PublishedModel(PublishedModel&&) noexcept = default;
PublishedModel& PublishedModel::operator=(PublishedModel&&) noexcept = default;
PublishedModel::~PublishedModel() = default;

Result<PublishedModel> openPublishedModel(const std::filesystem::path& folder, const ScorerSettings& settings,
                                          FreshHead freshHead)
{
    PublishedModel published;
    auto& config = published.config;
    config.backbone.folder = folder.string();
    config.backbone.frozen = true;
    config.compute.dtype = "float32"; // its scores, not something near them
    for (const auto& [id, text] : settings)
        TRY_STATUS(setField(config, id, text));
    TRY(const auto plan, planModel(config));
    if (plan.tag && plan.tag->added)
        return Error{ErrorCode::Usage, "the model has never seen the tag as a token", "layout.add_step_tag",
                     "Leave it out to score; a run adds the tag and trains it"};
    TRY(published.compute, chooseCompute(config.compute, plan.config.decoder));
    TRY_STATUS(checkModelFits(folder, published.compute, ModelUse::Scoring));
    TRY(auto model, openModelFolder(folder, published.compute.weights,
                                    freshHead == FreshHead::Allow ? MissingHead::Allow : MissingHead::Refuse,
                                    published.compute.device, {}, config.head.declaration));
    TRY(auto head, headFor(config, model, published.compute, freshHead));
    TRY(const auto options, layoutFor(config, settings, model.head));
    if ((taskOfLayout(options.name) == Task::Steps) != headKind(head->kind())->perToken)
        return Error{ErrorCode::Usage,
                     "the layout " + options.name + " and the head " + std::string(head->kind()) +
                         " do not belong together",
                     "layout.name",
                     "Take a layout for steps with a step head, one for pairs with a pair head"};
    TRY(published.layout, makeLayout(options, plan.tokenizer));
    TRY(const auto record, readExportRecord(folder));
    published.scale = record.scale;
    published.model = std::make_unique<RewardModel>(std::move(model.config), std::move(model.backbone),
                                                    std::move(head), true);
    return published;
}

} // namespace assay
