#pragma once

#include <span>
#include <string_view>

namespace assay {

/// A file of `resources/` compiled into the program.
struct EmbeddedFile
{
    std::string_view name;
    std::string_view content;
};

/// Schema migrations `NNN_name.sql`, in order of their number.
std::span<const EmbeddedFile> embeddedSchema();
/// One JSON file per backbone family: how its configuration and tensor names map to ours.
std::span<const EmbeddedFile> embeddedFamilies();
/// One JSON file per published way to keep the head of a step reward model.
std::span<const EmbeddedFile> embeddedHeads();
/// What `assay demo` needs: the tokenizer and the experiment files.
std::span<const EmbeddedFile> embeddedDemo();

} // namespace assay
