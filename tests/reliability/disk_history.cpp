#include "tests/reliability/disk_history.h"

#include "core/base/check.h"
#include "core/base/random.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace assay::tests {

namespace fs = std::filesystem;

namespace {

bool isData(DiskRecord::Kind kind)
{
    return kind == DiskRecord::Write || kind == DiskRecord::Truncate;
}

bool isName(DiskRecord::Kind kind)
{
    return kind == DiskRecord::Open || kind == DiskRecord::Rename || kind == DiskRecord::Unlink ||
           kind == DiskRecord::MakeFolder || kind == DiskRecord::RemoveFolder;
}

void put(std::string& content, std::uint64_t offset, std::string_view bytes)
{
    if (content.size() < offset + bytes.size())
        content.resize(offset + bytes.size());
    content.replace(offset, bytes.size(), bytes);
}

} // namespace

void writeState(const DiskState& state, const fs::path& folder)
{
    for (const auto& [path, content] : state) {
        if (path.ends_with('/')) {
            fs::create_directories(folder / path);
            continue;
        }
        fs::create_directories((folder / path).parent_path());
        std::ofstream(folder / path, std::ios::binary) << content;
    }
}

std::string PowerCut::text() const
{
    static const char* dataWords[] = {"kept", "dropped", "zeros", "last", "torn", "random"};
    static const char* nameWords[] = {"kept", "dropped", "random"};
    return std::string("data ") + dataWords[static_cast<int>(data)] + ", names " +
           nameWords[static_cast<int>(names)] + ", seed " + std::to_string(seed);
}

DiskHistory::DiskHistory(const fs::path& journal, const fs::path& root)
    : m_root(root)
{
    std::ifstream file(journal, std::ios::binary);
    DiskRecord record;
    while (file.read(reinterpret_cast<char*>(&record), sizeof record)) {
        std::string path(record.pathBytes, '\0'), target(record.targetBytes, '\0'),
            data(record.dataBytes, '\0');
        file.read(path.data(), std::ssize(path));
        file.read(target.data(), std::ssize(target));
        file.read(data.data(), std::ssize(data));
        CHECK(file.good(), "the journal ends in the middle of a record");
        add(record, path, target, std::move(data));
    }
}

std::pair<DiskHistory::Node, std::string> DiskHistory::placeOf(const std::string& path)
{
    const fs::path relative = fs::path(path).lexically_relative(m_root);
    Node folder = 0;
    for (const auto& part : relative.parent_path())
        if (part != ".")
            folder = m_live.at(folder).entries.at(part.string());
    return {folder, relative.filename().string()};
}

DiskHistory::Node DiskHistory::lookUp(const std::string& path, bool folder)
{
    if (fs::path(path).lexically_relative(m_root) == ".")
        return 0;
    const auto [parent, name] = placeOf(path);
    auto& entries = m_live.at(parent).entries;
    if (const auto found = entries.find(name); found != entries.end())
        return found->second;
    const Node node = m_isFolder.size();
    m_isFolder.push_back(folder);
    m_paths.push_back(fs::path(path).lexically_relative(m_root).string());
    if (folder)
        m_live[node] = {};
    return node;
}

void DiskHistory::add(const DiskRecord& record, const std::string& path, const std::string& target,
                      std::string data)
{
    Operation operation;
    operation.kind = static_cast<DiskRecord::Kind>(record.kind);
    operation.offset = record.offset;
    operation.data = std::move(data);
    const bool named = !path.empty() && fs::path(path).lexically_relative(m_root) != ".";
    if (named)
        std::tie(operation.into, operation.newName) = placeOf(path);
    switch (operation.kind) {
    case DiskRecord::Open: {
        const auto before = m_isFolder.size();
        operation.node = m_handles[record.handle] = lookUp(path, false);
        if (m_isFolder.size() != before) {
            changeNames(m_live, operation);
            m_operations.push_back(operation);
        } else if (record.offset == 1) {
            operation.kind = DiskRecord::Truncate;
            operation.offset = 0;
            m_operations.push_back(operation);
        }
        return;
    }
    case DiskRecord::Write:
    case DiskRecord::Truncate:
    case DiskRecord::Sync:
        operation.node = m_handles.at(record.handle);
        break;
    case DiskRecord::Rename:
        operation.node = lookUp(path, false);
        operation.from = operation.into;
        operation.oldName = operation.newName;
        std::tie(operation.into, operation.newName) = placeOf(target);
        break;
    case DiskRecord::MakeFolder:
        operation.node = lookUp(path, true);
        break;
    case DiskRecord::Unlink:
    case DiskRecord::RemoveFolder:
        operation.node = lookUp(path, false);
        operation.from = operation.into;
        operation.oldName = std::exchange(operation.newName, {});
        break;
    case DiskRecord::Note:
        break;
    }
    if (isName(operation.kind))
        changeNames(m_live, operation);
    m_operations.push_back(std::move(operation));
}

DiskHistory::Node DiskHistory::folderOf(const Operation& change)
{
    return change.newName.empty() ? change.from : change.into;
}

void DiskHistory::changeNames(std::map<Node, Folder>& folders, const Operation& operation) const
{
    if (!operation.oldName.empty()) {
        auto& entries = folders[operation.from].entries;
        if (const auto old = entries.find(operation.oldName);
            old != entries.end() && old->second == operation.node)
            entries.erase(old);
    }
    if (!operation.newName.empty())
        folders[operation.into].entries[operation.newName] = operation.node;
    if (m_isFolder[operation.node])
        folders.try_emplace(operation.node);
}

