#include "core/text/demo_experiment.h"

#include "core/base/durable_file.h"
#include "core/base/embedded_file.h"
#include "core/config/json.h"
#include "core/text/demo_files.h"

#include <algorithm>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExperiment = "demo.json";
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
    const auto embedded = embeddedDemo();
    const auto experiment = std::find_if(embedded.begin(), embedded.end(),
                                         [](const EmbeddedFile& file) { return file.name == kExperiment; });
    if (experiment == embedded.end())
        return Error{ErrorCode::Internal, "this build carries no demo experiment"};
    const fs::path root = fs::absolute(folder);
    TRY_STATUS(createDirectories(root / "demo"));
    TRY(const auto tokenizer, embeddedTokenizer());
    TRY(const auto files, demoFiles(seed, tokenizer));
    TRY(const auto relative, configFromJson(experiment->content));
    for (const fs::path data : {relative.data.train, relative.data.evaluation})
        for (const auto& file : files)
            if (data.filename() == file.name)
                TRY_STATUS(writeIfOther(root / data, file.content));
    TRY_STATUS(writeIfOther(root / kExperiment, experiment->content));
    return readExperiment(root / kExperiment);
}

} // namespace assay
