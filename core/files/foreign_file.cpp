#include "core/files/foreign_file.h"

namespace assay {

std::optional<Error> foreignFile(std::string_view start, ErrorCode code)
{
    if (start.starts_with("version https://git-lfs"))
        return Error{code, "this is a Git LFS pointer, a small text in the place of the file itself", "",
                     "Fetch the file itself with `git lfs pull`"};
    if (start.starts_with("GGUF"))
        return Error{code, "this is a GGUF file of llama.cpp, which is not read", "",
                     "Choose the Hugging Face folder that it was converted from"};
    return std::nullopt;
}

} // namespace assay
