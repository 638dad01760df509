#include "app/commands/probes/probes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/process/stop_signals.h"
#include "app/text.h"
#include "core/run/probes/bench_model.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

namespace assay {

namespace {

Json benchJson(const ModelBench& bench)
{
    Json json = {{"device", bench.device},
                 {"dtype", bench.dtype},
                 {"open_seconds", bench.openSeconds},
                 {"peak_bytes", bench.peakBytes},
                 {"parameters", bench.parameters},
                 {"vocabulary", bench.vocabulary},
                 {"operations_per_token", bench.operationsPerToken},
                 {"roof_operations_per_second", bench.roofPerSecond},
                 {"rounds", bench.rounds},
                 {"forward", Json::array()},
                 {"tokenizer", Json::array()}};
    for (const auto& rate : bench.forward)
        json["forward"].push_back({{"execution", rate.execution},
                                   {"tokens_per_second", rate.tokensPerSecond},
                                   {"roof_share", rate.roofShare}});
    for (const auto& rate : bench.tokenizer)
        json["tokenizer"].push_back({{"threads", rate.threads}, {"bytes_per_second", rate.bytesPerSecond}});
    return json;
}

void printBench(const ModelBench& bench, const BenchSettings& settings)
{
    print(fmt::format("{}, {}", bench.device, bench.dtype));
    print(fmt::format("{} weights{} opened in {}; at most {} held", bench.parameters,
                      bench.vocabulary > 0 ? fmt::format(" and a vocabulary of {}", bench.vocabulary) : "",
                      durationText(bench.openSeconds), bytesText(bench.peakBytes)));
    print(fmt::format("Best matrix product: {:.0f} GFLOP/s; a token of these texts takes {:.3f} GFLOP",
                      1e-9 * bench.roofPerSecond, 1e-9 * double(bench.operationsPerToken)));
    print("");
    TextTable table;
    table.columns = {{"forward"}, {"tokens/s", TextAlign::Right}, {"of the roof", TextAlign::Right}};
    for (const auto& rate : bench.forward)
        table.rows.push_back(
            {fmt::format("{}, {} texts of {} tokens", rate.execution, settings.texts, settings.tokens),
             fmt::format("{:.0f}", rate.tokensPerSecond), fmt::format("{:.1f} %", 100.0 * rate.roofShare)});
    print(table.text());
    if (bench.tokenizer.empty())
        return;
    TextTable speeds;
    speeds.columns = {{"tokenizer"}, {"MB/s", TextAlign::Right}, {"of one thread", TextAlign::Right}};
    for (const auto& rate : bench.tokenizer)
        speeds.rows.push_back(
            {fmt::format("{} on {} thread{}", bytesText(bench.tokenizedBytes), rate.threads,
                         rate.threads == 1 ? "" : "s"),
             fmt::format("{:.1f}", 1e-6 * rate.bytesPerSecond),
             fmt::format("{:.2f}", rate.bytesPerSecond / bench.tokenizer.front().bytesPerSecond)});
    print(speeds.text());
}

class BenchCommand : public Command
{
public:
    std::string_view name() const override { return "bench"; }
    std::string_view summary() const override
    {
        return "Time a model on this machine, each figure beside the best matrix product of the same minute";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("FOLDER", m_folder, "Model folder, or the name of a model in the local cache")
            ->required();
        app.add_option("--texts", m_settings.texts, "Texts computed together")
            ->check(CLI::Range(1, 4096))
            ->capture_default_str();
        app.add_option("--tokens", m_settings.tokens, "Tokens of each text")
            ->check(CLI::Range(1, 1 << 20))
            ->capture_default_str();
        app.add_option("--dtype", m_settings.dtype, "Type of the matrix products")
            ->check(CLI::IsMember({"auto", "float32", "bfloat16"}))
            ->capture_default_str();
        app.add_option("--device", m_settings.device, "auto, cpu, cuda:0")->capture_default_str();
        app.add_option("--threads", m_settings.threads, "Threads of the processor; 0 takes all cores")
            ->check(CLI::Range(0, 4096))
            ->capture_default_str();
        app.add_option("--seconds", m_settings.seconds, "Time to spend on each table")
            ->check(CLI::Range(0.0, 3600.0))
            ->capture_default_str();
        app.add_option("--tokenize", m_settings.tokenized, "File whose lines the tokenizer is timed on");
    }

    Result<int> run(const Invocation& invocation) override
    {
        StopSignals signals;
        TRY(const auto bench, benchModel(m_folder, m_settings, signals.token()));
        if (invocation.json)
            printJson(benchJson(bench));
        else
            printBench(bench, m_settings);
        return 0;
    }

private:
    std::string m_folder;
    BenchSettings m_settings;
};

} // namespace

std::unique_ptr<Command> makeBenchCommand()
{
    return std::make_unique<BenchCommand>();
}

} // namespace assay
