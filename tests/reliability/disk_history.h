#pragma once

#include "tests/support/disk_shim/disk_shim.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::tests {

/// The files of a folder, by their path in it; a folder is a path that ends in "/".
using DiskState = std::map<std::string, std::string>;

void writeState(const DiskState& state, const std::filesystem::path& folder);

/// What a power cut does to what was not flushed: content of files and entries of folders are decided apart.
struct PowerCut
{
    enum class Data {
        Kept,    ///< written all the same
        Dropped, ///< as if never written
        Zeros,   ///< the file has grown, what stands there is zeros
        Last,    ///< only the last write of each file
        Torn,    ///< all, but of the last write of each file only half
        Random,  ///< any of them, some of them torn
    };
    enum class Names {
        Kept,
        Dropped,
        Random, ///< in every folder the first few
    };
    Data data = Data::Kept;
    Names names = Names::Kept;
    std::uint64_t seed = 0;

    std::string text() const;
};

/// A recorded history of a folder: every change in its order. Rebuilds what a disk may hold after a power cut
/// at any moment: what was flushed (fsync of the file for its content, of the folder for its names) is there,
/// of the rest anything.
class DiskHistory
{
public:
    DiskHistory(const std::filesystem::path& journal, const std::filesystem::path& root);

    /// Cuts are before operation 0, 1, ... size().
    std::size_t size() const { return m_operations.size(); }
    /// What was acknowledged before the cut.
    std::vector<std::string> notes(std::size_t cut) const;
    DiskState state(std::size_t cut, const PowerCut& power,
                    std::optional<std::size_t> ignoredSync = {}) const;
    /// Operations that flush.
    std::vector<std::size_t> syncs() const;
    /// The next flush of the same file or folder; size() = there is none.
    std::size_t nextSync(std::size_t sync) const;
    /// Whether anything was changed since the flush before it that it could bring to the disk.
    bool bringsSomething(std::size_t sync) const;
    /// "flush store/assay.db-wal".
    std::string describe(std::size_t operation) const;

private:
    using Node = std::size_t;
    struct Operation
    {
        DiskRecord::Kind kind = DiskRecord::Open;
        Node node = 0;       ///< the file or folder it is about
        Node from = 0;       ///< folder that loses a name
        Node into = 0;       ///< folder that gets a name
        std::string oldName; ///< in `from`
        std::string newName; ///< in `into`
        std::uint64_t offset = 0;
        std::string data;
    };
    struct Folder
    {
        std::map<std::string, Node> entries;
    };

    void add(const DiskRecord& record, const std::string& path, const std::string& target, std::string data);
    Node lookUp(const std::string& path, bool folder);
    std::pair<Node, std::string> placeOf(const std::string& path);
    /// The folder whose flush makes a change of names last.
    static Node folderOf(const Operation& change);
    void changeNames(std::map<Node, Folder>& folders, const Operation& operation) const;

    std::filesystem::path m_root;
    std::vector<Operation> m_operations;
    std::vector<bool> m_isFolder{true};     ///< by node; node 0 is the root
    std::vector<std::string> m_paths{"."};  ///< by node: its first path, for messages
    std::map<Node, Folder> m_live{{0, {}}}; ///< names as the recorded program saw them
    std::map<std::uint32_t, Node> m_handles;
};

} // namespace assay::tests
