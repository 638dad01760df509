#include "core/text/tokenizer.h"

#include "core/base/durable_file.h"

#include <algorithm>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaximumModelBytes = std::uintmax_t{64} << 20;

/// The one `.model` file of a folder, the usual names first; empty if there is none.
fs::path modelFile(const fs::path& folder)
{
    std::error_code ignored;
    for (const auto* name : {"tokenizer.model", "spiece.model"})
        if (fs::exists(folder / name, ignored))
            return folder / name;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".model")
            found.push_back(entry.path());
    // The order of a folder is not fixed; the result must be.
    std::sort(found.begin(), found.end());
    return found.empty() ? fs::path() : found.front();
}

Error noTokenizer(const fs::path& folder)
{
    std::error_code ignored;
    for (const auto* name : {"tokenizer.json", "vocab.json", "vocab.txt", "merges.txt"}) {
        if (fs::exists(folder / name, ignored))
            return {ErrorCode::Unsupported,
                    std::string("the tokenizer is only there as ") + name +
                        "; sentencepiece .model files are read",
                    (folder / name).string(),
                    "Choose a model whose folder has a tokenizer.model or spiece.model"};
    }
    return {ErrorCode::NotFound, "no tokenizer; looked for tokenizer.model, spiece.model and *.model",
            folder.string(), ""};
}

} // namespace

Result<TokenizerPtr> openTokenizer(const fs::path& path)
{
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return Error{ErrorCode::NotFound, "no such tokenizer file or folder", path.string(), ""};
    auto file = path;
    if (fs::is_directory(path, ignored)) {
        file = modelFile(path);
        if (file.empty())
            return noTokenizer(path);
    } else if (path.extension() == ".json" || path.extension() == ".txt") {
        return Error{ErrorCode::Unsupported,
                     "sentencepiece .model files are read, not this kind of tokenizer", path.string(), ""};
    }
    TRY(auto bytes, readFile(file, kMaximumModelBytes));
    auto tokenizer = openSentencePiece(file.filename().string(), std::move(bytes));
    if (!tokenizer) {
        auto error = tokenizer.error();
        error.where = file.string();
        return error;
    }
    return tokenizer;
}

} // namespace assay
