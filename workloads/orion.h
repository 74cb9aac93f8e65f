/* SPDX-License-Identifier: MIT */
/*
 * orion.h - what the phases with Orion's loads share: small random requests, large random
 * requests or sequential streams, each kind kept at its number outstanding.
 *
 * A point is (num_small, num_large). Which points there are follows from the number of disks; how
 * the list of loads is thinned for many disks is said in orion_rule and kept with the run.
 */
#ifndef ASSAY_WORKLOADS_ORION_H
#define ASSAY_WORKLOADS_ORION_H

#include "pattern.h"
#include "phase.h"

extern const struct param param_num_small, param_num_large;
extern const struct param param_small_size, param_large_size;
extern const struct param param_large_type;
extern const struct param param_stream_io;
extern const struct param param_cache_size;
extern const struct param param_disks;
extern const struct param param_small_ramp, param_large_ramp;

/* What each of the phases takes besides. */
#define PARAMS_ORION                                                                               \
	{&param_engine, "auto"}, {&param_batch, "auto"}, {&param_io, "direct"},                    \
		{&param_size, "1g"}, {&param_files, "1"}, {&param_compressible, "0"},              \
		{&param_cpus, "any"}, {&param_disks, "auto"}

/* What the large class takes besides, in dss and mixed. */
#define PARAMS_LARGE                                                                               \
	{&param_num_large, "auto"}, {&param_large_size, "1m"}, {&param_large_type, "random"},      \
		{&param_stream_io, "4"}, {&param_cache_size, "0"}

extern const char orion_rule[];

/* The loads of a ramp to `per_disk` times the point's disks (or the target's), up to
 * ORION_LOADS_MAX of them; returns how many. */
enum { ORION_LOADS_MAX = 32 };
unsigned orion_loads(const struct point *point, const struct target *target, uint64_t per_disk,
		     uint64_t loads[ORION_LOADS_MAX]);

/* A point like this one with the named coordinate set. */
struct point orion_at(const struct point *point, const char *coordinate, uint64_t load);

/* Emits the point for each load of its ramp, or as it is when the coordinate has been set. */
int orion_expand_ramp(const struct point *point, const struct target *target,
		      const char *coordinate, const char *ramp, point_sink_fn emit, void *context,
		      struct err *err);

/* run->data of the three phases: a pattern for each class, NULL where its number is 0. */
struct orion {
	struct pattern *small, *large;
};

/* Indices of the class's parts among the phase's operations. */
struct orion_parts {
	unsigned read, write;
};

int orion_open(struct phase_run *run, struct err *err);
int orion_open_small(struct phase_run *run, struct orion_parts parts, const char *percent,
		     struct err *err);
int orion_open_large(struct phase_run *run, struct orion_parts parts, const char *percent,
		     struct err *err);
int orion_warm_cache(struct phase_run *run, const char *percent, struct err *err);
void orion_teardown(struct phase_run *run);

/* The role of each class. */
unsigned orion_small_workers(const struct phase_run *run);
unsigned orion_large_workers(const struct phase_run *run);
int orion_small_begin(struct worker *worker);
int orion_small_work(struct worker *worker);
int orion_small_end(struct worker *worker);
int orion_large_begin(struct worker *worker);
int orion_large_work(struct worker *worker);
int orion_large_end(struct worker *worker);

enum phase_traffic orion_traffic(const struct point *point);
void orion_cost(const struct point *point, const struct target *target, bool writes,
		struct phase_cost *cost);

/* Whether a class reads and writes both, so that its parts are worth telling. */
bool orion_is_mix(const struct point *point, const char *percent);

#endif
