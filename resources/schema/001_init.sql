-- The run store: one SQLite file you own. Reading it with SQL is invited; writing belongs to Assay.
--
-- Conventions
--   *_ms        milliseconds since 1970-01-01 UTC
--   *seconds    durations from a monotonic clock
--   REAL        NULL stands for NaN (SQLite cannot hold NaN); infinities are kept as they are
--   run         runs.number, the short key; runs.id is the one that people see
--   numbers in BLOBs are little-endian IEEE 754 doubles
-- PRAGMA application_id is 0x41535359 ("ASSY"); PRAGMA user_version is the number of the newest migration.

-- One row per run; everything the run table shows, so that a list of thousands needs no join.
CREATE TABLE runs (
    number              INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,          -- 12 lower-case hex characters
    name                TEXT NOT NULL,
    task                TEXT NOT NULL DEFAULT 'Steps',
    status              TEXT NOT NULL CHECK (status IN ('running', 'paused', 'finished', 'stopped', 'failed', 'interrupted')),
    backbone            TEXT NOT NULL DEFAULT '',
    data                TEXT NOT NULL DEFAULT '',
    device              TEXT NOT NULL DEFAULT '',
    created_ms          INTEGER NOT NULL,
    started_ms          INTEGER NOT NULL,
    ended_ms            INTEGER NOT NULL DEFAULT 0,    -- 0 = not ended
    seconds             REAL NOT NULL DEFAULT 0,       -- training and evaluation, over all attempts
    step                INTEGER NOT NULL DEFAULT 0,
    planned_steps       INTEGER NOT NULL DEFAULT 0,
    attempt             INTEGER NOT NULL DEFAULT 1,    -- the newest
    parent              TEXT NOT NULL DEFAULT '',      -- id of the run it was cloned from
    note                TEXT NOT NULL DEFAULT '',
    archived_ms         INTEGER,                       -- NULL = not archived
    deleted_ms          INTEGER,                       -- soft delete: NULL = not deleted
    error_text          TEXT NOT NULL DEFAULT '',
    last_evaluation     INTEGER,                       -- evaluations.id; its metrics are the run's
    headline_id         TEXT,                          -- metric of the run table; NULL = none yet
    headline_title      TEXT,
    headline_value      REAL,
    headline_low        REAL,
    headline_high       REAL,
    headline_baseline   REAL,                          -- best null baseline or base rate
    verdict_id          TEXT NOT NULL DEFAULT '',      -- labels-broken, no-signal, ...
    verdict_badge       TEXT NOT NULL DEFAULT '',      -- "always True: no signal"
    verdict_sentence    TEXT NOT NULL DEFAULT '',
    verdict_evidence    TEXT NOT NULL DEFAULT '',
    verdict_remedy      TEXT NOT NULL DEFAULT '',
    suggested_threshold REAL,
    -- Who writes it: a run is interrupted when this very process is gone.
    host                TEXT NOT NULL DEFAULT '',
    boot_id             TEXT NOT NULL DEFAULT '',
    process             INTEGER NOT NULL DEFAULT 0,
    process_start       INTEGER NOT NULL DEFAULT 0,    -- clock ticks after boot: tells a reused pid apart
    heartbeat_ms        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_created ON runs (created_ms);
CREATE INDEX runs_by_name ON runs (name);
CREATE INDEX runs_alive ON runs (status) WHERE status IN ('running', 'paused');

-- Configurations, stored once each by content.
CREATE TABLE configs (
    number INTEGER PRIMARY KEY,
    hash   TEXT NOT NULL UNIQUE,                       -- SHA-256 of json
    json   TEXT NOT NULL
);

-- Splits, stored once each by content: ids of examples, in order.
CREATE TABLE splits (
    number INTEGER PRIMARY KEY,
    hash   TEXT NOT NULL UNIQUE                        -- SHA-256 over both id lists
);
CREATE TABLE split_ids (
    split   INTEGER NOT NULL REFERENCES splits (number),
    side    TEXT NOT NULL CHECK (side IN ('train', 'evaluation')),
    ordinal INTEGER NOT NULL,                          -- 0-based
    example TEXT NOT NULL,                             -- content hash
    PRIMARY KEY (split, side, ordinal)
) WITHOUT ROWID;

-- Everything needed to repeat a run.
CREATE TABLE run_inputs (
    run                    INTEGER PRIMARY KEY REFERENCES runs (number),
    config                 INTEGER NOT NULL REFERENCES configs (number),
    split                  INTEGER REFERENCES splits (number),
    train_fingerprint      TEXT NOT NULL DEFAULT '',
    evaluation_fingerprint TEXT NOT NULL DEFAULT '',
    split_hash             TEXT NOT NULL DEFAULT '',
    tokenizer_hash         TEXT NOT NULL DEFAULT '',
    weights_hash           TEXT NOT NULL DEFAULT '',
    head_hash              TEXT NOT NULL DEFAULT '',
    build_id               TEXT NOT NULL DEFAULT '',
    device_description     TEXT NOT NULL DEFAULT '',
    dtype                  TEXT NOT NULL DEFAULT '',
    threads                INTEGER NOT NULL DEFAULT 0,
    train_examples         INTEGER NOT NULL DEFAULT 0,
    evaluation_examples    INTEGER NOT NULL DEFAULT 0,
    preflight_json         TEXT NOT NULL DEFAULT ''    -- report of the label checks
);

CREATE TABLE tags (
    run INTEGER NOT NULL REFERENCES runs (number),
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);

-- A run has one attempt, and one more for every resume. An attempt that starts from step s replaces what earlier
-- attempts computed after s; their rows stay.
CREATE TABLE attempts (
    run           INTEGER NOT NULL REFERENCES runs (number),
    attempt       INTEGER NOT NULL,                    -- 1 = first
    from_step     INTEGER NOT NULL,                    -- last step it takes over; its first own step is one more
    started_ms    INTEGER NOT NULL,
    ended_ms      INTEGER NOT NULL DEFAULT 0,
    seconds       REAL NOT NULL DEFAULT 0,
    host          TEXT NOT NULL DEFAULT '',
    boot_id       TEXT NOT NULL DEFAULT '',
    process       INTEGER NOT NULL DEFAULT 0,
    process_start INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, attempt)
) WITHOUT ROWID;

