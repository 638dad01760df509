#pragma once

#include "tests/support/tiny_model.h"
#include "tests/support/toy_chat_vocabulary.h"

#include <ATen/ops/empty.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>

namespace assay::tests {

/// A small step reward model as others publish them: config.json, weights, vocabulary, chat template.
struct PublishedFolder
{
    std::string family = "mistral", architecture = "MistralForCausalLM";
    bool languageHead = false, twoLayers = false;
    std::int64_t outputs = 0;                  ///< of an ordinary head, 0 = none
    std::int64_t window = 0;                   ///< of every layer, 0 = none
    std::int64_t spareRows = 0;                ///< of the embedding, that no token has
    std::vector<std::string> leftOut;          ///< tensors that are not written
    std::map<std::string, at::Tensor> tensors; ///< what was written

    void write(const std::filesystem::path& folder)
    {
        std::filesystem::create_directories(folder);
        const auto vocabulary = writeChatVocabulary(folder) + spareRows;
        TinyModelOptions options;
        options.family = family.c_str();
        options.vocabulary = vocabulary;
        const auto model = tinyModel(options);
        for (const auto& parameter : model->backbone().parameters())
            tensors[parameter.name] = parameter.tensor.detach().contiguous();
        const auto width = options.width;
        RandomStream stream(11, "published");
        const auto drawn = [&stream](const std::vector<std::int64_t>& shape) {
            at::Tensor tensor = at::empty(shape, at::kFloat);
            auto* data = tensor.data_ptr<float>();
            for (std::int64_t i = 0; i < tensor.numel(); ++i)
                data[i] = static_cast<float>(0.2 * stream.normal()); // larger ones saturate the softmax
            return tensor;
        };
        if (languageHead)
            tensors["lm_head.weight"] = drawn({vocabulary, width});
        if (twoLayers) {
            tensors["score.0.weight"] = drawn({width, width});
            tensors["score.0.bias"] = drawn({width});
            tensors["score.2.weight"] = drawn({2, width});
            tensors["score.2.bias"] = drawn({2});
        }
        if (outputs > 0)
            tensors["score.weight"] = drawn({outputs, width});
        for (const auto& name : leftOut)
            tensors.erase(name);
        std::vector<TensorSource> sources;
        for (const auto& [name, tensor] : tensors)
            sources.push_back({name, DType::F32, tensor.sizes().vec(), tensorBytesOf(tensor)});
        ASSAY_CHECK(writeSafetensors(folder / "model.safetensors", std::move(sources)).ok(), "written");
        auto config = nlohmann::json::parse(model->config().json);
        config["architectures"] = {architecture};
        for (std::int64_t i = 0; i < outputs; ++i)
            config["id2label"][std::to_string(i)] = "LABEL_" + std::to_string(i);
        if (window > 0)
            config["sliding_window"] = window;
        std::ofstream(folder / "config.json") << config.dump();
    }
};

} // namespace assay::tests
