#include "core/store/migrations.h"
#include "core/store/run_rows.h"
#include "core/store/run_store.h"
#include "core/store/sqlite/checkpoint_role.h"
#include "core/store/sqlite/clock.h"
#include "core/store/sqlite/process_identity.h"

namespace assay {

namespace {

/// A run on another host cannot be looked at; after this much silence it counts as interrupted.
constexpr std::int64_t kSilenceMilliseconds = 3'600'000;

const char* controlWord(Control control)
{
    switch (control) {
    case Control::Pause:
        return "pause";
    case Control::Resume:
        return "resume";
    case Control::Stop:
        return "stop";
    case Control::EvaluateNow:
        return "evaluate-now";
    }
    return "stop";
}

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
                            runNumber(*m_database, run), controlWord(control), nowMilliseconds());
        });
    }

    Result<std::vector<RunId>> sweepInterrupted() override
    {
        return guarded([&] {
            std::vector<RunId> gone;
            const std::int64_t now = nowMilliseconds();
            Transaction transaction(*m_database);
            {
                Statement s =
                    m_database->prepare("SELECT id, host, boot_id, process, process_start, heartbeat_ms FROM "
                                        "runs WHERE status IN ('running', 'paused')");
                while (s.step()) {
                    const auto state = liveness({s.text(1), s.text(2), s.integer(3), s.integer(4)});
                    const bool silent = now - s.integer(5) > kSilenceMilliseconds;
                    if (state == Liveness::Gone || (state == Liveness::Unknown && silent))
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

private:
    std::unique_ptr<Database> m_database;
    CheckpointRole m_role;
};

} // namespace

Result<std::unique_ptr<RunEditor>> RunEditor::open(const StorePlace& place)
{
    return guarded([&]() -> std::unique_ptr<RunEditor> {
        return std::make_unique<SqliteRunEditor>(place, openForWriting(place));
    });
}

} // namespace assay
