#pragma once

#include "core/text/pipeline/pipeline_tokenizer.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// What may stand beside a vocabulary and belongs to it, in the order in which it is read.
constexpr std::array<std::string_view, 4> kCompanionFiles{"merges.txt", "tokenizer_config.json",
                                                          "special_tokens_map.json", "chat_template.jinja"};

/// Names and bytes of the files of one tokenizer: the vocabulary first, then what stands beside it.
class TokenizerFiles
{
public:
    TokenizerFiles(std::string name, std::string bytes) { add(std::move(name), std::move(bytes)); }

    void add(std::string name, std::string bytes) { m_files.emplace_back(std::move(name), std::move(bytes)); }
    const std::string& name() const { return m_files.front().first; }
    const std::string& bytes() const { return m_files.front().second; }
    /// Null when it is not there.
    const std::string* find(std::string_view name) const;
    std::vector<std::pair<std::string, std::string>> all() const { return m_files; }

private:
    std::vector<std::pair<std::string, std::string>> m_files;
};

/// The settings beside a vocabulary that say which tokens are special.
class TokenizerConfig
{
public:
    /// From `tokenizer_config.json`, and what that leaves open from `special_tokens_map.json`.
    /// Errors: BadModel for one that is no JSON object.
    static Result<TokenizerConfig> read(const TokenizerFiles& files);

    /// The spelling of `bos_token` and its like.
    std::optional<std::string> token(std::string_view key) const;
    /// The class without `Fast` at its end; empty if there is none.
    std::string tokenizerClass() const;
    /// `added_tokens_decoder`, as an array of entries with an id. Errors: BadModel.
    Result<nlohmann::json> addedTokens() const;
    const nlohmann::json& json() const { return m_json; }

private:
    nlohmann::json m_json = nlohmann::json::object();
};

/// Parses a file of a tokenizer. Errors: BadModel with the place of the fault.
Result<nlohmann::json> parseTokenizerFile(const std::string& name, const std::string& bytes);

/// Builds the tokenizer that `json` (a `tokenizer.json`) describes; special tokens come from `config`.
/// Errors: BadModel, Unsupported with the file's name as `where`.
Result<TokenizerPtr> makeTokenizer(const nlohmann::json& json, const TokenizerConfig& config,
                                   const TokenizerFiles& files);

/// The last step for a pipeline that is made otherwise: special tokens and chat template of `config`.
Result<TokenizerPtr> finishTokenizer(Pipeline pipeline, const TokenizerConfig& config,
                                     const TokenizerFiles& files);

/// The files of the tokenizer at `place`, a folder or a vocabulary file. Errors: as openTokenizer.
Result<TokenizerFiles> readTokenizerFiles(const std::filesystem::path& place);
/// The tokenizer that these files are. Errors: BadModel, Unsupported with a file's name as `where`.
Result<TokenizerPtr> openTokenizerFiles(const TokenizerFiles& files);

// One function for each kind of vocabulary file.
Result<TokenizerPtr> openTokenizerJson(const TokenizerFiles& files);
Result<TokenizerPtr> openVocabularyText(const TokenizerFiles& files); ///< vocab.txt, BERT's WordPiece
Result<TokenizerPtr>
openVocabularyMerges(const TokenizerFiles& files); ///< vocab.json with merges.txt beside it
Result<TokenizerPtr> openTiktoken(const TokenizerFiles& files);

} // namespace assay
