#pragma once

#include "core/base/result.h"
#include "core/run/exports/export_record.h"
#include "core/store/run_store.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace assay {

/// What becomes of a head's bias where the class it is saved as has no place for one.
enum class HeadBias {
    Keep, ///< in the file: Assay reads it, others leave it out
    Drop  ///< scores change by it
};

enum class ExportFormat {
    HuggingFace, ///< names that transformers loads
    Torchtune    ///< names and row order of torchtune's Llama and Mistral
};

/// How rewards are scaled, as a person asks for it; empty = as the source has it.
struct CalibrationRequest
{
    std::string temperature; ///< a number, or fit
    std::string centre;      ///< of pairs: a file, or rows
    std::string aggregation; ///< of steps: last, min, mean, product
    std::string threshold;   ///< of steps: a number, or fit
};

struct ExportOptions
{
    ExportFormat format = ExportFormat::HuggingFace;
    std::string dtype = "float32";            ///< or bfloat16
    std::uint64_t shardBytes = 5'000'000'000; ///< largest weight file
    std::optional<bool> perToken;             ///< class; none: as the head reads, tokens or whole answers
    std::optional<HeadBias> headBias;         ///< none: refused where it must be said
    CalibrationRequest calibration;
};

struct ExportReport
{
    std::filesystem::path folder;
    std::int64_t bytes = 0;
    ExportRecord record;
};

/// Whether an export shall go on, and where it is: "Writing", ...
struct ExportWatch
{
    std::stop_token stop = {};
    std::function<void(const std::string& phase)> phase = {};
};

/// Writes a model as a Hugging Face folder, opens it again and scores it before it gets its name. `source`: a
/// run, run:step, the folder of a checkpoint, or a model folder with a head. `target` must not exist, or be
/// an empty folder. Errors: NotFound, BadModel, Usage (a choice is missing, the target is taken), Io,
/// Cancelled (nothing is left behind).
Result<ExportReport> exportModel(const StorePlace& place, const std::string& source,
                                 std::optional<std::int64_t> step, const std::filesystem::path& target,
                                 const ExportOptions& options, const ExportWatch& watch = {});

} // namespace assay
