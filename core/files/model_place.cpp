#include "core/files/model_place.h"

#include "core/base/durable_file.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestReference = 256;

struct ModelName
{
    std::string owner, name, revision = "main";
};

/// Letters, digits, '.', '_' and '-'; no path can be made of it.
bool isWord(std::string_view text)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= 96 && text.front() != '.' && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), fits) && text.find("..") == std::string_view::npos &&
           text.find("--") == std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const auto end = text.find('/', begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos)
            return parts;
        begin = end + 1;
    }
}

std::optional<ModelName> parseName(std::string_view text)
{
    ModelName result;
    if (const auto at = text.find('@'); at != std::string_view::npos) {
        result.revision = text.substr(at + 1);
        const auto words = split(result.revision); // a branch may have slashes
        if (!std::all_of(words.begin(), words.end(), isWord))
            return {};
        text = text.substr(0, at);
    }
    const auto words = split(text);
    if (words.size() != 2 || !isWord(words[0]) || !isWord(words[1]))
        return {};
    result.owner = words[0];
    result.name = words[1];
    return result;
}

std::vector<fs::path> cachesOf()
{
    const auto value = [](const char* name) {
        const char* text = std::getenv(name);
        return fs::path(text ? text : "");
    };
    std::vector<fs::path> caches;
    if (const auto cache = value("HF_HUB_CACHE"); !cache.empty())
        caches.push_back(cache);
    if (const auto home = value("HF_HOME"); !home.empty())
        caches.push_back(home / "hub");
    if (const auto home = value("HOME"); !home.empty())
        caches.push_back(home / ".cache" / "huggingface" / "hub");
    return caches;
}

Error damaged(const std::string& message, const fs::path& where)
{
    return Error{ErrorCode::BadModel, message, where.string(),
                 "Fetch the model again, or give its folder by path"};
}

/// Whether `path`, with every link followed, lies in `root`, which has none.
bool inside(const fs::path& root, const fs::path& path)
{
    std::error_code error;
    const auto real = fs::canonical(path, error);
    if (error)
        return false;
    return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

/// Everything in the snapshot ends in a file or folder of the cache.
Status checkLinks(const fs::path& root, const fs::path& snapshot)
{
    if (!inside(root, snapshot))
        return damaged("the snapshot is a link that leaves the cache", snapshot);
    std::error_code error;
    for (fs::recursive_directory_iterator entry(snapshot, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        if (!entry->is_symlink(ignored))
            continue;
        if (!fs::exists(entry->path(), ignored))
            return damaged("is a link to a file that is not there", entry->path());
        if (!inside(root, entry->path()))
            return damaged("is a link that leaves the cache", entry->path());
    }
    if (error)
        return Error{ErrorCode::Io, error.message(), snapshot.string()};
    return {};
}

/// The snapshot that a revision stands for: a commit itself, or what its reference holds.
Result<fs::path> snapshotOf(const fs::path& root, const fs::path& model, const std::string& revision)
{
    std::error_code ignored;
    const auto reference = model / "refs" / revision;
    std::string commit = revision;
    if (fs::exists(reference, ignored)) {
        if (!inside(root, reference))
            return damaged("is a link that leaves the cache", reference);
        TRY(commit, readFile(reference, kLongestReference));
        commit.erase(commit.find_last_not_of(" \t\r\n") + 1);
        if (!isWord(commit))
            return damaged("holds no commit", reference);
    }
    const auto snapshot = model / "snapshots" / commit;
    if (!isWord(commit) || !fs::is_directory(snapshot, ignored))
        return Error{ErrorCode::NotFound,
                     "the cache has the model, and no snapshot of the revision " + revision, model.string(),
                     "Fetch that revision, or name another with @revision"};
    TRY_STATUS(checkLinks(root, snapshot));
    return snapshot;
}

} // namespace

bool isModelName(std::string_view text)
{
    return parseName(text).has_value();
}

Result<fs::path> findModel(const fs::path& text)
{
    std::error_code unknown; // not allowed to look there, for example
    if (fs::exists(text, unknown))
        return text;
    const auto name = parseName(text.string());
    if (!name)
        return Error{ErrorCode::NotFound, unknown ? unknown.message() : "there is no such file or folder",
                     text.string(), "Check the path of the model folder"};
    std::string looked;
    for (const auto& cache : cachesOf()) {
        const auto model = cache / ("models--" + name->owner + "--" + name->name);
        looked += (looked.empty() ? "" : ", ") + model.string();
        std::error_code error;
        if (!fs::is_directory(model, error))
            continue;
        const auto root = fs::canonical(cache, error);
        if (error)
            return Error{ErrorCode::Io, error.message(), cache.string()};
        return snapshotOf(root, model, name->revision);
    }
    return Error{ErrorCode::NotFound, "is no path, and no model of that name is in the local cache",
                 text.string(),
                 (looked.empty() ? "No cache is set (HF_HUB_CACHE, HF_HOME, HOME)" : "Looked for " + looked) +
                     ". Nothing is downloaded: fetch it with `hf download`, or give a folder"};
}

} // namespace assay
