#include "app/commands/probes/probes.h"
#include "app/exit_codes.h"
#include "app/lines/line_server.h"
#include "app/lines/rows_in_order.h"
#include "app/lines/score_lines.h"
#include "app/lines/stop_descriptor.h"
#include "app/lines/unix_listener.h"
#include "app/output.h"
#include "app/run_text.h"
#include "core/base/durable_file.h"
#include "core/data/format.h"
#include "core/data/row_reader.h"
#include "core/files/model_place.h"
#include "core/run/scoring/batch_scorer.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <sstream>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Rows are scored this many at a time: memory stays bounded, and answers come while reading goes on.
constexpr std::size_t kRowsAtATime = 256;

/// Scores rows and prints one line for each, in the order in which they come.
class ScoredRows
{
public:
    explicit ScoredRows(BatchScorer& scorer)
        : m_scorer(scorer)
    {}

    void add(std::int64_t row, Result<Example> example)
    {
        m_answers.push_back({{"row", row}});
        if (example) {
            m_rows.push_back(std::move(*example));
            m_places.push_back(m_answers.size() - 1);
        } else {
            refuse(m_answers.back(), example.error());
        }
        if (m_rows.size() >= kRowsAtATime)
            flush();
    }

    void flush()
    {
        const auto scores = m_scorer.score(m_rows);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (scores[i])
                addScores(m_answers[m_places[i]], scores[i]);
            else
                refuse(m_answers[m_places[i]], scores[i].error());
        }
        for (const auto& answer : m_answers)
            printJsonLine(answer);
        m_count += static_cast<std::int64_t>(m_answers.size());
        m_answers.clear();
        m_rows.clear();
        m_places.clear();
    }

    /// Prints the rest and says how many were refused; returns the exit code.
    int finish()
    {
        flush();
        if (m_refused > 0)
            printNote(fmt::format("{} of {} rows were refused", m_refused, m_count));
        return m_exitCode;
    }

private:
    void refuse(Json& answer, const Error& error)
    {
        addScores(answer, error);
        ++m_refused;
        if (m_exitCode == 0)
            m_exitCode = exitCodeOf(error.code);
    }

    BatchScorer& m_scorer;
    std::vector<Json> m_answers;       ///< [rows that came], those with an error are ready
    std::vector<Example> m_rows;       ///< those to be scored
    std::vector<std::size_t> m_places; ///< [m_rows] their answers
    std::int64_t m_count = 0, m_refused = 0;
    int m_exitCode = 0;
};

/// The first paragraph is the prompt, unless one is given; every other line that is not blank is a step.
Example textExample(std::istream& input, const std::optional<std::string>& prompt)
{
    StepwiseExample content;
    content.prompt = prompt.value_or("");
    bool inPrompt = !prompt;
    for (std::string line; std::getline(input, line);) {
        if (line.ends_with('\r'))
            line.pop_back();
        const bool blank = line.find_first_not_of(" \t") == std::string::npos;
        if (inPrompt && !blank)
            content.prompt += (content.prompt.empty() ? "" : "\n") + line;
        else if (!blank)
            content.steps.push_back({line, Label::none()});
        else if (!content.prompt.empty())
            inPrompt = false;
    }
    Example example;
    example.source = "text";
    example.content = std::move(content);
    identify(example);
    return example;
}

class ScoreCommand : public Command
{
public:
    std::string_view name() const override { return "score"; }
    std::string_view summary() const override
    {
        return "Rewards of rows or plain text by a checkpoint or a published model, as JSON lines; --stream "
               "and --socket answer "
               "requests as they come";
    }
    std::vector<std::string_view> settingGroups() const override { return {"compute", "layout"}; }

    void declare(CLI::App& app) override
    {
        app.add_option(
               "RUN", m_run,
               "Id, beginning of one, name, last; a checkpoint folder; or a published model: its folder, "
               "or org/name in the local cache")
            ->required();
        auto* file = app.add_option("FILE", m_file, "Rows to score; standard input without one, or with -");
        app.add_option("--checkpoint", m_checkpoint,
                       "Step of the run's checkpoint, as `assay show` lists it; default the newest")
            ->check(CLI::PositiveNumber);
        app.add_option("--format", m_format, "Format of the rows; default recognised by their columns");
        app.add_option(
            "--head", m_head,
            "How a published model keeps its head: auto, math-shepherd, rlhflow, qwen2.5-math-prm, or the "
            "path of a declaration");
        app.add_flag("--fresh-head", m_freshHead,
                     "Score with random weights where a model has no trained head");
        auto* text = app.add_flag(
            "--text", m_text, "The input is plain text: a paragraph with the prompt, then a step per line");
        app.add_option("--prompt", m_prompt, "The prompt; every line of the text is a step")->needs(text);
        auto* stream = app.add_flag("--stream", m_stream,
                                    "Answer rows on standard input at once, until it ends; an id comes back");
        auto* socket =
            app.add_option("--socket", m_socket,
                           "Answer rows on a Unix socket that is made here (mode 0600), until SIGTERM");
        stream->excludes(file)->excludes(text);
        socket->excludes(file)->excludes(text)->excludes(stream);
    }

