-- Of a pair both answers are scored whole: no step, and the read-out says which of the two.
DROP VIEW prediction_rows;
CREATE VIEW prediction_rows AS
    SELECT r.id AS run, p.evaluation AS evaluation, x.id AS example, p.read_out AS read_out, p.step AS step,
           p.output AS output, p.score AS score, p.probability AS probability, p.label AS label,
           p.supervised AS supervised, x.prompt AS prompt,
           json_extract(x.steps, '$[' || iif(p.step < 0, p.read_out, p.step) || ']') AS step_text
    FROM predictions p JOIN examples x ON x.number = p.example JOIN evaluations e ON e.id = p.evaluation
         JOIN runs r ON r.number = e.run;
