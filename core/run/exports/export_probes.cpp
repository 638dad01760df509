#include "core/run/exports/export_probes.h"

#include "core/base/random.h"
#include "core/config/task.h"
#include "core/train/trainer.h"

#include <algorithm>
#include <array>

namespace assay {

namespace {

constexpr std::array<std::int64_t, 6> kLengths{1, 2, 7, 16, 33, 64};

LaidOut rowOfIds(std::vector<TokenId> ids)
{
    LaidOut row;
    for (std::int32_t p = 0; p < static_cast<std::int32_t>(ids.size()); ++p) {
        row.readOuts.push_back({0, {{p, p + 1}}, Pooling::Last});
        row.scores.push_back({p, -1});
        row.targets.value.push_back(0.0F);
        row.targets.mask.push_back(0);
    }
    Sequence sequence;
    sequence.ids = std::move(ids);
    row.sequences.push_back(std::move(sequence));
    return row;
}

std::vector<Example> textExamples(Task task)
{
    const std::array<std::array<const char*, 3>, 2> texts{
        {{"What is 12 + 30?", "12 + 30 is 42.", "So the answer is 42."},
         {"Zähle die Äpfel: 3 und 4.", "There are 3 + 4 = 8 apples.", "I don't know… 🙂"}}};
    std::vector<Example> examples;
    for (const auto& text : texts) {
        Example example;
        example.source = "export";
        if (task == Task::Steps) {
            StepwiseExample content;
            content.prompt = text[0];
            content.steps = {{text[1], Label::none()}, {text[2], Label::none()}};
            example.content = std::move(content);
        } else {
            PreferenceExample content;
            content.prompt.text = text[0];
            content.candidates.push_back({text[1], {}});
            content.candidates.push_back({text[2], {}});
            example.content = std::move(content);
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

/// What the layout makes of the texts; those that it refuses or drops (a very short maximum) are left out.
std::vector<LaidOut> textRows(const Layout& layout, const ModelLimits& limits)
{
    std::vector<LaidOut> rows;
    for (const auto& example : textExamples(taskOfLayout(layout.options().name))) {
        auto row = layout.layOut(example, false);
        if (!row || row->empty() || row->scores.empty())
            continue;
        const bool fits =
            std::all_of(row->sequences.begin(), row->sequences.end(), [&](const auto& sequence) {
                const auto length = static_cast<std::int64_t>(sequence.ids.size());
                return (limits.lastPosition == 0 || length <= limits.lastPosition) &&
                       std::all_of(sequence.ids.begin(), sequence.ids.end(),
                                   [&](TokenId id) { return id < limits.vocabulary; });
            });
        if (fits)
            rows.push_back(std::move(*row));
    }
    return rows;
}

bool sameRow(const LaidOut& a, const LaidOut& b)
{
    const auto sameIds = [](const Sequence& x, const Sequence& y) { return x.ids == y.ids; };
    const auto sameRead = [](const ReadOut& x, const ReadOut& y) {
        return x.sequence == y.sequence && x.spans == y.spans && x.pooling == y.pooling;
    };
    return std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                      sameIds) &&
           std::equal(a.readOuts.begin(), a.readOuts.end(), b.readOuts.begin(), b.readOuts.end(), sameRead);
}

} // namespace

ExportProbes::ExportProbes(const ModelLimits& limits, const Layout* layout)
{
    RandomStream stream(0, "export-probes");
    for (auto length : kLengths) {
        if (limits.lastPosition > 0)
            length = std::min(length, limits.lastPosition);
        std::vector<TokenId> ids;
        for (std::int64_t i = 0; i < length; ++i)
            ids.push_back(static_cast<TokenId>(stream.below(static_cast<std::uint64_t>(limits.vocabulary))));
        m_rows.push_back(rowOfIds(std::move(ids)));
    }
    if (layout)
        m_texts = textRows(*layout, limits);
    m_rows.insert(m_rows.end(), m_texts.begin(), m_texts.end());
}

at::Tensor ExportProbes::score(const RewardModel& model) const
{
    std::vector<const LaidOut*> rows;
    for (const auto& row : m_rows)
        rows.push_back(&row);
    CollateOptions options;
    options.execution = Execution::Packed;
    options.attention = model.backbone().attention();
    return scoreBatch(model, nullptr, collate(rows, options), {}).scores;
}

Status ExportProbes::sameRows(const Layout& layout) const
{
    ModelLimits any;
    any.vocabulary = INT32_MAX;
    const auto rows = textRows(layout, any);
    std::size_t next = 0;
    for (const auto& row : rows)
        if (next < m_texts.size() && sameRow(row, m_texts[next]))
            ++next;
    if (next == m_texts.size())
        return {};
    return Error{ErrorCode::BadModel, "the reloaded tokenizer and layout make other tokens of the same text",
                 "layout.json", "Report this: nothing was exported"};
}

} // namespace assay
