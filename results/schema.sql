-- SPDX-License-Identifier: MIT
--
-- schema.sql - version 1 of the archive: the first migration step, applied to an empty file.
--
-- Normalised: what repeats in every run (phases, points, operations, metrics, names of facts)
-- stands once and is referred to by number, so that millions of values stay small and quick.
-- NULL is always "there is none". Times are ISO 8601 in UTC with milliseconds. Counters of 64
-- unsigned bits are kept in SQLite's signed integers bit by bit; none reaches 2^63 in practice.
-- A position keeps the order in which the items of a list were recorded.
--
-- The views `runs` and `results` at the end are a public interface; the tables are not.

CREATE TABLE run (
	run_id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, not even after a deletion
	uuid TEXT NOT NULL UNIQUE,
	series TEXT,              -- UUID the runs of one command share
	round INTEGER NOT NULL,   -- from 1
	source TEXT,              -- "assay", or the program an imported run came from
	version TEXT,             -- of that program
	status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'failed', 'interrupted')),
	label TEXT,
	profile TEXT,
	target TEXT,
	command TEXT,
	seed TEXT,                -- 64 unsigned bits in decimal
	started_at TEXT NOT NULL,
	finished_at TEXT          -- of an interrupted run: when it was last known to be alive
) STRICT;
CREATE INDEX run_by_label ON run (label);
CREATE INDEX run_by_series ON run (series);

CREATE TABLE fact_name (
	fact_name_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	class TEXT NOT NULL       -- identity and setting confound a comparison, the others do not
) STRICT;

CREATE TABLE run_fact (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	fact_name_id INTEGER NOT NULL REFERENCES fact_name,
	value ANY NOT NULL,       -- in the base unit its name ends with
	PRIMARY KEY (run_id, fact_name_id)
) STRICT, WITHOUT ROWID;
-- Groups of a comparison: the runs of each value of a fact.
CREATE INDEX run_fact_by_value ON run_fact (fact_name_id, value);

CREATE TABLE run_tag (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_tag_by_value ON run_tag (name, value);

CREATE TABLE run_note (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	position INTEGER NOT NULL,
	noted_at TEXT NOT NULL,
	note TEXT NOT NULL,
	PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

-- Where an imported run came from.
CREATE TABLE origin (
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	program TEXT NOT NULL,
	version TEXT,
	content_hash TEXT NOT NULL, -- "ALGORITHM:HEX" of the part of original that is this run
	imported_at TEXT NOT NULL,
	original BLOB NOT NULL,     -- its part of the text as it was read, and what stood around it
	unmapped TEXT NOT NULL        -- JSON array of what has no place here
) STRICT;
CREATE INDEX origin_by_content_hash ON origin (content_hash);

CREATE TABLE phase (
	phase_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- A phase at one value of each parameter. The JSON is canonical: an object, names sorted bytewise,
-- numbers in base units, no blanks; so that equal points are the same row.
CREATE TABLE point (
	point_id INTEGER PRIMARY KEY,
	phase_id INTEGER NOT NULL REFERENCES phase,
	parameters TEXT NOT NULL,
	UNIQUE (phase_id, parameters)
) STRICT;

CREATE TABLE operation (
	operation_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE -- "all" for what belongs to the whole measurement
) STRICT;

CREATE TABLE metric (
	metric_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	unit TEXT NOT NULL,       -- "count" for how many, which the views and exports show as ""
	better TEXT NOT NULL CHECK (better IN ('higher', 'lower', 'neither')),
	UNIQUE (name, unit, better)
) STRICT;

CREATE TABLE measurement (
	measurement_id INTEGER PRIMARY KEY AUTOINCREMENT,
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	point_id INTEGER NOT NULL REFERENCES point,
	status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'skipped')),
	message TEXT,             -- why it failed or was skipped, or a remark
	started_at TEXT,
	elapsed_ns INTEGER        -- of the timed part
) STRICT;
CREATE INDEX measurement_by_run ON measurement (run_id, point_id, status);
CREATE INDEX measurement_by_point ON measurement (point_id);

CREATE TABLE metric_value (
	measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
	position INTEGER NOT NULL,
	operation_id INTEGER NOT NULL REFERENCES operation,
	metric_id INTEGER NOT NULL REFERENCES metric,
	headline INTEGER NOT NULL CHECK (headline IN (0, 1)),
	value REAL,               -- in metric.unit
	PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;
-- Everything a comparison of headline values needs, a tenth of the table.
CREATE INDEX metric_value_headline
	ON metric_value (measurement_id, headline, operation_id, metric_id, value)
	WHERE headline = 1;

CREATE TABLE histogram (
	measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
	position INTEGER NOT NULL,
	operation_id INTEGER NOT NULL REFERENCES operation,
	latency_ns BLOB NOT NULL, -- the whole histogram, as histogram_encode writes it
	PRIMARY KEY (measurement_id, position)
) STRICT;

CREATE TABLE sample (
	measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
	position INTEGER NOT NULL,
	operation_id INTEGER NOT NULL REFERENCES operation,
	at_ns INTEGER NOT NULL,   -- start of the interval since the start of the measurement
	operation_count INTEGER NOT NULL,
	moved_bytes INTEGER NOT NULL,
	latency_p99_ns REAL,
	latency_max_ns REAL,
	PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_use (
	measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
	position INTEGER NOT NULL,
	name TEXT NOT NULL,
	read_count INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	write_count INTEGER NOT NULL,
	write_bytes INTEGER NOT NULL,
	flush_count INTEGER NOT NULL,
	busy_ns INTEGER NOT NULL,
	queue_ns INTEGER NOT NULL, -- summed over requests
	PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE flag (
	measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
	position INTEGER NOT NULL,
	code TEXT NOT NULL,
	severity TEXT NOT NULL CHECK (severity IN ('note', 'doubt', 'void')),
	message TEXT NOT NULL,
	PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;

-- Which measurements a comparison leaves out.
CREATE INDEX flag_void ON flag (measurement_id, severity) WHERE severity = 'void';

CREATE VIEW runs (run_id, uuid, series, round, source, started_at, finished_at, status, label,
	profile, host, kernel, target, filesystem, device, device_model, scheduler, version) AS
SELECT r.run_id, r.uuid, r.series, r.round, r.source, r.started_at, r.finished_at, r.status,
	r.label,
	r.profile,
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'host'),
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'kernel'),
	r.target,
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'filesystem'),
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'device'),
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'device_model'),
	(SELECT value FROM run_fact JOIN fact_name USING (fact_name_id)
		WHERE run_id = r.run_id AND name = 'scheduler'),
	r.version
FROM run AS r;

CREATE VIEW results (run_id, measurement_id, phase, operation, parameters, metric, value, unit,
	better, headline, flags) AS
SELECT m.run_id, m.measurement_id, phase.name, operation.name, point.parameters, metric.name,
	v.value,
	CASE metric.unit WHEN 'count' THEN '' ELSE metric.unit END,
	nullif(metric.better, 'neither'), v.headline,
	(SELECT group_concat(code, ',') FROM
		(SELECT code FROM flag WHERE measurement_id = m.measurement_id ORDER BY position))
FROM metric_value AS v
JOIN measurement AS m USING (measurement_id)
JOIN point USING (point_id)
JOIN phase USING (phase_id)
JOIN operation USING (operation_id)
JOIN metric USING (metric_id);
