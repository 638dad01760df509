#include "core/diagnostics/logistic.h"

#include "core/base/check.h"
#include "core/base/random.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

constexpr double kRidge = 1e-3; ///< dense: penalty per standardised weight, summed over the rows
constexpr int kNewtonSteps = 25;
constexpr int kPasses = 15;
constexpr double kLearningRate = 0.1;
constexpr double kDecay = 1e-4;

double sigmoid(double x)
{
    return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
}

double logit(double p)
{
    const double clipped = std::clamp(p, 1e-6, 1.0 - 1e-6);
    return std::log(clipped / (1.0 - clipped));
}

double meanOf(std::span<const double> values)
{
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0.5 : sum / double(values.size());
}

/// Solves the symmetric positive definite system a x = b in place (Cholesky); `a` is [n, n].
std::vector<double> solve(std::vector<double> a, std::vector<double> b)
{
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; ++i) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return b;
}

/// One Newton step; returns the largest change of a weight.
double newtonStep(DenseLogistic& model, std::span<const double> standardised, std::span<const double> labels)
{
    const std::size_t columns = model.weight.size(), n = columns + 1;
    std::vector<double> hessian(n * n, 0.0), gradient(n, 0.0), row(n, 1.0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        double z = model.bias;
        for (std::size_t c = 0; c < columns; ++c) {
            row[c] = standardised[i * columns + c];
            z += model.weight[c] * row[c];
        }
        const double p = sigmoid(z), curvature = std::max(p * (1.0 - p), 1e-6);
        for (std::size_t c = 0; c < n; ++c) {
            gradient[c] += (labels[i] - p) * row[c];
            for (std::size_t k = 0; k <= c; ++k)
                hessian[c * n + k] += curvature * row[c] * row[k];
        }
    }
    const double ridge = kRidge * double(labels.size());
    for (std::size_t c = 0; c < columns; ++c) {
        gradient[c] -= ridge * model.weight[c];
        hessian[c * n + c] += ridge;
    }
    hessian[n * n - 1] += 1e-9;
    const auto change = solve(std::move(hessian), std::move(gradient));
    double largest = 0.0;
    for (std::size_t c = 0; c < n; ++c) {
        const double step = std::clamp(change[c], -4.0, 4.0);
        (c < columns ? model.weight[c] : model.bias) += step;
        largest = std::max(largest, std::abs(step));
    }
    return largest;
}

} // namespace

double DenseLogistic::probability(std::span<const double> features) const
{
    double z = bias;
    for (std::size_t c = 0; c < weight.size(); ++c)
        z += weight[c] * (features[c] - mean[c]) * inverseScale[c];
    return sigmoid(z);
}

DenseLogistic fitDense(std::span<const double> features, std::size_t columns, std::span<const double> labels)
{
    CHECK(features.size() == columns * labels.size(), "shape of the design");
    const double rows = double(labels.size());
    DenseLogistic model;
    model.mean.assign(columns, 0.0);
    model.inverseScale.assign(columns, 0.0);
    model.weight.assign(columns, 0.0);
    model.bias = logit(meanOf(labels));
    std::vector<double> standardised(features.begin(), features.end());
    for (std::size_t c = 0; c < columns && !labels.empty(); ++c) {
        double sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < labels.size(); ++i)
            sum += features[i * columns + c];
        model.mean[c] = sum / rows;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const double centred = features[i * columns + c] - model.mean[c];
            squares += centred * centred;
        }
        // A column that never changes says nothing and must not be divided by its rounding error.
        const double deviation = std::sqrt(squares / rows);
        model.inverseScale[c] = deviation > 1e-9 * (1.0 + std::abs(model.mean[c])) ? 1.0 / deviation : 0.0;
        for (std::size_t i = 0; i < labels.size(); ++i)
            standardised[i * columns + c] =
                (features[i * columns + c] - model.mean[c]) * model.inverseScale[c];
    }
    for (int step = 0; step < kNewtonSteps && !labels.empty(); ++step)
        if (newtonStep(model, standardised, labels) < 1e-8)
            break;
    return model;
}

double SparseLogistic::probability(std::span<const std::int32_t> columns,
                                   std::span<const double> values) const
{
    double z = bias;
    for (std::size_t i = 0; i < columns.size(); ++i)
        z += weight[std::size_t(columns[i])] * values[i];
    return sigmoid(z);
}

SparseLogistic fitSparse(const SparseRows& rows, std::size_t columns, std::span<const double> labels,
                         const std::stop_token& stop)
{
    CHECK(rows.rows() == labels.size(), "rows and labels");
    SparseLogistic model;
    model.weight.assign(columns, 0.0);
    model.bias = logit(meanOf(labels));
    std::vector<double> squares(columns, 1e-8);
    double biasSquares = 1e-8;
    for (int pass = 0; pass < kPasses; ++pass) {
        if (stop.stop_requested())
            break;
        for (const auto row : permutation(static_cast<std::int64_t>(rows.rows()), 0, "bag of tokens", pass)) {
            const std::size_t begin = rows.offsets[std::size_t(row)],
                              end = rows.offsets[std::size_t(row) + 1];
            const std::span<const std::int32_t> column(rows.column.data() + begin, end - begin);
            const std::span<const double> value(rows.value.data() + begin, end - begin);
            const double error = model.probability(column, value) - labels[std::size_t(row)];
            for (std::size_t i = 0; i < column.size(); ++i) {
                const auto c = std::size_t(column[i]);
                const double gradient = error * value[i] + kDecay * model.weight[c];
                squares[c] += gradient * gradient;
                model.weight[c] -= kLearningRate * gradient / std::sqrt(squares[c]);
            }
            biasSquares += error * error;
            model.bias -= kLearningRate * error / std::sqrt(biasSquares);
        }
    }
    return model;
}

} // namespace assay
