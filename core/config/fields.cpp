#include "core/config/fields.h"

namespace assay {

namespace {

/// Reads and writes `config.*part.*member` as a FieldValue.
template <typename Part, typename Member>
Field make(std::string_view id, std::string_view label, FieldType type, Part ExperimentConfig::*part,
           Member Part::*member, std::string_view help)
{
    Field field;
    field.id = id;
    field.label = label;
    field.type = type;
    field.help = help;
    field.read = [part, member](const ExperimentConfig& config) { return FieldValue(config.*part.*member); };
    field.write = [part, member](ExperimentConfig& config, FieldValue value) {
        config.*part.*member = std::get<Member>(std::move(value));
    };
    return field;
}

/// The same for a member that may have no value.
template <typename Part, typename Value>
Field make(std::string_view id, std::string_view label, FieldType type, Part ExperimentConfig::*part,
           std::optional<Value> Part::*member, std::string_view help)
{
    Field field;
    field.id = id;
    field.label = label;
    field.type = type;
    field.help = help;
    field.optional = true;
    field.read = [part, member](const ExperimentConfig& config) {
        const auto& value = config.*part.*member;
        return value ? FieldValue(*value) : FieldValue(std::monostate{});
    };
    field.write = [part, member](ExperimentConfig& config, FieldValue value) {
        const auto* given = std::get_if<Value>(&value);
        config.*part.*member = given ? std::optional<Value>(*given) : std::nullopt;
    };
    return field;
}

/// Fluent additions keep the table below one row per field.
struct Row
{
    Field field;
    Row& range(double low, double high)
    {
        field.minimum = low;
        field.maximum = high;
        return *this;
    }
    Row& from(double low)
    {
        field.minimum = low;
        return *this;
    }
    Row& upTo(double high)
    {
        field.maximum = high;
        return *this;
    }
    Row& unit(std::string_view text)
    {
        field.unit = text;
        return *this;
    }
    Row& oneOf(std::vector<std::string_view> values)
    {
        field.choices = std::move(values);
        return *this;
    }
    Row& onlyWith(std::string_view id, std::vector<std::string_view> values)
    {
        field.condition = FieldCondition{id, std::move(values)};
        return *this;
    }
    Row& resultsUnchanged()
    {
        field.changesResults = false;
        return *this;
    }
};

constexpr std::string_view kMetricHelp =
    "auto is AUROC for steps and accuracy for pairs. Whether more or less is better follows from the metric.";

/// `auto`, and the metrics of an evaluation that can be better or worse.
std::vector<std::string_view> metricChoices()
{
    return {"auto",          "loss",  "skill",          "accuracy",       "balanced_accuracy",
            "pair_accuracy", "auroc", "auprc_negative", "first_error_f1", "mcc",
            "brier",         "ece"};
}

using enum FieldType;
using C = ExperimentConfig;

std::vector<Field> buildTable()
{
    std::vector<Row> rows;
    const auto add = [&rows](Field field) -> Row& {
        rows.push_back(Row{std::move(field)});
        return rows.back();
    };
    rows.reserve(96);

    // clang-format off
    add(make("run.name", "Name", Text, &C::run, &RunConfig::name, "Name of the run; empty gives one from the data and the backbone.")).resultsUnchanged();
    add(make("run.tags", "Tags", TextList, &C::run, &RunConfig::tags, "Words to find the run by.")).resultsUnchanged();
    add(make("run.parent", "Cloned from", Text, &C::run, &RunConfig::parent, "Id of the run whose settings these were; empty = none.")).resultsUnchanged();
    add(make("run.seed", "Seed", Integer, &C::run, &RunConfig::seed, "Base seed of every random stream.")).from(0);
    add(make("run.order_seed", "Seed of the data order", Integer, &C::run, &RunConfig::orderSeed, "-1 takes the base seed.")).from(-1);
    add(make("run.head_seed", "Seed of new weights", Integer, &C::run, &RunConfig::headSeed, "For the head and a backbone from scratch; -1 takes the base seed.")).from(-1);
    add(make("run.dropout_seed", "Seed of dropout", Integer, &C::run, &RunConfig::dropoutSeed, "-1 takes the base seed.")).from(-1);
    add(make("run.split_seed", "Seed of the split", Integer, &C::run, &RunConfig::splitSeed, "-1 takes the base seed.")).from(-1);
    add(make("run.overfit_one_batch", "Overfit one batch", Boolean, &C::run, &RunConfig::overfitOneBatch, "Control: train on the first optimiser step's examples only. The loss must go to zero; if it does not, the optimisation is broken, not the data."));
    add(make("run.shuffle_labels", "Shuffle labels", Boolean, &C::run, &RunConfig::shuffleLabels, "Control: training labels are permuted among the steps. A healthy pipeline then ends at AUROC 0.5 on held-out steps."));
    add(make("run.override_reason", "Override of label checks", Text, &C::run, &RunConfig::overrideReason, "Why a red label check is overridden; recorded with the run. Empty: red checks block the start.")).resultsUnchanged();

    add(make("data.train", "Training data", Path, &C::data, &DataConfig::train, "File with the rows to train on."));
    add(make("data.evaluation", "Evaluation data", Path, &C::data, &DataConfig::evaluation, "File with held-out rows; empty splits them off the training data by prompt."));
    add(make("data.format", "Format", Choice, &C::data, &DataConfig::format, "How the files are read; auto recognises it.")).oneOf({"auto", "stepwise", "stepwise-tokenised", "bigbench-mistake", "demo-recipe", "preference", "preference-tokenised"});
    add(make("data.evaluation_share", "Evaluation share", Number, &C::data, &DataConfig::evaluationShare, "Share of the rows split off for evaluation, whole prompt groups at a time.")).range(0.001, 0.9).onlyWith("data.evaluation", {""});
    add(make("data.split_from_run", "Split of run", Text, &C::data, &DataConfig::splitFromRun, "Id of a run whose split (example ids) is used again.")).onlyWith("data.evaluation", {""});
    add(make("data.bad_rows", "Rows that cannot be read", Choice, &C::data, &DataConfig::badRows, "fail stops and names them; skip leaves them out and counts them.")).oneOf({"fail", "skip"});
    add(make("data.maximum_rows", "Rows at most", Integer, &C::data, &DataConfig::maximumRows, "Only the first rows of the training file; 0 takes all.")).from(0).unit("rows");

    add(make("layout.name", "Layout", Choice, &C::layout, &LayoutConfig::name, "How a row becomes tokens. Steps: trl-stepwise reproduces TRL's PRMTrainer; stepwise puts a separator between prompt and first step; marker writes one text with a tag behind every step. Pairs: trl-pairwise reproduces TRL's RewardTrainer, which drops long pairs and parses special tokens; pairwise takes text as text.")).oneOf({"stepwise", "trl-stepwise", "marker", "pairwise", "trl-pairwise"});
    add(make("layout.step_separator", "Step separator", Text, &C::layout, &LayoutConfig::stepSeparator, "Text after every step, tokenised on its own; the score is read at its last token. The layout marker does not tokenise it apart; it must hold the step tag.")).onlyWith("layout.name", {"stepwise", "trl-stepwise"});
    add(make("layout.prompt_separator", "Prompt separator", Text, &C::layout, &LayoutConfig::promptSeparator, "Text between prompt and first step, tokenised on its own.")).onlyWith("layout.name", {"stepwise", "marker"});
    add(make("layout.add_bos", "Begin with BOS", Boolean, &C::layout, &LayoutConfig::addBos, "Put the tokenizer's BOS token first, if it has one.")).onlyWith("layout.name", {"stepwise", "marker", "pairwise", "trl-pairwise"});
    add(make("layout.step_tag", "Step tag", Text, &C::layout, &LayoutConfig::stepTag, "The one token of the step separator at which the score is read; with turns the answer to every step.")).onlyWith("layout.name", {"marker"});
    add(make("layout.conversation", "Conversation", Choice, &C::layout, &LayoutConfig::conversation, "none is plain text; answer writes prompt and steps as question and answer of the chat template; turns asks every step and answers with the tag.")).oneOf({"none", "answer", "turns"}).onlyWith("layout.name", {"marker"});
    add(make("layout.system", "System message", Text, &C::layout, &LayoutConfig::system, "In front of a conversation; empty = none.")).onlyWith("layout.name", {"marker"});
    add(make("layout.read_before_tag", "Read before the tag", Boolean, &C::layout, &LayoutConfig::readBeforeTag, "Read at the token that predicts the tag instead of at the tag.")).onlyWith("layout.name", {"marker"});
    add(make("layout.add_step_tag", "Add the tag as a token", Boolean, &C::layout, &LayoutConfig::addStepTag, "A tag that is not one token becomes a new special token with an embedding of its own, which begins as the mean of all others and is trained even if the backbone is frozen.")).onlyWith("layout.name", {"marker"});
    add(make("layout.append_eos", "End with EOS", Boolean, &C::layout, &LayoutConfig::appendEos, "Put the tokenizer's EOS token behind every answer, if it has one; the reward is read there.")).onlyWith("layout.name", {"pairwise"});
    add(make("layout.parse_special", "Special tokens in text", Boolean, &C::layout, &LayoutConfig::parseSpecial, "Read the spellings of BOS, EOS, UNK and PAD inside the rows as these tokens; off takes text as text.")).onlyWith("layout.name", {"pairwise"});
    add(make("layout.maximum_tokens", "Maximum length", Integer, &C::layout, &LayoutConfig::maximumTokens, "Longest row; none has no limit.")).upTo(1 << 20).unit("tokens");
    add(make("layout.truncation", "Too long", Choice, &C::layout, &LayoutConfig::truncation, "What happens to a longer row; what it costs is shown before the start. Pairs lose the same number of prompt tokens on both sides.")).oneOf({"drop-row", "cut-prompt-left", "cut-right", "fail"}).onlyWith("layout.name", {"stepwise", "trl-stepwise", "marker", "pairwise"});
    add(make("layout.train_on_last_step_only", "Only the last step", Boolean, &C::layout, &LayoutConfig::trainOnLastStepOnly, "Train on the last step of every row only; evaluation keeps every label.")).onlyWith("layout.name", {"stepwise", "trl-stepwise", "marker"});
    add(make("layout.maximum_prompt_tokens", "Prompt at most", Integer, &C::layout, &LayoutConfig::maximumPromptTokens, "Keeps the last n prompt tokens, as old TRL versions did (BOS goes first); none keeps all.")).upTo(1 << 20).unit("tokens").onlyWith("layout.name", {"trl-stepwise"});
    add(make("layout.maximum_completion_tokens", "Steps at most", Integer, &C::layout, &LayoutConfig::maximumCompletionTokens, "Cuts the steps on the right before the prompt is attached; none keeps all.")).upTo(1 << 20).unit("tokens").onlyWith("layout.name", {"trl-stepwise"});

    add(make("backbone.source", "Backbone", Choice, &C::backbone, &BackboneConfig::source, "A trained model folder, a checkpoint of a run, or new random weights by size.")).oneOf({"folder", "checkpoint", "scratch"});
    add(make("backbone.folder", "Model folder", Path, &C::backbone, &BackboneConfig::folder, "Hugging Face folder: config.json, safetensors, tokenizer.")).onlyWith("backbone.source", {"folder"});
    add(make("backbone.checkpoint", "Checkpoint", Text, &C::backbone, &BackboneConfig::checkpoint, "Id, name or last of a run, with :step for another checkpoint than the newest; or the folder of a checkpoint. Weights and tokenizer come from it, and the head where its kind fits.")).onlyWith("backbone.source", {"checkpoint"});
    add(make("backbone.tokenizer", "Tokenizer", Path, &C::backbone, &BackboneConfig::tokenizer, "Vocabulary file or model folder; empty takes the demo's.")).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.width", "Width", Integer, &C::backbone, &BackboneConfig::width, "Hidden size.")).range(8, 16384).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.layers", "Layers", Integer, &C::backbone, &BackboneConfig::layers, "Number of decoder layers.")).range(1, 256).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.heads", "Heads", Integer, &C::backbone, &BackboneConfig::heads, "Attention heads; must divide the width.")).range(1, 256).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.key_value_heads", "Key/value heads", Integer, &C::backbone, &BackboneConfig::keyValueHeads, "Must divide the heads; fewer is grouped-query attention.")).range(1, 256).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.mlp_width", "MLP width", Integer, &C::backbone, &BackboneConfig::mlpWidth, "Inner size of the gated feed-forward part.")).range(8, 65536).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.rope_theta", "Rotary base", Number, &C::backbone, &BackboneConfig::ropeTheta, "Base of the rotary frequencies.")).range(1, 1e9).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.initial_deviation", "Initial deviation", Number, &C::backbone, &BackboneConfig::initialDeviation, "Standard deviation of new weights; narrow models learn sooner with more than the usual 0.02.")).range(0.0001, 1).onlyWith("backbone.source", {"scratch"});
    add(make("backbone.frozen", "Frozen", Boolean, &C::backbone, &BackboneConfig::frozen, "Train the head only."));

    add(make("head.kind", "Head", Choice, &C::head, &HeadConfig::kind, "auto takes what the layout needs. step-classifier has two outputs (wrong, correct), step-two-layer the same behind a hidden layer, step-scalar one logit; pair-scalar has one reward for a whole answer.")).oneOf({"auto", "step-classifier", "step-two-layer", "step-scalar", "pair-scalar"});
    add(make("head.declaration", "Published head", Text, &C::head, &HeadConfig::declaration, "Where a published step model keeps its head: auto knows Qwen2.5-Math-PRM; math-shepherd and rlhflow take the rows + and - of the language head; or the path of a declaration; none looks for no such head.")).onlyWith("backbone.source", {"folder"});
    add(make("head.initial_weights", "Initial weights", Path, &C::head, &HeadConfig::initialWeights, "safetensors with score.weight (and score.bias); empty draws normal weights with standard deviation 0.02."));
    add(make("head.fresh", "New head", Boolean, &C::head, &HeadConfig::fresh, "Draw a new head although the model folder has a trained one.")).onlyWith("backbone.source", {"folder", "checkpoint"});
    add(make("head.dropout", "Dropout before the head", Number, &C::head, &HeadConfig::dropout, "Share of hidden values set to zero in training.")).range(0, 0.9);

    add(make("objective.name", "Loss", Choice, &C::objective, &ObjectiveConfig::name, "auto takes what the head needs: cross-entropy for two outputs, binary for one logit (both take soft labels), bradley-terry for pairs.")).oneOf({"auto", "cross-entropy", "binary", "bradley-terry"});
    add(make("objective.wrong_weight", "Weight of wrong steps", Number, &C::objective, &ObjectiveConfig::wrongWeight, "Factor on the loss of steps labelled wrong (soft labels: in proportion).")).range(0.001, 1000).onlyWith("layout.name", {"stepwise", "trl-stepwise", "marker"});
    add(make("objective.centring", "Centring", Number, &C::objective, &ObjectiveConfig::centring, "Adds this times the mean squared sum of a pair's two rewards, so that rewards do not drift; 0 is off, 0.01 is usual.")).range(0, 1000).onlyWith("layout.name", {"pairwise", "trl-pairwise"});

    add(make("optimiser.learning_rate", "Learning rate", Number, &C::optimiser, &OptimiserConfig::learningRate, "Peak learning rate of AdamW.")).range(0, 10);
    add(make("optimiser.weight_decay", "Weight decay", Number, &C::optimiser, &OptimiserConfig::weightDecay, "Decoupled decay; never on norms and biases.")).range(0, 10);
    add(make("optimiser.betas", "Betas", NumberList, &C::optimiser, &OptimiserConfig::betas, "Two decay rates of the moments.")).range(0, 0.999999);
    add(make("optimiser.epsilon", "Epsilon", Number, &C::optimiser, &OptimiserConfig::epsilon, "Added to the root of the second moment.")).range(1e-16, 1);
    add(make("optimiser.maximum_gradient_norm", "Clip gradient at", Number, &C::optimiser, &OptimiserConfig::maximumGradientNorm, "Global L2 norm; 0 is off.")).range(0, 1e6);

    add(make("batch.examples", "Examples per micro-batch", Integer, &C::batch, &BatchConfig::examples, "Rows computed at once.")).range(1, 65536).unit("examples");
    add(make("batch.accumulation", "Micro-batches per step", Integer, &C::batch, &BatchConfig::accumulation, "One optimiser step sums this many; the loss is divided once by all their supervised read-outs.")).range(1, 65536);
    add(make("batch.maximum_tokens", "Tokens per micro-batch", Integer, &C::batch, &BatchConfig::maximumTokens, "Closes a micro-batch before it exceeds this budget; 0 is off.")).range(0, 1 << 24).unit("tokens");
    add(make("batch.order", "Order", Choice, &C::batch, &BatchConfig::order, "shuffled draws a new order every epoch; file keeps the file's.")).oneOf({"shuffled", "file"});
    add(make("batch.execution", "Execution", Choice, &C::batch, &BatchConfig::execution, "merged computes shared beginnings once; all give the same scores and gradients.")).oneOf({"merged", "packed", "padded", "single"});

    add(make("schedule.kind", "Schedule", Choice, &C::schedule, &ScheduleConfig::kind, "How the learning rate falls after the warm-up.")).oneOf({"constant", "linear", "cosine"});
    add(make("schedule.warmup_steps", "Warm-up", Integer, &C::schedule, &ScheduleConfig::warmupSteps, "Optimiser steps over which the rate rises from 0.")).from(0).unit("steps");
    add(make("schedule.epochs", "Epochs", Integer, &C::schedule, &ScheduleConfig::epochs, "Passes over the training rows.")).range(1, 100000);
    add(make("schedule.maximum_steps", "Steps at most", Integer, &C::schedule, &ScheduleConfig::maximumSteps, "Stops after this many optimiser steps; 0 is decided by the epochs.")).from(0).unit("steps");
    add(make("schedule.final_share", "Final share", Number, &C::schedule, &ScheduleConfig::finalShare, "Share of the peak rate that is left at the end.")).range(0, 1).onlyWith("schedule.kind", {"linear", "cosine"});
    add(make("schedule.stop_early", "Stop early", Boolean, &C::schedule, &ScheduleConfig::stopEarly, "Finish before the last step when the evaluations of evaluation.every_steps no longer improve."));
    add(make("schedule.stop_metric", "Metric to stop by", Choice, &C::schedule, &ScheduleConfig::stopMetric, kMetricHelp)).oneOf(metricChoices()).onlyWith("schedule.stop_early", {"true"});
    add(make("schedule.patience", "Patience", Integer, &C::schedule, &ScheduleConfig::patience, "Evaluations in a row without an improvement after which training ends.")).range(1, 100000).unit("evaluations").onlyWith("schedule.stop_early", {"true"});
    add(make("schedule.minimum_improvement", "Improvement at least", Number, &C::schedule, &ScheduleConfig::minimumImprovement, "An evaluation improves when it beats the best one before it by more than this.")).from(0).onlyWith("schedule.stop_early", {"true"});

    add(make("evaluation.every_steps", "Evaluate every", Integer, &C::evaluation, &EvaluationConfig::everySteps, "Optimiser steps between evaluations; 0 evaluates at the end only.")).from(0).unit("steps").resultsUnchanged();
    add(make("evaluation.before_start", "Evaluate before step 0", Boolean, &C::evaluation, &EvaluationConfig::beforeStart, "What the untrained head reaches; every later number is compared with it.")).resultsUnchanged();
    add(make("evaluation.threshold", "Threshold", Number, &C::evaluation, &EvaluationConfig::threshold, "A step is predicted wrong when its probability is below this.")).range(0, 1).onlyWith("layout.name", {"stepwise", "trl-stepwise", "marker"});
    add(make("evaluation.maximum_examples", "Examples at most", Integer, &C::evaluation, &EvaluationConfig::maximumExamples, "Only the first examples; 0 takes all.")).from(0).unit("examples");
    add(make("evaluation.bootstrap_samples", "Bootstrap samples", Integer, &C::evaluation, &EvaluationConfig::bootstrapSamples, "Resamples of prompts behind every 95 % interval.")).range(0, 100000).resultsUnchanged();

    add(make("checkpoint.every_steps", "Save every", Integer, &C::checkpoint, &CheckpointConfig::everySteps, "Optimiser steps between checkpoints; 0 saves at the end only.")).from(0).unit("steps").resultsUnchanged();
    add(make("checkpoint.keep_last", "Keep the newest", Integer, &C::checkpoint, &CheckpointConfig::keepLast, "Older checkpoints are deleted when a newer one is complete, except the best and the final one; none keeps all.")).from(1).unit("checkpoints").resultsUnchanged();
    add(make("checkpoint.keep_best", "Keep the best", Boolean, &C::checkpoint, &CheckpointConfig::keepBest, "Never delete the checkpoint with the best evaluation.")).resultsUnchanged();
    add(make("checkpoint.save_best", "Save every best", Boolean, &C::checkpoint, &CheckpointConfig::saveBest, "Save also after every evaluation that beats all before it, so that the best evaluation has its checkpoint.")).resultsUnchanged().onlyWith("checkpoint.keep_best", {"true"});
    add(make("checkpoint.best_metric", "Best by", Choice, &C::checkpoint, &CheckpointConfig::bestMetric, kMetricHelp)).oneOf(metricChoices()).resultsUnchanged().onlyWith("checkpoint.keep_best", {"true"});

    add(make("compute.device", "Device", Text, &C::compute, &ComputeConfig::device, "auto, cpu, or cuda:0 and so on."));
    add(make("compute.dtype", "Compute type", Choice, &C::compute, &ComputeConfig::dtype, "Type of the matrix products. auto times both and takes bfloat16 only where it is faster and agrees; weights and loss stay float32.")).oneOf({"auto", "float32", "bfloat16", "float64"});
    add(make("compute.threads", "Threads", Integer, &C::compute, &ComputeConfig::threads, "0 takes all cores.")).range(0, 1024);
    add(make("compute.activation_checkpointing", "Recompute activations", Boolean, &C::compute, &ComputeConfig::activationCheckpointing, "Keeps layer inputs only and computes the rest again in the backward pass: less memory, about a third more work.")).resultsUnchanged();
    add(make("compute.prefetch", "Prefetched micro-batches", Integer, &C::compute, &ComputeConfig::prefetch, "How many are laid out ahead by the prefetch thread.")).range(1, 64).resultsUnchanged();
    // clang-format on

    std::vector<Field> fields;
    fields.reserve(rows.size());
    for (auto& row : rows)
        fields.push_back(std::move(row.field));
    return fields;
}

} // namespace

std::span<const Field> experimentFields()
{
    static const std::vector<Field> kFields = buildTable();
    return kFields;
}

const Field* findField(std::string_view id)
{
    for (const auto& field : experimentFields())
        if (field.id == id)
            return &field;
    return nullptr;
}

std::string_view groupTitle(std::string_view group)
{
    static constexpr std::pair<std::string_view, std::string_view> kTitles[] = {{"run", "Run"},
                                                                                {"data", "Data"},
                                                                                {"layout", "Layout"},
                                                                                {"backbone", "Backbone"},
                                                                                {"head", "Head"},
                                                                                {"objective", "Objective"},
                                                                                {"optimiser", "Optimiser"},
                                                                                {"batch", "Batch"},
                                                                                {"schedule", "Schedule"},
                                                                                {"evaluation", "Evaluation"},
                                                                                {"checkpoint", "Checkpoints"},
                                                                                {"compute", "Compute"}};
    for (const auto& [id, title] : kTitles)
        if (id == group)
            return title;
    return group;
}

} // namespace assay
