#include "core/data/stream/streamed_dataset.h"

#include <algorithm>

namespace assay {

Result<Example> readExample(const Dataset& dataset, std::int64_t index)
{
    try {
        return dataset.at(index);
    } catch (const RowUnreadable& unreadable) {
        return unreadable.error();
    }
}

Result<DatasetPtr> StreamedDataset::open(RowSource& source, Input input)
{
    TRY(auto file, RandomAccessFile::open(input.path));
    if (input.scratchFolder.empty())
        input.scratchFolder = ScratchFile::defaultFolder();
    TRY(auto table, RowTable::create(input.scratchFolder));
    std::shared_ptr<StreamedDataset> dataset(
        new StreamedDataset(std::move(input), std::move(file), std::move(table)));
    const auto most = dataset->m_input.maximumRows;
    const auto take = [&](MadeRow row) -> Result<bool> {
        const auto seen = dataset->size() + std::ssize(dataset->m_problems);
        if (most > 0 && seen >= most)
            return false;
        if (most > 0 && seen + std::ssize(row.examples) > most)
            row.examples.resize(static_cast<std::size_t>(most - seen));
        const double share = row.share;
        TRY_STATUS(dataset->add(std::move(row)));
        if (dataset->m_input.progress)
            dataset->m_input.progress(share);
        return true;
    };
    TRY_STATUS(makeRows(source, dataset->m_input.make, take));
    TRY_STATUS(dataset->m_table.finish());
    return DatasetPtr(std::move(dataset));
}

Status StreamedDataset::add(MadeRow row)
{
    if (row.problem)
        m_problems.push_back(std::move(*row.problem));
    RowPlace place{
        .offset = row.offset, .number = row.number, .bytes = static_cast<std::uint32_t>(row.text.size())};
    if (row.offset < 0 && !row.examples.empty()) {
        if (!m_copy) {
            TRY(m_copy, ScratchFile::create(m_input.scratchFolder));
        }
        place.offset = static_cast<std::int64_t>(m_copy->size());
        TRY_STATUS(m_copy->append(std::as_bytes(std::span(row.text))));
    }
    for (const auto& example : row.examples) {
        TRY_STATUS(m_table.add(example, place));
        ++place.within;
    }
    return {};
}

Result<Example> StreamedDataset::read(std::int64_t index) const
{
    TRY(const auto place, m_table.at(index));
    std::string text(place.bytes, '\0');
    const auto bytes = std::as_writable_bytes(std::span(text));
    const auto position = static_cast<std::uint64_t>(place.offset);
    TRY_STATUS(m_copy ? m_copy->read(position, bytes) : m_file.read(position, bytes));
    auto made = m_input.make(Row{.json = text, .number = place.number});
    const auto key = place.key();
    if (place.within < made.examples.size() && made.examples[place.within].id == key.id)
        return std::move(made.examples[place.within]);
    return Error{ErrorCode::BadData,
                 "row " + std::to_string(place.number + 1) +
                     " is no longer what it was when the file was opened",
                 m_input.path.string(), "Open the file again"};
}

Example StreamedDataset::at(std::int64_t index) const
{
    auto example = read(index);
    if (!example.ok())
        throw RowUnreadable(example.error());
    return std::move(*example);
}

RowKey StreamedDataset::key(std::int64_t index) const
{
    const auto place = m_table.at(index);
    if (!place.ok())
        throw RowUnreadable(place.error());
    return place->key();
}

} // namespace assay