std::vector<std::string> DiskHistory::notes(std::size_t cut) const
{
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < cut; ++i)
        if (m_operations[i].kind == DiskRecord::Note)
            notes.push_back(m_operations[i].data);
    return notes;
}

DiskState DiskHistory::state(std::size_t cut, const PowerCut& power,
                             std::optional<std::size_t> ignoredSync) const
{
    std::map<Node, std::size_t> flushed; // by node: everything before this operation is on the disk
    std::map<Node, std::size_t> lastWrite;
    std::map<Node, std::int64_t> looseNames;
    for (std::size_t i = 0; i < cut; ++i) {
        const auto& operation = m_operations[i];
        if (operation.kind == DiskRecord::Sync && i != ignoredSync)
            flushed[operation.node] = i;
        if (operation.kind == DiskRecord::Write)
            lastWrite[operation.node] = i;
    }
    const auto isFlushed = [&](Node node, std::size_t i) {
        const auto found = flushed.find(node);
        return found != flushed.end() && found->second > i;
    };
    for (std::size_t i = 0; i < cut; ++i)
        if (isName(m_operations[i].kind) && !isFlushed(folderOf(m_operations[i]), i))
            ++looseNames[folderOf(m_operations[i])];

    RandomStream random(power.seed, "power cut");
    std::map<Node, std::int64_t> namesLeft;
    for (const auto& [folder, count] : looseNames)
        namesLeft[folder] = power.names == PowerCut::Names::Kept      ? count
                            : power.names == PowerCut::Names::Dropped ? 0
                                                                      : random.between(0, count);
    std::map<Node, std::string> contents;
    std::map<Node, Folder> folders{{0, {}}};
    for (std::size_t i = 0; i < cut; ++i) {
        const auto& operation = m_operations[i];
        if (isName(operation.kind)) {
            if (isFlushed(folderOf(operation), i) || namesLeft[folderOf(operation)]-- > 0)
                changeNames(folders, operation);
            continue;
        }
        if (!isData(operation.kind))
            continue;
        auto& content = contents[operation.node];
        std::string_view bytes = operation.data;
        std::string zeros;
        if (!isFlushed(operation.node, i)) {
            using Data = PowerCut::Data;
            const bool isLast = operation.kind == DiskRecord::Write && lastWrite[operation.node] == i;
            if (power.data == Data::Dropped || (power.data == Data::Last && !isLast) ||
                (power.data == Data::Random && random.chance(0.5)))
                continue;
            if ((power.data == Data::Torn && isLast) || (power.data == Data::Random && random.chance(0.25)))
                bytes = bytes.substr(0, bytes.size() / 2);
            if (power.data == Data::Zeros && operation.kind == DiskRecord::Write) {
                content.resize(std::max<std::size_t>(content.size(), operation.offset + bytes.size()));
                continue;
            }
        }
        if (operation.kind == DiskRecord::Truncate)
            content.resize(operation.offset);
        else
            put(content, operation.offset, bytes);
    }
    DiskState state;
    const std::function<void(Node, const std::string&)> collect = [&](Node folder, const std::string& path) {
        for (const auto& [name, node] : folders[folder].entries) {
            if (m_isFolder[node]) {
                state[path + name + "/"];
                collect(node, path + name + "/");
            } else if (!name.ends_with("-shm")) { // shared memory: nobody expects it after a restart
                state[path + name] = contents[node];
            }
        }
    };
    collect(0, "");
    return state;
}

std::vector<std::size_t> DiskHistory::syncs() const
{
    std::vector<std::size_t> syncs;
    for (std::size_t i = 0; i < m_operations.size(); ++i)
        if (m_operations[i].kind == DiskRecord::Sync)
            syncs.push_back(i);
    return syncs;
}

std::size_t DiskHistory::nextSync(std::size_t sync) const
{
    for (std::size_t i = sync + 1; i < m_operations.size(); ++i)
        if (m_operations[i].kind == DiskRecord::Sync && m_operations[i].node == m_operations[sync].node)
            return i;
    return m_operations.size();
}

bool DiskHistory::bringsSomething(std::size_t sync) const
{
    const Node node = m_operations[sync].node;
    for (std::size_t i = sync; i-- > 0;) {
        const auto& operation = m_operations[i];
        if (operation.kind == DiskRecord::Sync && operation.node == node)
            return false;
        // Locks and shared memory are made anew where they are missing.
        const auto& name = m_paths[operation.node];
        if (isName(operation.kind) && (name.ends_with(".lock") || name.ends_with("-shm")))
            continue;
        if (isName(operation.kind) ? folderOf(operation) == node
                                   : isData(operation.kind) && operation.node == node)
            return true;
    }
    return false;
}

std::string DiskHistory::describe(std::size_t index) const
{
    static const char* words[] = {"create", "write", "truncate",      "flush",      "rename",
                                  "unlink", "mkdir", "remove folder", "acknowledge"};
    const auto& operation = m_operations[index];
    if (operation.kind == DiskRecord::Note)
        return "acknowledge " + operation.data;
    return std::string(words[operation.kind]) + " " + m_paths[operation.node];
}

} // namespace assay::tests
