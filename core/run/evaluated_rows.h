#pragma once

#include "core/eval/evaluated_set.h"
#include "core/run/prepared_data.h"

namespace assay {

/// The kept rows of a side as an evaluated set without scores, in file order: labels, lengths and groups. One
/// prediction for every score of a row; `tokens` of a whole candidate are those of its sequence.
EvaluatedSet rowsWithoutScores(const PreparedSide& side);

/// Gives the candidates of pairs the probability that they are preferred, sigmoid of the difference of the
/// two rewards: a reward alone has no absolute meaning. Steps and groups of another size stay.
void setPairProbabilities(EvaluatedSet& set);

/// The margin of every kept row of pairs, in the order of `rowsWithoutScores`; empty when no row has one.
std::vector<double> pairMargins(const PreparedSide& side);

/// Mean loss of equal rewards over the pairs of a side, softplus(margin): ln 2 without margins.
double trivialPairLoss(const PreparedSide& side);

} // namespace assay
