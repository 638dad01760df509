#include "core/text/demo_experiment.h"

#include "core/base/durable_file.h"
#include "core/base/embedded_file.h"
#include "core/config/json.h"
#include "core/text/demo_files.h"

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExperiment = "demo.json";
/// Of the generated files, those that the healthy demo reads.
constexpr std::string_view kData[] = {"train.jsonl", "evaluation.jsonl"};

Status writeIfOther(const fs::path& path, std::string_view content)
{
    if (const auto present = readFile(path); present.ok() && *present == content)
        return {};
    return writeDurably(path, content);
}

Result<TokenizerPtr> embeddedTokenizer()
{
    for (const auto& file : embeddedDemo())
        if (file.name.ends_with(".model"))
            return openSentencePiece(std::string(file.name), std::string(file.content));
    return Error{ErrorCode::Internal, "this build carries no demo tokenizer"};
}

} // namespace

Result<ExperimentConfig> unpackDemo(const fs::path& folder, std::uint64_t seed)
{
    const fs::path root = fs::absolute(folder);
    TRY_STATUS(createDirectories(root / "demo"));
    TRY(const auto tokenizer, embeddedTokenizer());
    TRY(const auto files, demoFiles(seed, tokenizer));
    for (const auto& file : files)
        for (const auto name : kData)
            if (file.name == name)
                TRY_STATUS(writeIfOther(root / "demo" / file.name, file.content));
    for (const auto& file : embeddedDemo()) {
        if (file.name != kExperiment)
            continue;
        TRY_STATUS(writeIfOther(root / kExperiment, file.content));
        return readExperiment(root / kExperiment);
    }
    return Error{ErrorCode::Internal, "this build carries no demo experiment"};
}

} // namespace assay
