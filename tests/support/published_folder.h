#pragma once

#include "tests/support/tiny_model.h"
#include "tests/support/toy_chat_vocabulary.h"

#include <ATen/ops/randn.h>

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
    std::vector<std::string> leftOut;          ///< tensors that are not written
    std::map<std::string, at::Tensor> tensors; ///< what was written

    void write(const std::filesystem::path& folder)
    {
        std::filesystem::create_directories(folder);
        const auto vocabulary = writeChatVocabulary(folder);
        TinyModelOptions options;
        options.family = family.c_str();
        options.vocabulary = vocabulary;
        const auto model = tinyModel(options);
        for (const auto& parameter : model->backbone().parameters())
            tensors[parameter.name] = parameter.tensor.detach().contiguous();
        const auto width = options.width;
        if (languageHead)
            tensors["lm_head.weight"] = at::randn({vocabulary, width}, at::kFloat);
        if (twoLayers) {
            tensors["score.0.weight"] = at::randn({width, width}, at::kFloat);
            tensors["score.0.bias"] = at::randn({width}, at::kFloat);
            tensors["score.2.weight"] = at::randn({2, width}, at::kFloat);
            tensors["score.2.bias"] = at::randn({2}, at::kFloat);
        }
        for (const auto& name : leftOut)
            tensors.erase(name);
        std::vector<TensorSource> sources;
        for (const auto& [name, tensor] : tensors)
            sources.push_back({name, DType::F32, tensor.sizes().vec(), tensorBytesOf(tensor)});
        ASSAY_CHECK(writeSafetensors(folder / "model.safetensors", std::move(sources)).ok(), "written");
        auto config = nlohmann::json::parse(model->config().json);
        config["architectures"] = {architecture};
        std::ofstream(folder / "config.json") << config.dump();
    }
};

} // namespace assay::tests