-- The newest optimiser steps, one row each. When an attempt has 4,096 of them they move into series_blocks.
CREATE TABLE step_rows (
    run               INTEGER NOT NULL REFERENCES runs (number),
    attempt           INTEGER NOT NULL,
    step              INTEGER NOT NULL,                -- 1 = first
    loss              REAL,                            -- sum over read-outs / count
    gradient_norm     REAL,                            -- before clipping
    learning_rate     REAL,
    tokens            INTEGER NOT NULL,                -- real tokens of the step
    computed_tokens   INTEGER NOT NULL,                -- after merging or padding
    examples          INTEGER NOT NULL,
    read_outs         INTEGER NOT NULL,
    seconds           REAL,
    data_wait         REAL,                            -- seconds
    clipped           INTEGER NOT NULL,
    skipped           INTEGER NOT NULL,                -- non-finite: the optimiser step was not taken
    PRIMARY KEY (run, attempt, step)
) WITHOUT ROWID;

-- Sealed steps: per block of at most 4,096 steps one row for every column of step_rows (series = its name), one for
-- `step` and one for `tokens_per_second`. Extremes and last are over the finite values; NULL = there is none.
CREATE TABLE series_blocks (
    id         INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES runs (number),
    series     TEXT NOT NULL,
    attempt    INTEGER NOT NULL,
    first_step INTEGER NOT NULL,
    last_step  INTEGER NOT NULL,
    points     INTEGER NOT NULL,
    non_finite INTEGER NOT NULL,                       -- points that are NaN or infinite
    minimum    REAL,
    maximum    REAL,
    last       REAL,
    UNIQUE (run, series, attempt, first_step)
);
-- The values of a block, and its pyramid, apart from the summaries so that an overview reads no BLOB.
CREATE TABLE series_values (
    block  INTEGER PRIMARY KEY REFERENCES series_blocks (id),
    chunks BLOB NOT NULL,  -- per 64 points: first step, last step, points, non-finite, minimum, maximum, last (doubles)
    data   BLOB NOT NULL   -- one double per point; a single double = all points equal (series step: counts up by one)
);

CREATE TABLE evaluations (
    id                  INTEGER PRIMARY KEY,
    run                 INTEGER NOT NULL REFERENCES runs (number),
    attempt             INTEGER NOT NULL,
    step                INTEGER NOT NULL,
    at_ms               INTEGER NOT NULL,
    seconds             REAL,
    loss                REAL,
    examples            INTEGER NOT NULL,
    read_outs           INTEGER NOT NULL,
    threshold           REAL,                          -- a step is wrong when its probability is below
    report_json         TEXT NOT NULL,                 -- metrics, tables, curves, findings
    verdict_id          TEXT NOT NULL DEFAULT '',
    verdict_badge       TEXT NOT NULL DEFAULT '',
    verdict_sentence    TEXT NOT NULL DEFAULT '',
    verdict_evidence    TEXT NOT NULL DEFAULT '',
    verdict_remedy      TEXT NOT NULL DEFAULT '',
    suggested_threshold REAL
);
CREATE INDEX evaluations_by_run ON evaluations (run, step);

CREATE TABLE metric_names (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,                       -- auroc, balanced_accuracy, ...
    title  TEXT NOT NULL
);
-- The metrics of report_json as rows.
CREATE TABLE metrics (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    metric     INTEGER NOT NULL REFERENCES metric_names (number),
    run        INTEGER NOT NULL REFERENCES runs (number),
    value      REAL,
    low        REAL,                                   -- 95 % interval
    high       REAL,
    chance     REAL,                                   -- what a constant reaches on the same labels
    reason     TEXT,                                   -- why there is no value; NULL = there is one
    PRIMARY KEY (evaluation, metric)
) WITHOUT ROWID;
CREATE INDEX metrics_by_run ON metrics (run, metric);

