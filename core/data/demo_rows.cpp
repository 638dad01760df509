#include "core/data/demo_rows.h"

#include "core/base/check.h"
#include "core/base/random.h"

#include <array>
#include <optional>
#include <set>

namespace assay {

namespace {

constexpr std::int64_t kLargestValue = 9; ///< small, so that every number is one token
constexpr std::int64_t kLargestOperand = 4;
constexpr std::array<std::string_view, kLargestOperand + 1> kOperandWords = {"zero", "one", "two", "three",
                                                                             "four"};
constexpr std::array<std::string_view, 4> kPeople = {"Ana", "Ben", "Cleo", "Dan"};
constexpr std::array<std::string_view, 3> kItems = {"bread", "milk", "tea"};

std::size_t index(RandomStream& random, std::size_t count)
{
    return static_cast<std::size_t>(random.below(count));
}

bool inRange(std::int64_t value)
{
    return value >= 0 && value <= kLargestValue;
}

/// `left sign right = result`, as a step states it.
struct Equation
{
    std::int64_t left = 0;
    bool adds = true;
    std::int64_t right = 0;
    std::int64_t result = 0;

    std::int64_t value() const { return adds ? left + right : left - right; }
};

/// A right computation from `left` that stays in range.
Equation drawEquation(RandomStream& random, std::int64_t left)
{
    Equation equation{left};
    do {
        equation.adds = random.chance(0.5);
        equation.right = random.between(1, kLargestOperand);
        equation.result = equation.value();
    } while (!inRange(equation.result));
    return equation;
}

/// What the step would state with this mistake in it; it may come out of range or equal to the right one.
Equation distort(RandomStream& random, Equation equation, DemoMistake mistake)
{
    const std::int64_t right = equation.result;
    switch (mistake) {
    case DemoMistake::WrongOperation:
        equation.adds = !equation.adds;
        break;
    case DemoMistake::WrongOperand:
        equation.right = random.between(1, kLargestOperand);
        break;
    case DemoMistake::StaleValue:
        equation.left = random.between(0, kLargestValue);
        break;
    case DemoMistake::Unchanged:
        equation.result = equation.left;
        return equation;
    case DemoMistake::OffByOne:
        equation.result = right + (random.chance(0.5) ? 1 : -1);
        return equation;
    default:
        // Drawn as right results are, so that the number alone gives nothing away.
        equation.result = drawEquation(random, random.between(0, kLargestValue)).result;
        return equation;
    }
    equation.result = equation.value();
    return equation;
}

/// A wrong step and the name of its mistake; `equation` is the right one.
std::pair<Equation, DemoMistake> plantMistake(RandomStream& random, const Equation& equation)
{
    // What shows inside the step is frequent, what takes the step before or the table of sums is rare: a net
    // of this size learns the first within a minute and the second only in part.
    constexpr std::array kKinds = {
        DemoMistake::WrongOperation, DemoMistake::WrongOperation, DemoMistake::WrongOperation,
        DemoMistake::WrongOperation, DemoMistake::WrongOperation, DemoMistake::WrongOperand,
        DemoMistake::WrongOperand,   DemoMistake::WrongOperand,   DemoMistake::WrongOperand,
        DemoMistake::WrongOperand,   DemoMistake::Unchanged,      DemoMistake::Unchanged,
        DemoMistake::StaleValue,     DemoMistake::OffByOne,       DemoMistake::WrongResult};
    for (;;) {
        const DemoMistake mistake = kKinds[index(random, kKinds.size())];
        const Equation wrong = distort(random, equation, mistake);
        const bool differs = wrong.left != equation.left || wrong.adds != equation.adds ||
                             wrong.right != equation.right || wrong.result != equation.result;
        if (differs && inRange(wrong.result))
            return {wrong, mistake};
    }
}

std::string listed(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

DemoRow arithmeticRow(RandomStream& random, const std::vector<bool>& wrong)
{
    DemoRow row{DemoFamily::Arithmetic, {}, {}};
    const std::int64_t start = random.between(0, kLargestValue);
    std::int64_t value = start;
    std::vector<std::string> plan;
    for (const bool planted : wrong) {
        const Equation right = drawEquation(random, value);
        const auto [written, mistake] =
            planted ? plantMistake(random, right) : std::pair{right, DemoMistake::None};
        plan.push_back((right.adds ? "plus " : "minus ") +
                       std::string(kOperandWords[static_cast<std::size_t>(right.right)]));
        row.steps.push_back({(right.adds ? "Now add " : "Now take ") + std::to_string(right.right) + ": " +
                                 std::to_string(written.left) + (written.adds ? " + " : " - ") +
                                 std::to_string(written.right) + " = " + std::to_string(written.result) + ".",
                             mistake});
        value = written.result;
    }
    row.prompt = "Plan: " + listed(plan) + ". Start with " + std::to_string(start) + ".";
    return row;
}

/// `receiver` asks for `wanted`; `giver` hands `given` to `taker`. Indices of people, and of the two items.
struct Handover
{
    std::size_t receiver = 0, wanted = 0;
    std::size_t giver = 0, given = 0, taker = 0;
};

/// Somebody other than the two, who may be the same person.
std::size_t somebodyElse(RandomStream& random, std::size_t first, std::size_t second)
{
    for (;;) {
        const std::size_t person = index(random, kPeople.size());
        if (person != first && person != second)
            return person;
    }
}

DemoMistake plantMistake(RandomStream& random, Handover& handover)
{
    // Most of these keep the number of different words in the step: else counting words would find them.
    const double draw = random.uniform();
    if (draw < 0.40) {
        std::swap(handover.giver, handover.taker);
        return DemoMistake::SwappedPeople;
    }
    if (draw < 0.50) {
        handover.giver = somebodyElse(random, handover.giver, handover.giver);
        return DemoMistake::WrongGiver;
    }
    if (draw < 0.80) {
        handover.taker = somebodyElse(random, handover.receiver, handover.giver);
        return DemoMistake::WrongReceiver;
    }
    handover.given = 1 - handover.wanted;
    return DemoMistake::WrongItem;
}

DemoRow holdingRow(RandomStream& random, const std::vector<bool>& wrong)
{
    constexpr double kChangeItem = 0.2; ///< most steps go on with the item that was handed over last
    std::array<std::string_view, kItems.size()> shuffled = kItems;
    random.shuffle(std::span<std::string_view>(shuffled));
    const std::array<std::string_view, 2> items = {shuffled[0], shuffled[1]};
    std::array<std::size_t, 2> holder = {index(random, kPeople.size()), index(random, kPeople.size())};

    DemoRow row{DemoFamily::Holding, {}, {}};
    const std::string start = "First " + std::string(items[0]) + " is with " +
                              std::string(kPeople[holder[0]]) + " and " + std::string(items[1]) + " with " +
                              std::string(kPeople[holder[1]]) + ".";
    std::size_t item = 1; // named last, and so nearest to the first step
    std::vector<std::string> plan;
    for (const bool planted : wrong) {
        if (random.chance(kChangeItem))
            item = 1 - item;
        Handover handover;
        handover.receiver = handover.taker = somebodyElse(random, holder[item], holder[item]);
        handover.wanted = handover.given = item;
        handover.giver = holder[item];
        const DemoMistake mistake = planted ? plantMistake(random, handover) : DemoMistake::None;
        const std::string receiver(kPeople[handover.receiver]), wanted(items[handover.wanted]);
        plan.push_back(wanted + " for " + receiver);
        row.steps.push_back({receiver + " wants " + wanted + ": " + std::string(kPeople[handover.giver]) +
                                 " gives " + std::string(items[handover.given]) + " to " +
                                 std::string(kPeople[handover.taker]) + ".",
                             mistake});
        holder[handover.given] = handover.taker;
        item = handover.given;
    }
    row.prompt = "Plan: " + listed(plan) + ". " + start;
    return row;
}

DemoRow drawRow(RandomStream& random, const DemoOptions& options)
{
    const bool arithmetic = random.chance(options.arithmeticShare);
    const bool clean = random.chance(options.cleanShare);
    std::vector<bool> wrong(static_cast<std::size_t>(random.between(options.leastSteps, options.mostSteps)));
    for (std::size_t i = 0; i < wrong.size(); ++i)
        wrong[i] = random.chance(options.wrongShare) && !clean;
    return arithmetic ? arithmeticRow(random, wrong) : holdingRow(random, wrong);
}

} // namespace

std::string_view demoMistakeId(DemoMistake mistake)
{
    switch (mistake) {
    case DemoMistake::None:
        return "none";
    case DemoMistake::WrongOperation:
        return "wrong-operation";
    case DemoMistake::WrongOperand:
        return "wrong-operand";
    case DemoMistake::StaleValue:
        return "stale-value";
    case DemoMistake::Unchanged:
        return "unchanged";
    case DemoMistake::OffByOne:
        return "off-by-one";
    case DemoMistake::WrongResult:
        return "wrong-result";
    case DemoMistake::SwappedPeople:
        return "swapped-people";
    case DemoMistake::WrongReceiver:
        return "wrong-receiver";
    case DemoMistake::WrongItem:
        return "wrong-item";
    case DemoMistake::WrongGiver:
        return "wrong-giver";
    }
    CHECK(false, "unknown mistake");
}

std::string_view demoFamilyId(DemoFamily family)
{
    return family == DemoFamily::Arithmetic ? "arithmetic" : "holding";
}

std::vector<DemoRow> demoRows(std::uint64_t seed, std::string_view name, const DemoOptions& options,
                              std::span<const DemoRow> taken)
{
    CHECK(options.leastSteps >= 1 && options.leastSteps <= options.mostSteps, "steps per row");
    std::set<std::string_view> prompts;
    for (const DemoRow& row : taken)
        prompts.insert(row.prompt);
    RandomStream random(seed, "demo-" + std::string(name));
    std::vector<DemoRow> rows;
    while (static_cast<std::int64_t>(rows.size()) < options.rows) {
        DemoRow row = drawRow(random, options);
        if (!prompts.contains(row.prompt))
            rows.push_back(std::move(row));
    }
    return rows;
}

std::string demoJsonLines(std::span<const DemoRow> rows)
{
    // The texts hold letters, digits and plain punctuation only: nothing in them needs escaping.
    std::string lines;
    for (const DemoRow& row : rows) {
        std::string steps, labels, mistakes;
        for (const DemoStep& step : row.steps) {
            const std::string comma = steps.empty() ? "" : ",";
            steps += comma + "\"" + step.text + "\"";
            labels += comma + (step.correct() ? "true" : "false");
            mistakes += comma + "\"" + std::string(demoMistakeId(step.mistake)) + "\"";
        }
        lines += "{\"prompt\":\"" + row.prompt + "\",\"completions\":[" + steps + "],\"labels\":[" + labels +
                 "],\"family\":\"" + std::string(demoFamilyId(row.family)) + "\",\"mistakes\":[" + mistakes +
                 "]}\n";
    }
    return lines;
}

Example demoExample(const DemoRow& row)
{
    StepwiseExample content{row.prompt, {}, {}};
    std::string mistakes;
    for (const DemoStep& step : row.steps) {
        content.steps.push_back({step.text, Label::of(step.correct() ? 1.0F : 0.0F)});
        mistakes += (mistakes.empty() ? "" : ", ") + std::string(demoMistakeId(step.mistake));
    }
    Example example;
    example.content = std::move(content);
    example.metadata = {{"family", std::string(demoFamilyId(row.family))}, {"mistakes", mistakes}};
    return example;
}

} // namespace assay
