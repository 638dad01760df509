-- Evaluations on other data than the run's own held-out rows stand beside the run and never speak for it.
ALTER TABLE evaluations ADD COLUMN data TEXT NOT NULL DEFAULT '';             -- file; empty = the run's own rows
ALTER TABLE evaluations ADD COLUMN data_fingerprint TEXT NOT NULL DEFAULT ''; -- SHA-256 over the content ids

-- What speaks for a run: its own rows; what a later attempt computed again, or a later evaluation of the same step
-- replaced, is left out.
CREATE VIEW current_evaluations AS
    SELECT e.* FROM evaluations e
    WHERE e.data = ''
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.run = e.run AND a.attempt > e.attempt AND a.from_step < e.step)
      AND NOT EXISTS (SELECT 1 FROM evaluations l
                      WHERE l.run = e.run AND l.step = e.step AND l.data = '' AND l.id > e.id);
