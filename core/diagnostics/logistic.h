#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace assay {

/// Logistic regression on few dense features, standardised on the training rows.
struct DenseLogistic
{
    std::vector<double> mean, inverseScale, weight; ///< [features]
    double bias = 0.0;

    double probability(std::span<const double> features) const;
};

/// Newton steps (iteratively re-weighted least squares) with a small ridge, so that separable data stay
/// finite. `features` is [rows, columns] row-major; soft labels allowed.
DenseLogistic fitDense(std::span<const double> features, std::size_t columns, std::span<const double> labels);

/// Rows of a sparse design: entries [offsets[i], offsets[i + 1]) belong to row i.
struct SparseRows
{
    std::vector<std::size_t> offsets{0};
    std::vector<std::int32_t> column;
    std::vector<double> value;

    std::size_t rows() const { return offsets.size() - 1; }
};

/// Logistic regression on sparse features.
struct SparseLogistic
{
    std::vector<double> weight; ///< [columns]
    double bias = 0.0;

    double probability(std::span<const std::int32_t> columns, std::span<const double> values) const;
};

/// AdaGrad (Duchi et al., 2011) over a fixed shuffle of the rows, weight decay on the touched columns; ends
/// early when stopped.
SparseLogistic fitSparse(const SparseRows& rows, std::size_t columns, std::span<const double> labels,
                         const std::stop_token& stop);

} // namespace assay
