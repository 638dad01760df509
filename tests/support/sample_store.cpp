#include "tests/support/sample_store.h"

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/store/sqlite/database.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::tests {

namespace {

constexpr int kSteps = 600;
constexpr int kEvaluations = 8; ///< before step 0, then at every 600/7th step
constexpr int kSolutions = 60;

/// A made-up problem with a chain of additions; from `firstWrong` on the sums are off.
struct Problem
{
    StoredExample example;
    int firstWrong = -1;
};

std::vector<Problem> makeProblems()
{
    RandomStream random(7, "sample problems");
    std::vector<Problem> problems;
    for (int p = 0; p < kSolutions; ++p) {
        const auto steps = random.between(3, 9);
        auto total = random.between(5, 60);
        Problem problem;
        problem.example.prompt = "A shelf holds " + std::to_string(total) + " boxes. It is filled up " +
                                 std::to_string(steps) +
                                 " times in a row; how many boxes are there at the end?";
        problem.firstWrong =
            random.chance(0.55) ? static_cast<int>(random.below(static_cast<std::uint64_t>(steps))) : -1;
        for (int s = 0; s < steps; ++s) {
            const auto added = random.between(2, 40);
            const auto slip = s == problem.firstWrong ? random.between(1, 9) : 0;
            problem.example.steps.push_back(std::to_string(total) + " + " + std::to_string(added) + " = " +
                                            std::to_string(total + added + slip) + " boxes.");
            total += added + slip;
        }
        problem.example.source = "sample-problems.jsonl";
        problem.example.row = p;
        std::string text = problem.example.prompt;
        for (const auto& step : problem.example.steps)
            text += "\n" + step;
        problem.example.id = sha256Hex(text).substr(0, 32);
        problems.push_back(std::move(problem));
    }
    return problems;
}

Metric metric(const char* id, const char* title, double value, double halfWidth = 0.0,
              std::optional<double> chance = {})
{
    Metric m{id, title, value, {}, {}, chance, {}};
    if (halfWidth > 0.0) {
        m.low = std::max(0.0, value - halfWidth);
        m.high = std::min(1.0, value + halfWidth);
    }
    return m;
}

double sigmoid(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

/// Predictions of a model with `skill` from 0 (no signal) to 1; `bias` moves all towards correct.
std::vector<StoredPrediction> predict(const std::vector<Problem>& problems, double skill, double bias,
                                      const char* stream)
{
    RandomStream random(11, stream);
    std::vector<StoredPrediction> rows;
    for (const auto& problem : problems)
        for (std::size_t s = 0; s < problem.example.steps.size(); ++s) {
            const bool wrong = problem.firstWrong >= 0 && static_cast<int>(s) >= problem.firstWrong;
            StoredPrediction row;
            row.exampleId = problem.example.id;
            row.readOut = row.step = static_cast<std::int32_t>(s);
            row.output = 1;
            row.score = bias + skill * (wrong ? -2.6 : 2.2) + random.normal() * 1.1;
            row.probability = sigmoid(row.score);
            row.label = wrong ? 0.0 : 1.0;
            row.supervised = true;
            rows.push_back(row);
        }
    return rows;
}

Curve histogram(const char* id, const std::vector<StoredPrediction>& rows, double label)
{
    Curve curve{id, id, {}, std::vector<double>(20, 0.0)};
    for (int bin = 0; bin < 20; ++bin)
        curve.x.push_back((bin + 0.5) / 20.0);
    double count = 0.0;
    for (const auto& row : rows)
        if (row.label == label) {
            curve.y[static_cast<std::size_t>(std::min(19.0, row.probability * 20.0))] += 1.0;
            count += 1.0;
        }
    for (auto& y : curve.y)
        y /= std::max(1.0, count);
    return curve;
}

/// Mean of `value` over the rows of every step position that `use` takes; NaN where there is none.
template <typename Use, typename Value>
Curve byPosition(const char* id, const std::vector<StoredPrediction>& rows, Use use, Value value)
{
    Curve curve{id, id, {}, {}};
    for (int position = 0; position < 9; ++position) {
        double sum = 0.0, count = 0.0;
        for (const auto& row : rows)
            if (row.step == position && use(row)) {
                sum += value(row);
                count += 1.0;
            }
        curve.x.push_back(position + 1.0);
        curve.y.push_back(count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
    }
    return curve;
}

/// Exact AUROC by counting pairs; the set is small.
double areaUnderCurve(const std::vector<StoredPrediction>& rows)
{
    double wins = 0.0, pairs = 0.0;
    for (const auto& a : rows)
        for (const auto& b : rows)
            if (a.label == 1.0 && b.label == 0.0) {
                pairs += 1.0;
                wins += a.score > b.score ? 1.0 : a.score == b.score ? 0.5 : 0.0;
            }
    return wins / pairs;
}

Report makeReport(const std::vector<StoredPrediction>& rows, double loss)
{
    double truePositive = 0, trueNegative = 0, positive = 0, predicted = 0;
    for (const auto& row : rows) {
        const bool yes = row.probability >= 0.5;
        positive += row.label;
        predicted += yes ? 1.0 : 0.0;
        truePositive += yes && row.label == 1.0 ? 1.0 : 0.0;
        trueNegative += !yes && row.label == 0.0 ? 1.0 : 0.0;
    }
    const auto n = static_cast<double>(rows.size());
    const double negative = n - positive, base = positive / n, auroc = areaUnderCurve(rows);
    const double balanced = 0.5 * (truePositive / positive + trueNegative / negative);
    const double falsePositive = negative - trueNegative, falseNegative = positive - truePositive;
    const double root = std::sqrt(predicted * positive * negative * (n - predicted));
    Report report;
    report.metrics = {
        metric("loss", "Loss", loss),
        metric("accuracy", "Accuracy", (truePositive + trueNegative) / n, 0.02, std::max(base, 1 - base)),
        metric("balanced_accuracy", "Balanced accuracy", balanced, 0.018, 0.5),
        metric("auroc", "AUROC", auroc, 0.016, 0.5),
        metric("auprc_negative", "AUPRC (wrong)", std::max(1 - base, auroc - 0.1), 0.03, 1 - base),
        metric("predicted_positive_rate", "Predicted correct", predicted / n),
        metric("base_rate", "Base rate", base),
        metric("first_error_f1", "First-error F1", std::max(0.1, 2 * auroc - 1.1), 0.04),
        metric("tie_rate", "Ties", 0.0),
        metric("trivial_loss", "Trivial loss", -base * std::log(base) - (1 - base) * std::log(1 - base)),
        metric("skill", "Skill", 2 * balanced - 1),
        metric("baseline_auroc_position", "Position", 0.594),
        metric("baseline_auroc_length", "Length", 0.541),
        metric("baseline_auroc_bag", "Bag of tokens", 0.567),
        metric("baseline_accuracy", "Always correct", base),
        metric("baseline_balanced_accuracy_position", "Position", 0.571)};
    report.metrics.insert(
        report.metrics.begin() + 3,
        root > 0 ? metric("mcc", "MCC", (truePositive * trueNegative - falsePositive * falseNegative) / root,
                          0.03, 0.0)
                 : Metric{"mcc", "MCC", {}, {}, {}, 0.0, "every step is predicted as one class"});
    const auto correct = [](const StoredPrediction& row) { return row.label == 1.0; };
    const auto wrong = [](const StoredPrediction& row) { return row.label == 0.0; };
    const auto probability = [](const StoredPrediction& row) { return row.probability; };
    report.curves = {histogram("histogram_correct", rows, 1.0), histogram("histogram_wrong", rows, 0.0),
                     byPosition("position_correct", rows, correct, probability),
                     byPosition("position_wrong", rows, wrong, probability),
                     byPosition(
                         "position_base_rate", rows, [](const StoredPrediction&) { return true; },
                         [](const StoredPrediction& row) { return row.label; })};
    return report;
}

struct Words
{
    const char *id, *badge, *sentence, *evidence, *remedy;
};

// clang-format off
constexpr std::array<Words, 11> kVerdicts = {{
    {"learning", "learning", "The model ranks wrong steps below correct ones.",
     "AUROC is above the best null baseline, position, at 0.594.",
     "Train longer or look at the confident errors."},
    {"threshold-off", "threshold off", "The ranking is good, the threshold is not.",
     "At 0.50 most wrong steps count as correct; balanced accuracy is highest at 0.81.",
     "Use the threshold 0.81."},
    {"no-signal", "always True: no signal", "The model calls every step correct and cannot tell them apart.",
     "AUROC 0.498 [0.481, 0.515] includes 0.5.",
     "Raise the learning rate; check that the backbone is trained."},
    {"labels-broken", "always True: labels broken", "More than one position per step is supervised.",
     "1,284 supervised positions over 321 steps.", "Supervise the last token of every step only."},
    {"too-early", "too early", "It is too early to say.", "One evaluation so far, 8 % of the steps.",
     "Wait."},
    {"too-few-negatives", "too few negatives", "There are too few wrong steps to judge.",
     "9 wrong steps in the evaluation rows.", "Evaluate on more solutions with mistakes."},
    {"constant", "constant", "All steps get the same score.", "Variance of the scores 1e-13.",
     "Check the head's learning rate."},
    {"null-baseline", "null baseline", "A ruler does as well.", "Position alone reaches AUROC 0.83.",
     "Balance the positions of mistakes."},
    {"leak", "leak", "Evaluation prompts were seen in training.", "212 of 240 prompts are on both sides.",
     "Split by prompt."},
    {"diverged", "diverged", "The training diverged.", "Loss 3.9 after 0.41.", "Lower the learning rate."},
    {"threshold-off", "always False: threshold off", "The ranking is good, but every step is called wrong.",
     "AUROC 0.861; 99 % of the steps are predicted wrong.", "Use the threshold 0.12."},
}};
// clang-format on

EvaluationRecord makeEvaluation(const std::vector<StoredPrediction>& rows, std::int64_t step,
                                const Words& words)
{
    EvaluationRecord record;
    record.step = step;
    record.at = nowMilliseconds() - (kSteps - step) * 150;
    record.seconds = 1.8;
    double loss = 0.0;
    for (const auto& row : rows)
        loss -= std::log(std::max(1e-12, row.label == 1.0 ? row.probability : 1.0 - row.probability));
    record.loss = loss / static_cast<double>(rows.size());
    record.examples = kSolutions;
    record.readOuts = static_cast<std::int64_t>(rows.size());
    record.report = makeReport(rows, record.loss);
    record.verdictId = words.id;
    record.verdictBadge = words.badge;
    record.verdictSentence = words.sentence;
    record.verdictEvidence = words.evidence;
    record.verdictRemedy = words.remedy;
    if (record.verdictId == "threshold-off")
        record.suggestedThreshold = 0.81;
    return record;
}

/// Everything a run page and a steps page can show.
Status fillFullRun(RunWriter& writer, const RunId& run, const std::vector<Problem>& problems)
{
    RandomStream random(3, "sample series");
    const auto event = [&](std::int64_t step, EventLevel level, const char* kind, const std::string& text) {
        return writer.appendEvent(run,
                                  {0, nowMilliseconds() - (kSteps - step) * 150, step, level, kind, text});
    };
    TRY_STATUS(
        event(0, EventLevel::Info, "started", "600 optimiser steps, 240 training solutions, cpu, fp32"));
    for (int i = 0; i < kEvaluations; ++i) {
        const std::int64_t at = i * kSteps / (kEvaluations - 1);
        for (std::int64_t step = i == 0 ? 1 : (i - 1) * kSteps / (kEvaluations - 1) + 1; step <= at; ++step) {
            StepRecord r;
            const double t = static_cast<double>(step) / kSteps;
            r.step = step;
            r.loss = 0.25 + 0.45 * std::exp(-4.0 * t) + 0.05 * random.normal();
            r.gradientNorm =
                0.6 + 1.8 * std::exp(-3.0 * t) + 0.2 * std::fabs(random.normal()) + (step == 222 ? 9.0 : 0.0);
            r.learningRate = 1e-3 * std::min(1.0, 10.0 * t) * (0.5 + 0.5 * std::cos(3.14159265 * t));
            r.tokens = random.between(900, 1500);
            r.computedTokens = r.tokens - random.between(0, 150);
            r.examples = 8;
            r.readOuts = random.between(30, 60);
            r.seconds = 0.12 + 0.02 * random.uniform();
            r.dataWaitSeconds = 0.001 * random.uniform();
            r.clipped = r.gradientNorm > 2.0;
            if (step == 333) {
                r.loss = std::numeric_limits<double>::quiet_NaN();
                r.skipped = true;
                TRY_STATUS(event(step, EventLevel::Warning, "non-finite",
                                 "The loss is NaN; the optimiser step was not taken"));
            }
            TRY_STATUS(writer.appendStep(run, r));
        }
        const double skill = i == 0 ? 0.0 : std::min(1.0, 0.25 + 0.12 * i);
        auto rows = predict(problems, skill, i == 0 ? 0.6 : 0.3, ("evaluation " + std::to_string(i)).c_str());
        TRY(const auto evaluation,
            writer.appendEvaluation(run, makeEvaluation(rows, at, kVerdicts[i < 2 ? 4 : 0])));
        for (auto& row : rows)
            row.evaluation = evaluation;
        TRY_STATUS(writer.appendPredictions(run, evaluation, rows));
        TRY_STATUS(event(at, EventLevel::Info, "evaluation", "60 solutions evaluated in 1.8 s"));
        if (i == 2)
            TRY_STATUS(event(at, EventLevel::Info, "verdict", "learning"));
        if (i > 0 && i % 2 == 1) {
            TRY(const auto checkpoint,
                writer.addCheckpoint(run,
                                     {0, at, nowMilliseconds() - (kSteps - at) * 150, 1'048'576 + at,
                                      "runs/" + run + "/step-" + std::to_string(at),
                                      sha256Hex("manifest " + std::to_string(at)), i == kEvaluations - 1}));
            TRY_STATUS(event(at, EventLevel::Info, "checkpoint",
                             "Checkpoint " + std::to_string(checkpoint) + " of step " + std::to_string(at) +
                                 " saved"));
        }
    }
    TRY_STATUS(writer.heartbeat(run, kSteps, 108.0));
    return writer.setStatus(run, RunStatus::Finished);
}

struct Plan
{
    const char *name, *backbone, *data;
    RunStatus status;
    int verdict; ///< index into kVerdicts, -1 = never evaluated
    double skill, bias;
    int step, planned;
    double seconds;
    int daysAgo;
    std::vector<std::string> tags;
    const char* note;
    const char* error;
};

// clang-format off
const std::array<Plan, 13> kPlans = {{
    {"demo-stepwise", "llama-3M", "sample-problems", RunStatus::Finished, 0, 1.0, 0.3, kSteps, kSteps, 108, 0,
     {"demo", "best"}, "First run that finds the planted mistakes.", ""},
    {"demo-ignore-cast", "llama-3M", "sample-problems", RunStatus::Stopped, 3, 0.3, 5.0, 120, 600, 31, 0,
     {"fault"}, "The historic fault, planted.", ""},
    {"demo-frozen", "llama-3M", "sample-problems", RunStatus::Finished, 2, 0.0, 5.0, 400, 400, 64, 1,
     {"fault"}, "", ""},
    {"prm-q05-marker", "Qwen2.5-0.5B", "math-steps v3", RunStatus::Finished, 1, 0.9, 2.5, 6000, 6000, 5580, 2,
     {"base"}, "", ""},
    {"prm-q05-marker-w4", "Qwen2.5-0.5B", "math-steps v3", RunStatus::Finished, 0, 0.8, 0.0, 6000, 6000,
     5640, 3,
     {"best"}, "Weight 4 on wrong steps brings their scores below 0.5.", ""},
    {"prm-q15-full", "Qwen2.5-1.5B", "math-steps v3", RunStatus::Interrupted, 4, 0.5, 0.0, 480, 6000, 2820, 4,
     {}, "", ""},
    {"prm-q15-batch256", "Qwen2.5-1.5B", "math-steps v3", RunStatus::Failed, -1, 0, 0, 3, 6000, 120, 5,
     {}, "", "out of memory: 11.2 GiB asked for, 9.4 GiB free (cuda:0). Halve the token budget"},
    {"logic-few-negatives", "stories-260K", "logic-steps", RunStatus::Finished, 5, 0.6, 1.0, 900, 900, 540, 8,
     {}, "", ""},
    {"logic-constant", "stories-260K", "logic-steps", RunStatus::Finished, 6, 0.0, 0.0, 900, 900, 530, 9,
     {"cache"}, "", ""},
    {"logic-position", "stories-260K", "logic-steps", RunStatus::Finished, 7, 0.4, 0.0, 900, 900, 545, 20,
     {}, "", ""},
    {"logic-leak", "stories-260K", "logic-steps", RunStatus::Finished, 8, 1.2, 0.0, 900, 900, 552, 21, {},
     "", ""},
    {"logic-lr3e3", "stories-260K", "logic-steps", RunStatus::Paused, 9, 0.1, 0.0, 300, 900, 200, 40,
     {"lr"}, "", ""},
    {"prm-q05-marker-seed2", "Qwen2.5-0.5B", "math-steps v3", RunStatus::Running, 10, 0.8, -6.0, 2460,
     6000, 2280, 0,
     {"seed"}, "", ""},
}};
// clang-format on

/// What only a long life would bring: dates, notes and durations.
Result<void> age(const StorePlace& place, const std::vector<RunId>& runs)
{
    return guarded([&] {
        Database database(place.database(), OpenMode::Write);
        Transaction transaction(database);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const std::int64_t started = nowMilliseconds() - kPlans[i].daysAgo * 86'400'000LL -
                                         static_cast<std::int64_t>(kPlans[i].seconds * 1000.0);
            database.run("UPDATE runs SET created_ms = ?, started_ms = ?, seconds = ?, step = ?, note = ?, "
                         "ended_ms = CASE WHEN ended_ms = 0 THEN 0 ELSE ? END WHERE id = ?",
                         started, started, kPlans[i].seconds, kPlans[i].step, kPlans[i].note,
                         started + static_cast<std::int64_t>(kPlans[i].seconds * 1000.0), runs[i]);
        }
        transaction.commit();
    });
}

} // namespace

Result<SampleStore> fillSampleStore(const std::filesystem::path& folder)
{
    SampleStore sample;
    sample.place.folder = folder;
    const auto problems = makeProblems();
    TRY(const auto writer, RunWriter::open(sample.place));
    std::vector<StoredExample> examples;
    for (const auto& problem : problems)
        examples.push_back(problem.example);
    TRY_STATUS(writer->addExamples(examples));
    for (const auto& plan : kPlans) {
        NewRun run;
        run.name = plan.name;
        run.backbone = plan.backbone;
        run.data = plan.data;
        run.configJson = std::string("{\"run.name\":\"") + plan.name + "\"}";
        run.tags = plan.tags;
        run.plannedSteps = plan.planned;
        run.device = "cpu";
        run.deviceDescription = "CPU, 2 threads";
        run.dtype = "fp32";
        run.threads = 2;
        run.buildId = "sample";
        run.trainFingerprint = sha256Hex(plan.data);
        run.evaluationFingerprint = sha256Hex(std::string(plan.data) + " evaluation");
        for (const auto& problem : problems)
            run.evaluationIds.push_back(problem.example.id);
        run.splitHash = sha256Hex(run.evaluationIds.front());
        run.preflightJson = reportToJson({});
        if (!sample.runs.empty() && std::string(plan.name).rfind("prm-q05-marker-", 0) == 0)
            run.parent = sample.runs[3];
        TRY(const RunId id, writer->beginRun(run));
        sample.runs.push_back(id);
        if (sample.runs.size() == 1) {
            TRY_STATUS(fillFullRun(*writer, id, problems));
            continue;
        }
        if (plan.verdict >= 0) {
            auto rows = predict(problems, plan.skill, plan.bias, plan.name);
            const auto& words = kVerdicts[static_cast<std::size_t>(plan.verdict)];
            TRY(const auto evaluation, writer->appendEvaluation(id, makeEvaluation(rows, plan.step, words)));
            for (auto& row : rows)
                row.evaluation = evaluation;
            TRY_STATUS(writer->appendPredictions(id, evaluation, rows));
        }
        TRY_STATUS(writer->setStatus(id, plan.status, plan.error));
    }
    TRY_STATUS(writer->flush());
    sample.full = sample.runs[0];
    sample.fault = sample.runs[1];
    TRY_STATUS(age(sample.place, sample.runs));
    return sample;
}

} // namespace assay::tests
