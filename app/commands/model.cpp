#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/run_text.h"
#include "app/text.h"
#include "core/base/durable_file.h"
#include "core/run/probes/probe_model.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::uintmax_t kLargestInput = 1U << 30;

/// The description without its ledger as "key: value" lines.
void printDescription(const Json& description)
{
    for (const auto& [key, value] : description.items())
        if (key != "ledger")
            print(fmt::format("{:<18} {}", key,
                              plainText(value.is_string() ? value.get<std::string>() : value.dump())));
}

class ModelCommand : public Command
{
public:
    std::string_view name() const override { return "model"; }
    std::string_view summary() const override
    {
        return "Say what a model folder holds, or run the cases of a JSON file through it";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("FOLDER", m_folder,
                       "Hugging Face model folder, or the name of a model in the local cache: org/name, "
                       "org/name@revision")
            ->required();
        app.add_option(
            "--input", m_input,
            R"(JSON file: {"cases": [{"name", "input_ids", "attention_mask"?, "token_type_ids"?}]})");
        app.add_option(
               "--head", m_head,
               "Published head: auto, none, math-shepherd, rlhflow, qwen2.5-math-prm, or the path of a "
               "declaration")
            ->capture_default_str();
        app.add_option("--execution", m_execution, "How the cases are computed")
            ->check(CLI::IsMember({"single", "packed", "merged", "padded", "left-padded"}))
            ->capture_default_str();
        app.add_option("--dtype", m_dtype, "Type of the computation")
            ->check(CLI::IsMember({"float32", "float64"}))
            ->capture_default_str();
    }

    Result<int> run(const Invocation& invocation) override
    {
        if (!m_input.empty()) {
            TRY(const auto cases, readFile(m_input, kLargestInput));
            const auto answer = probeModel(m_folder, cases, m_execution, m_dtype, m_head);
            if (!answer) {
                auto error = answer.error();
                if (error.where.starts_with("case"))
                    error.where = m_input + (error.where == "cases" ? "" : ", " + error.where);
                return error;
            }
            print(*answer);
            return 0;
        }
        TRY(const auto text, describeModel(m_folder, m_head));
        if (invocation.json) {
            print(text);
            return 0;
        }
        const auto description = Json::parse(text, nullptr, false);
        printDescription(description);
        Ledger ledger;
        for (const auto& entry : description.value("ledger", Json::array()))
            ledger.push_back(
                {entry.value("tensor", ""), entry.value("action", ""), entry.value("detail", "")});
        print("");
        print(ledgerText(ledger));
        return 0;
    }

private:
    std::string m_head = "auto";
    std::string m_folder, m_input, m_execution = "single", m_dtype = "float32";
};

} // namespace

std::unique_ptr<Command> makeModelCommand()
{
    return std::make_unique<ModelCommand>();
}

} // namespace assay
