-- SPDX-License-Identifier: MIT
--
-- big_archive.sql - makes an archive with one run one of 10,001 runs and two million results.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;
BEGIN;
-- The one real run lends its points, facts and histograms.
CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000) SELECT i FROM c;
CREATE TEMP TABLE template AS SELECT run_id AS id FROM run ORDER BY run_id LIMIT 1;
INSERT INTO run (run_id, uuid, series, round, source, version, status, label, profile, target, command, seed, started_at)
 SELECT 1000 + i, printf('%08x-0000-4000-8000-%012x', i, i), printf('%08x-0000-4000-8000-000000000000', i / 20), 1 + i / 4 % 5,
  'assay', '0.1.0', 'complete', NULL, 'quick', '/srv', 'assay run', '1', '2026-01-01T00:00:00.000Z' FROM n;
INSERT INTO fact_name (name, class) SELECT 'filler_' || i, 'setting' FROM n WHERE i <= 60;
INSERT INTO run_fact SELECT 1000 + i, fact_name_id, CASE name WHEN 'scheduler' THEN CASE i % 4 WHEN 0 THEN 'none' WHEN 1 THEN 'bfq' WHEN 2 THEN 'kyber' ELSE 'mq-deadline' END
  WHEN 'kernel' THEN '6.' || (i / 3000) WHEN 'load_average' THEN i / 7.0 WHEN 'uptime_ns' THEN i * 1000000 ELSE value END
 FROM n CROSS JOIN (SELECT fact_name_id, name, value FROM run_fact JOIN fact_name USING (fact_name_id) WHERE run_id = (SELECT id FROM template)
  UNION ALL SELECT fact_name_id, name, 'the same' FROM fact_name WHERE name LIKE 'filler_%');
-- Ten measurements of twenty values, two of them headline.
CREATE TEMP TABLE p AS SELECT row_number() OVER () AS k, point_id FROM (SELECT DISTINCT point_id FROM measurement LIMIT 10);
INSERT INTO measurement (measurement_id, run_id, point_id, status, started_at, elapsed_ns)
 SELECT 1000000 + i * 10 + k, 1000 + i, point_id, 'ok', '2026-01-01T00:00:00.000Z', 1000000000 FROM n CROSS JOIN p;
INSERT INTO metric_value SELECT 1000000 + i * 10 + k, m.r, (SELECT operation_id FROM operation WHERE name = 'read'), metric_id, name IN ('rate', 'latency_p99'), 1000 + 10 * k + (i * 7919 % 101)
 FROM n CROSS JOIN p CROSS JOIN (SELECT row_number() OVER (ORDER BY metric_id) AS r, metric_id, name FROM metric ORDER BY metric_id LIMIT 20) AS m;
INSERT INTO histogram SELECT 1000000 + i * 10 + k, 0, (SELECT operation_id FROM operation WHERE name = 'read'),
  (SELECT latency_ns FROM histogram ORDER BY length(latency_ns) DESC LIMIT 1) FROM n CROSS JOIN p;
COMMIT;
