#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// One scored read-out, as plain values.
struct Prediction
{
    std::int32_t example = 0; ///< index into EvaluatedSet::examples
    std::int32_t readOut = 0; ///< index of the score within its example
    std::int32_t step = 0;   ///< 0-based step, -1 = whole candidate: then `readOut` is its number, best first
    std::int32_t output = 0; ///< output of the head this row is about
    float score = 0.0F;      ///< raw head output: logit of "correct" (two outputs: difference of the logits)
    float probability = 0.0F; ///< step probability in [0, 1]; of a candidate of a pair: that it is preferred
    float label = 0.0F;       ///< in [0, 1]; of a pair: 1 = chosen, 0 = rejected
    bool supervised = false;
    std::int32_t tokens = 0; ///< tokens of the step, separator included
    std::int32_t characters = 0;
};

struct EvaluatedExample
{
    std::string id;    ///< content hash
    std::string group; ///< prompt group
    std::int64_t row = 0;
    std::int32_t steps = 0; ///< steps of the example, whether or not they were read
};

/// The input of every metric and diagnostic. Predictions of one example are contiguous and ordered by step.
struct EvaluatedSet
{
    std::vector<EvaluatedExample> examples;
    std::vector<Prediction> predictions;
};

} // namespace assay
