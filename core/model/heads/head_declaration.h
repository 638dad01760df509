#pragma once

#include "core/base/result.h"
#include "core/text/layout.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Where a published step reward model keeps its head: a file of `resources/heads/`, or one that a user
/// wrote.
struct HeadDeclaration
{
    std::string id, title;
    std::vector<std::string> architectures; ///< of config.json; a folder that names one is recognised
    bool tokenChoice = false; ///< two rows of the language head; otherwise two layers of their own
    std::string wrongToken, correctToken; ///< token choice: texts of one token each
    std::string hidden, output;           ///< two layers: tensor names without ".weight" and ".bias"
    LayoutOptions layout;                 ///< what it was trained on: tags, and where it is read
};

/// All built-in ones, parsed once.
std::span<const HeadDeclaration> headDeclarations();
/// Errors: BadModel naming the key (`where`: the file).
Result<HeadDeclaration> parseHeadDeclaration(std::string_view json, const std::string& where);
/// A built-in one by its id, or the file at that path. Errors: NotFound naming the ids, BadModel.
Result<HeadDeclaration> findHeadDeclaration(const std::string& name);

} // namespace assay
