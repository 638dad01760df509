#pragma once

#include "core/base/result.h"
#include "core/data/example.h"

#include <memory>
#include <string>
#include <vector>

namespace assay {

/// A row that was refused, with the reason a person needs to mend it.
struct RowProblem
{
    std::string source;
    std::int64_t row = 0;  ///< 0-based row; for JSONL the line is row + 1 if no blank lines precede
    std::int64_t line = 0; ///< 1-based line where known, else 0
    std::string message;
    /// Stable word for what is wrong, so that the label checks can count it; empty = only the message.
    /// label-count-mismatch, labels-are-text, label-out-of-range, empty-step, layout-refused
    std::string kind = {};
    std::int32_t step = -1; ///< 0-based step at fault, -1 = the row
    std::vector<std::string> values =
        {}; ///< labels-are-text: every label of the row as written; out of range: the value
    std::int32_t steps = -1, labels = -1; ///< label-count-mismatch: what was counted
};

/// What tells a row from others and which rows must stay together; known without reading the row again.
struct RowKey
{
    std::string id;       ///< Example::id
    std::string group;    ///< Example::group
    std::int64_t row = 0; ///< Example::row
};

/// Rows in, plain values out. Immutable after opening; safe to read from several threads.
class Dataset
{
public:
    virtual ~Dataset() = default;
    virtual std::int64_t size() const = 0;
    /// The row itself, `index` in [0, size()): a value, because rows need not be in memory.
    virtual Example at(std::int64_t index) const = 0;
    /// Costs far less than the row where rows lie on disk: passes over ids or groups take this.
    virtual RowKey key(std::int64_t index) const = 0;
    /// SHA-256 over the content ids in order.
    virtual std::string fingerprint() const;
    /// Rows of the file that could not become examples. Training on a set with problems is refused unless the
    /// policy `data.bad_rows = skip` says otherwise.
    virtual const std::vector<RowProblem>& problems() const;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// Rows held in memory; what formats build and tests use.
class MemoryDataset : public Dataset
{
public:
    explicit MemoryDataset(std::vector<Example> examples, std::vector<RowProblem> problems = {})
        : m_examples(std::move(examples))
        , m_problems(std::move(problems))
    {}
    std::int64_t size() const override { return static_cast<std::int64_t>(m_examples.size()); }
    Example at(std::int64_t index) const override { return m_examples.at(static_cast<std::size_t>(index)); }
    RowKey key(std::int64_t index) const override
    {
        const auto& example = m_examples.at(static_cast<std::size_t>(index));
        return {example.id, example.group, example.row};
    }
    const std::vector<RowProblem>& problems() const override { return m_problems; }

private:
    std::vector<Example> m_examples;
    std::vector<RowProblem> m_problems;
};

} // namespace assay
