#include "core/text/pipeline/pipeline_json.h"

namespace assay {

namespace {

constexpr std::size_t kMaximumAddedTokens = 65536;

Status readAddedTokens(const Component& root, AddedTokens& added)
{
    const auto list = root.json().find("added_tokens");
    if (list == root.json().end() || list->is_null())
        return {};
    if (!list->is_array() || list->size() > kMaximumAddedTokens)
        return root.refuse("\"added_tokens\" must be a list of at most 65,536 tokens");
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Component entry((*list)[i], "added_tokens[" + std::to_string(i) + "]");
        TRY(const auto id, entry.number("id"));
        TRY(auto token, addedTokenFrom(entry, id));
        if (const auto status = added.add(std::move(token)); !status.ok())
            return entry.refuse(status.error().message);
    }
    return {};
}

} // namespace

Result<Pipeline> pipelineFromJson(const nlohmann::json& json)
{
    const Component root(json, "tokenizer");
    Pipeline pipeline;
    TRY_STATUS(readAddedTokens(root, pipeline.added));
    if (root.has("normalizer")) {
        TRY(const auto component, root.object("normalizer"));
        TRY(pipeline.normalizer, makeNormalizer(component));
    }
    bool byteLevel = false;
    if (root.has("pre_tokenizer")) {
        TRY(const auto component, root.object("pre_tokenizer"));
        TRY(auto made, makePreTokenizer(component));
        pipeline.preTokenizer = std::move(made.preTokenizer);
        byteLevel = made.byteLevel;
    }
    TRY(const auto model, root.object("model"));
    TRY(pipeline.model, makeTokenModel(model, byteLevel));
    if (root.has("post_processor")) {
        TRY(const auto component, root.object("post_processor"));
        TRY(pipeline.postProcessor, makePostProcessor(component));
    }
    if (root.has("decoder")) {
        TRY(const auto component, root.object("decoder"));
        TRY(pipeline.decoder, makeDecoder(component));
    }
    return pipeline;
}

} // namespace assay
