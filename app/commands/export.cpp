#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/text.h"
#include "core/base/byte_size.h"
#include "core/run/exports/export_model.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

class ExportCommand : public Command
{
public:
    std::string_view name() const override { return "export"; }
    std::string_view summary() const override
    {
        return "Write a checkpoint as a Hugging Face folder that transformers loads";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("RUN", m_source,
                       "Id, beginning of one, name, last, run:step, or the folder of a checkpoint or model")
            ->required();
        app.add_option("OUT", m_target, "Folder to write: new, or empty")->required();
        app.add_option("--checkpoint", m_step,
                       "Step of the run's checkpoint, as `assay show` lists it; default the newest")
            ->check(CLI::PositiveNumber);
        app.add_option("--format", m_format, "Names of the tensors: of Hugging Face, or torchtune's")
            ->check(CLI::IsMember({"huggingface", kTorchtune}))
            ->capture_default_str();
        app.add_option("--dtype", m_options.dtype, "Type of the weights")
            ->check(CLI::IsMember({"float32", "bfloat16"}))
            ->capture_default_str();
        app.add_option("--shard-size", m_shardSize, "Largest weight file: B, KB, MB, GB, KiB, MiB or GiB")
            ->capture_default_str();
        app.add_option("--architecture", m_architecture,
                       "Class of the head; default as it reads, single tokens or whole answers")
            ->check(CLI::IsMember({kToken, kSequence}));
        app.add_option("--head-bias", m_headBias,
                       "What becomes of the head's bias where the class has no place for one")
            ->check(CLI::IsMember({"keep", "drop"}));
        auto& calibration = m_options.calibration;
        app.add_option(
            "--temperature", calibration.temperature,
            "Divides outputs before they become probabilities: a number, or fit (by log loss on the "
            "run's evaluation rows)");
        app.add_option(
            "--centre", calibration.centre,
            "Pairs: takes the mean reward of the answers in a file, or in the run's evaluation rows "
            "(rows), from every reward");
        app.add_option("--aggregation", calibration.aggregation,
                       "Steps: one reward for the answer, last, min, mean or product of its steps");
        app.add_option("--threshold", calibration.threshold,
                       "Steps: below it a step is wrong; a number, or fit (by balanced accuracy on the run's "
                       "evaluation rows)");
    }

    Result<int> run(const Invocation& invocation) override
    {
        TRY(m_options.shardBytes, parseByteSize(m_shardSize, "--shard-size"));
        m_options.format = m_format == kTorchtune ? ExportFormat::Torchtune : ExportFormat::HuggingFace;
        if (!m_architecture.empty())
            m_options.perToken = m_architecture == kToken;
        if (!m_headBias.empty())
            m_options.headBias = m_headBias == "keep" ? HeadBias::Keep : HeadBias::Drop;
        TRY(const auto report, exportModel(invocation.place, m_source, m_step, m_target, m_options));
        const auto& record = report.record;
        if (invocation.json) {
            auto json = Json::parse(exportRecordJson(record));
            json["folder"] = report.folder.string();
            json["bytes"] = report.bytes;
            printJson(json);
            return 0;
        }
        print(fmt::format("Exported {} to {}", record.origin, report.folder.string()));
        print(fmt::format("{}, {}, {}, head bias {}", record.architecture, record.dtype,
                          bytesText(report.bytes), record.headBias));
        print(fmt::format("Reloaded and rescored: {} outputs equal{}", record.probeScores,
                          record.largestChange == 0.0
                              ? std::string()
                              : fmt::format(", at most {:.2e} from the original", record.largestChange)));
        for (const auto& [name, from] :
             {std::pair("Temperature", record.temperatureFrom), std::pair("Centre", record.centreFrom),
              std::pair("Threshold", record.thresholdFrom)})
            if (!from.empty())
                print(fmt::format("{} {}", name, from));
        if (const auto scaled = record.scale.text(); !scaled.empty())
            print("Assay applies: " + scaled);
        for (const auto& note : record.notes)
            print(plainText(note));
        return 0;
    }

private:
    static constexpr const char* kTorchtune = "torchtune";
    static constexpr const char* kToken = "token-classification";
    static constexpr const char* kSequence = "sequence-classification";

    std::string m_source, m_target, m_architecture, m_headBias, m_shardSize = "5GB", m_format = "huggingface";
    std::optional<std::int64_t> m_step;
    ExportOptions m_options;
};

} // namespace

std::unique_ptr<Command> makeExportCommand()
{
    return std::make_unique<ExportCommand>();
}

} // namespace assay
