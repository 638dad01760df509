#pragma once

#include "core/data/example.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What is wrong with one step of a demo row; None = the step is right.
enum class DemoMistake {
    None,
    WrongOperation, ///< adds where the step says take, or the other way round
    WrongOperand,   ///< computes with another number than the step names
    StaleValue,     ///< starts from another value than the last step left, and computes rightly from there
    Unchanged,      ///< the result repeats the value before
    OffByOne,       ///< result one too high or too low
    WrongResult,    ///< the result of some other computation
    SwappedPeople,  ///< who asked gives, who had it takes
    WrongReceiver,  ///< the item goes to somebody who did not ask
    WrongItem,      ///< the other item is handed over
    WrongGiver      ///< handed over by somebody who does not hold it
};

enum class DemoFamily {
    Arithmetic, ///< one running value, changed step by step
    Holding     ///< two items wander among four people
};

/// `none`, `wrong-operation`, ...
std::string_view demoMistakeId(DemoMistake mistake);
/// `arithmetic`, `holding`.
std::string_view demoFamilyId(DemoFamily family);

struct DemoStep
{
    std::string text;
    DemoMistake mistake = DemoMistake::None;
    bool correct() const { return mistake == DemoMistake::None; }
};

/// A made-up problem with its solution. Every step is judged by itself, given the state that the steps before
/// it left *as written*: after a slip the next step may be right again, so that neither position nor length
/// of a step says anything about its label.
struct DemoRow
{
    DemoFamily family = DemoFamily::Arithmetic;
    std::string prompt;
    std::vector<DemoStep> steps;
};

/// How many rows of what kind. Shares are probabilities in [0, 1].
struct DemoOptions
{
    std::int64_t rows = 1000;
    std::int64_t leastSteps = 3, mostSteps = 4;
    double cleanShare = 0.1; ///< rows without any mistake
    double wrongShare = 0.5; ///< wrong steps in the other rows, independent of the place
    double arithmeticShare = 0.6;
};

/// Rows as a pure function of (seed, name, options): the same on every machine. `name` separates streams of
/// one seed ("train", "evaluation"). Problems whose prompt stands in `taken` are drawn again.
std::vector<DemoRow> demoRows(std::uint64_t seed, std::string_view name, const DemoOptions& options,
                              std::span<const DemoRow> taken = {});

/// One JSON object per line: prompt, completions, labels, family, mistakes.
std::string demoJsonLines(std::span<const DemoRow> rows);

/// The row as an example with labels; family and mistakes as metadata. `id`, `source` and `row` are not set.
Example demoExample(const DemoRow& row);

} // namespace assay
