/* SPDX-License-Identifier: MIT */
/*
 * evidence.h - where the numbers of a measurement came from, judged: every flag but those about
 * syncs (durability.h).
 *
 * What was seen before, during and after the timed part is gathered elsewhere (witness.h) into a
 * plain struct. Judging is a pure function of it and of what the measurement already holds
 * (metrics, samples), so recorded evidence tests each flag.
 *
 * Nothing is passed over as if it were well: a check that concerns the point and cannot be made,
 * because something could not be seen, is named in one more flag, the note `unchecked`.
 */
#ifndef ASSAY_SUITE_EVIDENCE_H
#define ASSAY_SUITE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "hollow.h"
#include "measurement.h"
#include "phase.h"

enum { EVIDENCE_NAMES_MAX = 200, EVIDENCE_WHY_MAX = 200 };

/* What was asked of the target, and what the load did inside the timed part. */
struct evidence_load {
	bool steady;        /* MODEL_STEADY, else passes */
	enum phase_traffic traffic;
	bool direct;        /* direct I/O was asked for */
	bool reads, writes; /* in the target's data */
	bool cold;          /* no cache holds what it is going to read */
	bool revisits;      /* it may read again what it has read */
	bool to_cache;      /* its writes return before the device has them */
	bool swings;        /* its rate rises and falls by design */
	bool moves_nothing; /* what it measures is the harness */
	bool ended_early;   /* before the end of its window */
	uint64_t elapsed_ns;
	unsigned workers;
	uint64_t requests, read_bytes, write_bytes;
	uint64_t edge_bytes;       /* most that was in flight at the edges of the window */
	uint64_t aside_bytes;      /* most that read-ahead and a journal add, not being others' */
	uint64_t data_set_bytes;   /* 0: it has none */
	unsigned compressible;     /* percent of what it writes */
};

/* What the target is. */
struct evidence_target {
	char devices[EVIDENCE_NAMES_MAX]; /* names: "vda", "sda, sdb" */
	bool files;              /* a directory, not a device */
	bool copies_on_write;    /* overwriting adds traffic of the filesystem's own */
	bool compresses;
	char buffered_loop[NAME_MAX_BYTES]; /* goes through the page cache to its file; "": none */
	char limits[EVIDENCE_NAMES_MAX]; /* of the control group: "vda rbps=1048576"; "": none */
	bool limits_known;
	bool reads_limited, writes_limited;
	uint64_t memory_bytes; /* that can hold the data set; 0: not known */
	/* What went through the page cache of a trial of direct I/O. */
	bool bypass_known;
	uint64_t bypass_bytes, bypass_read_cached_bytes, bypass_write_cached_bytes;
	struct hollow hollow; /* of a device, before the load */
};

/* What its devices counted, over as much time as lies between the readings. */
struct evidence_devices {
	bool known;
	char gap[EVIDENCE_WHY_MAX]; /* why not */
	uint64_t counted_ns;
	uint64_t requests, read_bytes, write_bytes; /* sent to them by the target */
	uint64_t other_bytes; /* by the rest of the same disks */
	bool below_known;     /* of a loop device: what the disks under its file read */
	uint64_t below_read_bytes;
};

struct evidence_cpu {
	double worker_percent; /* of one CPU, the busiest worker; NAN */
	double wanted_percent; /* the same with the time it waited for a CPU; NAN */
	unsigned cpus;         /* of the machine; 0: not known */
};

struct evidence_clock {
	bool known; /* the differences */
	int64_t suspended_ns;   /* what CLOCK_BOOTTIME gained on CLOCK_MONOTONIC */
	int64_t stepped_ns;     /* what CLOCK_REALTIME gained on it */
	double drift;           /* of CLOCK_MONOTONIC against the hardware's, a fraction */
	char source[NAME_MAX_BYTES];       /* "": not known */
	char source_after[NAME_MAX_BYTES];
	double cost_ns;         /* of a reading; NAN */
};

/* What went on before the load: background.h. */
struct evidence_background {
	bool known;
	char what[EVIDENCE_NAMES_MAX * 2]; /* "" when there was nothing */
	char unseen[EVIDENCE_WHY_MAX]; /* what could not be looked for; "" */
};

/* Passes, in order. */
struct evidence_passes {
	const double *rates; /* of each */
	size_t count;
};

struct evidence {
	struct evidence_load load;
	struct evidence_target target;
	struct evidence_devices devices;
	struct evidence_cpu cpu;
	struct phase_reach reach;
	struct evidence_clock clock;
	struct evidence_background background;
	struct evidence_passes passes;
};

/* How many requests the suite kept in flight, over all classes of them; 0 where that was not
 * measured. */
double evidence_depth(const struct measurement *measurement);

/* Raises the flags that are due. Uses of the measurement: cpu_busy, cpu_steal, queue_depth,
 * device_queue_depth, the mean latencies, and the samples. */
void evidence_judge(const struct evidence *evidence, struct measurement *measurement);

#endif