    Result<int> run(const Invocation& invocation) override
    {
        if (m_stream || !m_socket.empty())
            return serve(invocation);
        TRY(const auto scorer, open(invocation));
        ScoredRows rows(*scorer);
        if (m_text)
            TRY_STATUS(addText(rows));
        else if (m_file.empty() || m_file == "-")
            addLines(rows);
        else
            TRY_STATUS(addFile(rows));
        return rows.finish();
    }

private:
    /// Says what an exported model does to its outputs.
    Result<std::unique_ptr<BatchScorer>> open(const Invocation& invocation) const
    {
        TRY(auto scorer, openScorer(invocation));
        if (const auto scaled = scorer->scale().text(); !scaled.empty())
            printNote("export.json: " + scaled);
        return scorer;
    }

    Result<std::unique_ptr<BatchScorer>> openScorer(const Invocation& invocation) const
    {
        ScorerSettings settings;
        for (const auto& flag : invocation.settings)
            settings.emplace_back(flag.id, flag.text);
        if (!m_head.empty())
            settings.emplace_back("head.declaration", m_head);
        std::error_code ignored;
        const auto freshHead = m_freshHead ? FreshHead::Allow : FreshHead::Refuse;
        if (isModelName(m_run) && !fs::exists(m_run, ignored)) {
            TRY(const auto place, findModel(m_run));
            return openBatchScorer(place, settings, freshHead);
        }
        const bool folder = fs::exists(fs::path(m_run) / "training.json", ignored) ||
                            fs::exists(fs::path(m_run) / "config.json", ignored) ||
                            (m_run.find('/') != std::string::npos && fs::is_directory(m_run, ignored));
        if (folder)
            return openBatchScorer(m_run, settings, freshHead);
        TRY(const auto run, findRunIn(invocation.place, m_run));
        return openBatchScorer(invocation.place, run, m_checkpoint, settings);
    }

    Result<int> serve(const Invocation& invocation) const
    {
        const StopDescriptor stop;
        std::unique_ptr<UnixListener> listener;
        if (!m_socket.empty()) { // a wrong path is told before the model is loaded
            TRY(listener, UnixListener::open(m_socket));
        }
        TRY(const auto scorer, open(invocation));
        LineServer server(
            [&](std::span<const ReceivedLine> lines) { return answerScoreLines(*scorer, m_format, lines); },
            stop.descriptor());
        if (!listener) {
            TRY_STATUS(server.serveStandardStreams());
            return 0;
        }
        printNote("Listening on " + m_socket);
        TRY_STATUS(server.serve(*listener));
        return 0;
    }

    Status addText(ScoredRows& rows) const
    {
        if (m_file.empty() || m_file == "-") {
            rows.add(0, textExample(std::cin, m_prompt));
            return {};
        }
        TRY(const auto text, readFile(m_file, kLongestLineBytes));
        std::istringstream input(text);
        rows.add(0, textExample(input, m_prompt));
        return {};
    }

    void addLines(ScoredRows& rows) const
    {
        std::int64_t row = 0;
        for (std::string line; std::getline(std::cin, line);)
            if (line.find_first_not_of(" \t\r") != std::string::npos)
                rows.add(row++, readRow(line, m_format));
    }

    Status addFile(ScoredRows& rows) const
    {
        OpenOptions options;
        options.format = m_format;
        TRY(const auto data, openDataset(m_file, options));
        visitInFileOrder(
            *data, [&](const Example& example) { rows.add(example.row, example); },
            [&](const RowProblem& problem) {
                rows.add(problem.row,
                         Error{ErrorCode::BadData, problem.message,
                               problem.line > 0 ? fmt::format("line {}", problem.line) : std::string()});
            });
        return {};
    }

    std::string m_run, m_file, m_format, m_socket;
    std::optional<std::string> m_prompt;
    std::optional<std::int64_t> m_checkpoint;
    std::string m_head;
    bool m_freshHead = false, m_text = false, m_stream = false;
};

} // namespace

std::unique_ptr<Command> makeScoreCommand()
{
    return std::make_unique<ScoreCommand>();
}

} // namespace assay