-- Findings of evaluations (evaluation set) and of the label checks before a run (evaluation NULL).
CREATE TABLE findings (
    id         INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES runs (number),
    evaluation INTEGER REFERENCES evaluations (id),
    finding    TEXT NOT NULL,                          -- stable: one-class-only, ...
    severity   TEXT NOT NULL CHECK (severity IN ('note', 'warning', 'red')),
    title      TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    number     REAL                                    -- the figure the rule looked at
);
CREATE INDEX findings_by_run ON findings (run);

-- The text of evaluated examples, stored once by content hash: last month's run opens although files moved.
CREATE TABLE examples (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,                       -- content hash
    prompt TEXT,                                       -- NULL = text not stored
    steps  TEXT,                                       -- JSON array of strings
    source TEXT NOT NULL DEFAULT '',                   -- file it was first seen in
    row    INTEGER NOT NULL DEFAULT 0                  -- 0-based row there
);

-- Order of the examples in an evaluation, as scored.
CREATE TABLE evaluation_examples (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    example    INTEGER NOT NULL REFERENCES examples (number),
    ordinal    INTEGER NOT NULL,                       -- 1 = first
    PRIMARY KEY (evaluation, example)
) WITHOUT ROWID;

CREATE TABLE predictions (
    evaluation  INTEGER NOT NULL REFERENCES evaluations (id),
    example     INTEGER NOT NULL REFERENCES examples (number),
    read_out    INTEGER NOT NULL,
    output      INTEGER NOT NULL,                      -- output of the head
    step        INTEGER NOT NULL,                      -- 0-based, -1 = whole row
    score       REAL,                                  -- raw head output
    probability REAL,                                  -- step probability
    label       REAL,                                  -- in [0, 1]; only a truth where supervised = 1
    supervised  INTEGER NOT NULL,
    PRIMARY KEY (evaluation, example, read_out, output)
) WITHOUT ROWID;

CREATE TABLE events (
    id    INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL REFERENCES runs (number),
    at_ms INTEGER NOT NULL,
    step  INTEGER NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('info', 'warning', 'error')),
    kind  TEXT NOT NULL,
    text  TEXT NOT NULL
);
CREATE INDEX events_by_run ON events (run, id);

-- A checkpoint has a row only when its files are complete and on disk.
CREATE TABLE checkpoints (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES runs (number),
    attempt       INTEGER NOT NULL,
    step          INTEGER NOT NULL,
    at_ms         INTEGER NOT NULL,
    bytes         INTEGER NOT NULL,
    path          TEXT NOT NULL,                       -- relative to the folder artefacts/
    manifest_hash TEXT NOT NULL,                       -- SHA-256 of the manifest, which has one per file
    final         INTEGER NOT NULL
);
CREATE INDEX checkpoints_by_run ON checkpoints (run, step);

-- Other files of a run: exports, reports.
CREATE TABLE artefacts (
    id    INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL REFERENCES runs (number),
    kind  TEXT NOT NULL,
    path  TEXT NOT NULL,                               -- relative to the folder artefacts/
    bytes INTEGER NOT NULL,
    hash  TEXT NOT NULL,                               -- SHA-256
    at_ms INTEGER NOT NULL
);
CREATE INDEX artefacts_by_run ON artefacts (run);

-- Pause, resume, stop, evaluate now: read by the trainer at micro-batch boundaries, whichever process it is in.
CREATE TABLE controls (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES runs (number),
    control  TEXT NOT NULL CHECK (control IN ('pause', 'resume', 'stop', 'evaluate-now')),
    at_ms    INTEGER NOT NULL,
    taken_ms INTEGER                                   -- NULL = pending
);
CREATE INDEX controls_pending ON controls (run, id) WHERE taken_ms IS NULL;

-- Experiments that are being written, saved as they change.
CREATE TABLE drafts (
    name       TEXT PRIMARY KEY,
    config     TEXT NOT NULL,
    changed_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- For people with an SQL prompt.
CREATE VIEW metric_rows AS
    SELECT r.id AS run, r.name AS name, e.id AS evaluation, e.step AS step, n.id AS metric, m.value AS value,
           m.low AS low, m.high AS high, m.chance AS chance, m.reason AS reason
    FROM metrics m JOIN metric_names n ON n.number = m.metric JOIN evaluations e ON e.id = m.evaluation
         JOIN runs r ON r.number = m.run;
CREATE VIEW prediction_rows AS
    SELECT r.id AS run, p.evaluation AS evaluation, x.id AS example, p.read_out AS read_out, p.step AS step,
           p.output AS output, p.score AS score, p.probability AS probability, p.label AS label,
           p.supervised AS supervised, x.prompt AS prompt, json_extract(x.steps, '$[' || p.step || ']') AS step_text
    FROM predictions p JOIN examples x ON x.number = p.example JOIN evaluations e ON e.id = p.evaluation
         JOIN runs r ON r.number = e.run;
