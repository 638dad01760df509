#include "core/base/clock.h"
#include "core/store/migrations.h"
#include "core/store/run_rows.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "core/store/sqlite/process_identity.h"

#include <algorithm>

namespace assay {

namespace {

class SqliteRunEditor final : public RunEditor
{
public:
    SqliteRunEditor(const StorePlace& place, std::unique_ptr<Database> database)
        : m_database(std::move(database))
        , m_role(place.folder)
    {}

    ~SqliteRunEditor() override
    {
        // A trainer that was killed leaves its log; whoever comes next tidies up.
        static_cast<void>(guarded([&] { m_role.finish(*m_database); }));
    }

    Status postControl(const RunId& run, Control control) override
    {
        return guarded([&] {
            m_database->run("INSERT INTO controls (run, control, at_ms) VALUES (?, ?, ?)",
                            runNumber(*m_database, run), controlId(control), nowMilliseconds());
        });
    }

    Result<std::vector<RunId>> sweepInterrupted() override
    {
        return guarded([&] {
            std::vector<RunId> gone;
            Transaction transaction(*m_database);
            {
                Statement s =
                    m_database->prepare("SELECT id, host, boot_id, process, process_start, heartbeat_ms FROM "
                                        "runs WHERE status IN ('running', 'paused')");
                while (s.step()) {
                    if (isGone({s.text(1), s.text(2), s.integer(3), s.integer(4)}, s.integer(5)))
                        gone.push_back(s.text(0));
                }
            }
            for (const auto& id : gone)
                m_database->run(
                    "UPDATE runs SET status = 'interrupted', ended_ms = heartbeat_ms WHERE id = ?", id);
            transaction.commit();
            return gone;
        });
    }

    Result<RunEdit> apply(const RunEdit& edit) override
    {
        TRY(auto inverses, applyAll({&edit, 1}));
        return std::move(inverses.front());
    }

    Result<std::vector<RunEdit>> applyAll(std::span<const RunEdit> edits) override
    {
        return guarded([&] {
            std::vector<RunEdit> inverses;
            Transaction transaction(*m_database);
            for (const auto& edit : edits)
                inverses.push_back(applyFields(runNumber(*m_database, edit.run), edit));
            transaction.commit();
            // One run may be edited twice: what was done last is taken back first.
            std::reverse(inverses.begin(), inverses.end());
            return inverses;
        });
    }

    Status saveDraft(const std::string& name, const std::string& configJson) override
    {
        return guarded([&] {
            if (configJson.empty())
                m_database->run("DELETE FROM drafts WHERE name = ?", name);
            else
                m_database->run("INSERT OR REPLACE INTO drafts (name, config, changed_ms) VALUES (?, ?, ?)",
                                name, configJson, nowMilliseconds());
        });
    }

    Result<std::string> draft(const std::string& name) override
    {
        return guarded([&] { return m_database->text("SELECT config FROM drafts WHERE name = ?", name); });
    }

private:
    RunEdit applyFields(std::int64_t run, const RunEdit& edit);
    void setTime(std::int64_t run, const char* column, bool set);
    void remove(const RunId& id, std::int64_t run, bool remove);
    std::vector<std::string> replaceTags(std::int64_t run, const std::vector<std::string>& tags);
    std::vector<std::string> addTags(std::int64_t run, const std::vector<std::string>& tags);
    std::vector<std::string> removeTags(std::int64_t run, const std::vector<std::string>& tags);

    std::unique_ptr<Database> m_database;
    CheckpointRole m_role;
};

RunEdit SqliteRunEditor::applyFields(std::int64_t run, const RunEdit& edit)
{
    RunEdit inverse;
    inverse.run = edit.run;
    if (edit.name) {
        if (edit.name->empty())
            throw StoreFailure({ErrorCode::Usage, "a run needs a name", edit.run});
        inverse.name = m_database->text("SELECT name FROM runs WHERE number = ?", run);
        m_database->run("UPDATE runs SET name = ? WHERE number = ?", *edit.name, run);
    }
    if (edit.note) {
        inverse.note = m_database->text("SELECT note FROM runs WHERE number = ?", run);
        m_database->run("UPDATE runs SET note = ? WHERE number = ?", *edit.note, run);
    }
    if (edit.tags)
        inverse.tags = replaceTags(run, *edit.tags);
    const auto added = addTags(run, edit.addTags), removed = removeTags(run, edit.removeTags);
    if (!edit.tags) { // else the old set says it all
        inverse.removeTags = added;
        inverse.addTags = removed;
    }
    if (edit.archived) {
        inverse.archived =
            m_database->integer("SELECT archived_ms IS NOT NULL FROM runs WHERE number = ?", run) != 0;
        setTime(run, "archived_ms", *edit.archived);
    }
    if (edit.deleted) {
        inverse.deleted =
            m_database->integer("SELECT deleted_ms IS NOT NULL FROM runs WHERE number = ?", run) != 0;
        remove(edit.run, run, *edit.deleted);
    }
    return inverse;
}

void SqliteRunEditor::setTime(std::int64_t run, const char* column, bool set)
{
    const auto time = set ? std::optional(nowMilliseconds()) : std::nullopt;
    m_database->run(std::string("UPDATE runs SET ") + column + " = ? WHERE number = ?", time, run);
}

void SqliteRunEditor::remove(const RunId& id, std::int64_t run, bool remove)
{
    // A run nobody sees would go on computing, and nobody could stop it.
    if (remove &&
        m_database->integer("SELECT status IN ('running', 'paused') FROM runs WHERE number = ?", run) != 0)
        throw StoreFailure({ErrorCode::Usage, "a run in progress cannot be deleted", id, "Stop it first"});
    setTime(run, "deleted_ms", remove);
}

std::vector<std::string> SqliteRunEditor::addTags(std::int64_t run, const std::vector<std::string>& tags)
{
    std::vector<std::string> added;
    for (const auto& tag : tags) {
        if (tag.empty() ||
            m_database->integer("SELECT count(*) FROM tags WHERE run = ? AND tag = ?", run, tag) != 0)
            continue;
        m_database->run("INSERT INTO tags (run, tag) VALUES (?, ?)", run, tag);
        added.push_back(tag);
    }
    return added;
}

std::vector<std::string> SqliteRunEditor::removeTags(std::int64_t run, const std::vector<std::string>& tags)
{
    std::vector<std::string> removed;
    for (const auto& tag : tags) {
        if (m_database->integer("SELECT count(*) FROM tags WHERE run = ? AND tag = ?", run, tag) == 0)
            continue;
        m_database->run("DELETE FROM tags WHERE run = ? AND tag = ?", run, tag);
        removed.push_back(tag);
    }
    return removed;
}

std::vector<std::string> SqliteRunEditor::replaceTags(std::int64_t run, const std::vector<std::string>& tags)
{
    std::vector<std::string> old;
    {
        Statement statement = m_database->prepare("SELECT tag FROM tags WHERE run = ? ORDER BY tag");
        statement.bind(run);
        while (statement.step())
            old.push_back(statement.text(0));
    }
    m_database->run("DELETE FROM tags WHERE run = ?", run);
    for (const auto& tag : tags)
        if (!tag.empty())
            m_database->run("INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)", run, tag);
    return old;
}

} // namespace

Result<std::unique_ptr<RunEditor>> RunEditor::open(const StorePlace& place)
{
    return guarded([&]() -> std::unique_ptr<RunEditor> {
        return std::make_unique<SqliteRunEditor>(place, openForWriting(place));
    });
}

} // namespace assay
