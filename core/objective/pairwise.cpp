#include "core/objective/pairwise.h"

#include "core/base/check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_sigmoid.h>

namespace assay {

namespace {

class BradleyTerry : public Objective
{
public:
    explicit BradleyTerry(double centring)
        : m_centring(centring)
    {}
    std::string_view name() const override { return "bradley-terry"; }
    std::int64_t outputs() const override { return 1; }

    double count(const TargetTensors& targets) const override
    {
        return targets.better.defined() ? static_cast<double>(targets.better.size(0)) : 0.0;
    }

    LossSum loss(const at::Tensor& scores, const TargetTensors& targets) const override
    {
        ASSAY_CHECK(scores.dim() == 2 && scores.size(1) == 1, "one reward for every score");
        const at::Tensor reward = scores.select(1, 0); // [scores]
        if (count(targets) == 0.0)
            return {0.0 * reward.sum(), 0.0};
        // Equal shapes by construction: margins [pairs] against scores [pairs, 1] would broadcast to a
        // square.
        const at::Tensor better = reward.index_select(0, targets.better); // [pairs]
        const at::Tensor worse = reward.index_select(0, targets.worse);   // [pairs]
        at::Tensor gap = better - worse;
        if (targets.margin.defined())
            gap = gap - targets.margin.to(gap.scalar_type());
        at::Tensor loss = -at::log_sigmoid(gap); // finite for any gap: softplus, not log(sigmoid)
        if (m_centring != 0.0)
            loss = loss + m_centring * (better + worse).square();
        if (targets.weight.defined()) {
            const at::Tensor weight = targets.weight.to(loss.scalar_type());
            loss =
                loss * 0.5 * (weight.index_select(0, targets.better) + weight.index_select(0, targets.worse));
        }
        return {loss.sum(), count(targets)};
    }

private:
    double m_centring;
};

} // namespace

std::unique_ptr<Objective> makeBradleyTerry(const ObjectiveOptions& options)
{
    return std::make_unique<BradleyTerry>(options.centring);
}

} // namespace assay
