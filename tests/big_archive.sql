-- SPDX-License-Identifier: MIT
--
-- big_archive.sql - makes an archive with one run one of 10,001 runs and two million results: the
-- run that is there lends its points, facts and histograms.

PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;
BEGIN;

CREATE TEMP TABLE n AS
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000) SELECT i FROM c;
CREATE TEMP TABLE lender AS SELECT min(run_id) AS id FROM run;

INSERT INTO run (run_id, uuid, series, round, source, version, status, profile, target, command,
	seed,
	started_at)
SELECT 1000 + i, printf('%08x-0000-4000-8000-%012x', i, i),
	printf('%08x-0000-4000-8000-000000000000', i / 20), 1 + i / 4 % 5, 'assay', '0.1.0',
	'complete',
	'quick', '/srv', 'assay run', '1', '2026-01-01T00:00:00.000Z'
FROM n;

-- Facts: those of the lender, as many again, and a few that vary.
INSERT INTO fact_name (name, class) SELECT 'filler_' || i, 'setting' FROM n WHERE i <= 60;
INSERT INTO fact_name (name, class) VALUES ('scheduler', 'setting'), ('kernel', 'identity')
ON CONFLICT DO NOTHING;
INSERT INTO run_fact (run_id, fact_name_id, value)
SELECT 1000 + i, fact_name_id, CASE name
	WHEN 'scheduler' THEN CASE i % 4 WHEN 0 THEN 'none' WHEN 1 THEN 'bfq' WHEN 2 THEN 'kyber'
		ELSE 'mq-deadline' END
	WHEN 'kernel' THEN '6.' || (i % 4 + i / 3000)
	WHEN 'load_average' THEN i / 7.0
	WHEN 'uptime_ns' THEN i * 1000000
	ELSE value END
FROM n CROSS JOIN (
	SELECT fact_name_id, name, value FROM run_fact JOIN fact_name USING (fact_name_id)
	WHERE run_id = (SELECT id FROM lender) AND name NOT IN ('scheduler', 'kernel')
	UNION ALL
	SELECT fact_name_id, name, 'the same' FROM fact_name
	WHERE name LIKE 'filler_%' OR name IN ('scheduler', 'kernel'));

-- Ten measurements of twenty values each, two of them headline, with a histogram.
CREATE TEMP TABLE p AS
SELECT row_number() OVER () AS k, point_id
FROM (SELECT DISTINCT point_id FROM measurement LIMIT 10);
CREATE TEMP TABLE o AS SELECT operation_id FROM operation WHERE name = 'read';
INSERT INTO measurement (measurement_id, run_id, point_id, status, started_at, elapsed_ns)
SELECT 1000000 + i * 10 + k, 1000 + i, point_id, 'ok', '2026-01-01T00:00:00.000Z', 1000000000
FROM n CROSS JOIN p;
INSERT INTO metric_value (measurement_id, position, operation_id, metric_id, headline, value)
SELECT 1000000 + i * 10 + k, m.position, (SELECT operation_id FROM o), metric_id,
	name IN ('rate', 'latency_p99'), 1000 + 10 * k + (i * 7919 % 101)
FROM n CROSS JOIN p CROSS JOIN (
	SELECT row_number() OVER (ORDER BY metric_id) AS position, metric_id, name
	FROM metric ORDER BY metric_id LIMIT 20) AS m;
INSERT INTO histogram (measurement_id, position, operation_id, latency_ns)
SELECT 1000000 + i * 10 + k, 0, (SELECT operation_id FROM o),
	(SELECT latency_ns FROM histogram ORDER BY length(latency_ns) DESC LIMIT 1)
FROM n CROSS JOIN p;
COMMIT;
