#include "core/data/views.h"

#include "core/base/hash.h"

#include <algorithm>
#include <map>

namespace assay {

namespace {

class Subset : public Dataset
{
public:
    Subset(DatasetPtr source, std::vector<std::int64_t> indices, std::vector<RowProblem> problems)
        : m_source(std::move(source))
        , m_indices(std::move(indices))
        , m_problems(std::move(problems))
    {}
    std::int64_t size() const override { return static_cast<std::int64_t>(m_indices.size()); }
    Example at(std::int64_t index) const override { return m_source->at(rowOf(index)); }
    RowKey key(std::int64_t index) const override { return m_source->key(rowOf(index)); }
    const std::vector<RowProblem>& problems() const override { return m_problems; }

private:
    std::int64_t rowOf(std::int64_t index) const { return m_indices.at(static_cast<std::size_t>(index)); }

    DatasetPtr m_source;
    std::vector<std::int64_t> m_indices;
    std::vector<RowProblem> m_problems;
};

class Concat : public Dataset
{
public:
    explicit Concat(std::vector<DatasetPtr> sources)
        : m_sources(std::move(sources))
    {
        for (const auto& source : m_sources) {
            m_begin.push_back(m_size);
            m_size += source->size();
            m_problems.insert(m_problems.end(), source->problems().begin(), source->problems().end());
        }
    }
    std::int64_t size() const override { return m_size; }
    Example at(std::int64_t index) const override
    {
        const auto source = sourceOf(index);
        return m_sources[source]->at(index - m_begin[source]);
    }
    RowKey key(std::int64_t index) const override
    {
        const auto source = sourceOf(index);
        return m_sources[source]->key(index - m_begin[source]);
    }
    const std::vector<RowProblem>& problems() const override { return m_problems; }

private:
    std::size_t sourceOf(std::int64_t index) const
    {
        CHECK(index >= 0 && index < m_size, "row outside the data set");
        const auto after = std::upper_bound(m_begin.begin(), m_begin.end(), index);
        return static_cast<std::size_t>(after - m_begin.begin()) - 1;
    }

    std::vector<DatasetPtr> m_sources;
    std::vector<std::int64_t> m_begin; ///< [sources], first row of each
    std::int64_t m_size = 0;
    std::vector<RowProblem> m_problems;
};

std::string orderKey(std::uint64_t seed, const std::string& group)
{
    Sha256 hash;
    hash.addField(std::to_string(seed));
    hash.addField(group);
    return hash.hex();
}

std::string splitHash(const Dataset& dataset, const Split& split)
{
    Sha256 hash;
    for (const auto* side : {&split.train, &split.evaluation}) {
        std::vector<std::string> ids;
        for (const auto index : *side)
            ids.push_back(dataset.key(index).id);
        std::sort(ids.begin(), ids.end());
        hash.addField(std::to_string(ids.size()));
        for (const auto& id : ids)
            hash.addField(id);
    }
    return hash.hex();
}

} // namespace

DatasetPtr subset(DatasetPtr source, std::vector<std::int64_t> indices, std::vector<RowProblem> problems)
{
    for (const auto index : indices)
        CHECK(index >= 0 && index < source->size(), "row outside the data set");
    return std::make_shared<Subset>(std::move(source), std::move(indices), std::move(problems));
}

DatasetPtr concat(std::vector<DatasetPtr> sources)
{
    return std::make_shared<Concat>(std::move(sources));
}

Result<Split> splitByGroup(const Dataset& dataset, double evaluationShare, std::uint64_t seed)
{
    if (!(evaluationShare > 0.0 && evaluationShare < 1.0))
        return Error{ErrorCode::Usage, "the evaluation share must lie between 0 and 1",
                     "data.evaluation_share", ""};
    std::map<std::string, std::vector<std::int64_t>> groups;
    for (std::int64_t row = 0; row < dataset.size(); ++row)
        groups[dataset.key(row).group].push_back(row);
    if (groups.size() < 2)
        return Error{ErrorCode::BadData,
                     "the rows have " + std::to_string(groups.size()) +
                         " different prompts; a split by prompt needs two",
                     "", "Name an evaluation file"};
    std::vector<std::pair<std::string, const std::vector<std::int64_t>*>> order;
    order.reserve(groups.size());
    for (const auto& [group, rows] : groups)
        order.emplace_back(orderKey(seed, group), &rows);
    std::sort(order.begin(), order.end());

    Split split;
    const double wanted = evaluationShare * static_cast<double>(dataset.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        // At least one group on either side, however small the share or large the groups.
        const bool first = split.evaluation.empty();
        const bool last = i + 1 == order.size() && split.train.empty();
        const bool evaluate = first || (static_cast<double>(split.evaluation.size()) < wanted && !last);
        auto& side = evaluate ? split.evaluation : split.train;
        side.insert(side.end(), order[i].second->begin(), order[i].second->end());
    }
    std::sort(split.train.begin(), split.train.end());
    std::sort(split.evaluation.begin(), split.evaluation.end());
    split.hash = splitHash(dataset, split);
    return split;
}

} // namespace assay
