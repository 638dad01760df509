#include "tests/reliability/power_loss_check.h"

namespace assay::tests {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRandomCuts = 4;

const std::vector<PowerCut>& powerCuts()
{
    using Data = PowerCut::Data;
    using Names = PowerCut::Names;
    static const auto all = [] {
        std::vector<PowerCut> cuts;
        for (const auto names : {Names::Dropped, Names::Kept})
            for (const auto data : {Data::Dropped, Data::Kept, Data::Zeros, Data::Last, Data::Torn})
                cuts.push_back({data, names});
        for (std::uint64_t seed = 1; seed <= kRandomCuts; ++seed)
            cuts.push_back({Data::Random, Names::Random, seed});
        return cuts;
    }();
    return all;
}

} // namespace

PowerLossCheck::PowerLossCheck(DiskHistory history, fs::path scratch, FaultOf faultOf)
    : m_history(std::move(history))
    , m_scratch(std::move(scratch))
    , m_faultOf(std::move(faultOf))
{}

std::string PowerLossCheck::firstFault()
{
    for (std::size_t cut = 0; cut <= m_history.size(); ++cut)
        for (const auto& power : powerCuts())
            if (const auto fault = faultAt(cut, power, {}); !fault.empty())
                return std::to_string(cut) + ", before " +
                       (cut < m_history.size() ? m_history.describe(cut) : "nothing more") + " (" +
                       power.text() + "): " + fault;
    return {};
}

std::string PowerLossCheck::faultWithout(std::size_t sync)
{
    for (auto cut = sync + 1; cut <= m_history.nextSync(sync); ++cut)
        for (const auto& power : powerCuts())
            if (auto fault = faultAt(cut, power, sync); !fault.empty())
                return fault;
    return {};
}

bool PowerLossCheck::mayMatter(std::size_t sync) const
{
    const auto next = m_history.nextSync(sync);
    const bool again =
        next < m_history.size() && m_history.notes(next).size() == m_history.notes(sync).size();
    return m_history.bringsSomething(sync) && !again;
}

std::string PowerLossCheck::faultAt(std::size_t cut, const PowerCut& power,
                                    std::optional<std::size_t> ignoredSync)
{
    const auto state = m_history.state(cut, power, ignoredSync);
    const auto notes = m_history.notes(cut);
    std::string key;
    for (const auto& note : notes)
        key += note + '\n';
    for (const auto& [path, content] : state)
        key += path + '\n' + std::to_string(content.size()) + '\n' + content;
    const auto [known, isNew] = m_known.try_emplace(std::hash<std::string>{}(key));
    if (!isNew)
        return known->second;
    fs::remove_all(m_scratch);
    fs::create_directories(m_scratch);
    writeState(state, m_scratch);
    return known->second = m_faultOf(m_scratch, notes);
}

} // namespace assay::tests
