/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line, declared once: parsing, --help and the manual's check come from
 * one table. Options mean the same in every command that takes them.
 */
#ifndef ASSAY_SUITE_OPTIONS_H
#define ASSAY_SUITE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "fact.h"

/* Which commands take an option: a command names the groups it takes. */
enum option_group {
	OPTIONS_COMMON = 1,   /* --help, --version */
	OPTIONS_ARCHIVE = 2,  /* --db */
	OPTIONS_REPORT = 4,   /* --format, -o */
	OPTIONS_LOAD = 8,     /* what run, certify and sweep take */
	OPTIONS_LABELS = 16,  /* --label, --tag, --fact, --note */
	OPTIONS_QUIET = 32,   /* -q */
	OPTIONS_YES = 64,     /* --yes */
	OPTIONS_UNTAG = 128,  /* --untag */
	OPTIONS_COMPARE = 512, /* what compare takes */
	OPTIONS_SWEEP = 1024, /* --axis, --resume */
	OPTIONS_CERTIFY = 2048 /* --require, --tolerance, --run */
};

/* Words in the order they were given; they point into argv. */
struct word_list {
	const char **items;
	size_t count;
};

/* A parameter that an option of its own sets for every phase that has it. */
struct override {
	const char *param, *text;
};

enum { OVERRIDES_MAX = 16 };

struct options {
	const char *db, *format, *output;
	bool quiet, yes, erase_signature;
	/* load */
	const char *profile, *phases, *wal_dir, *erase;
	struct word_list set;
	struct override overrides[OVERRIDES_MAX]; /* --size, --time, --io, ... */
	size_t override_count;
	uint64_t rounds;
	bool rounds_given;
	uint64_t seed;
	bool seed_given;
	uint64_t max_write_bytes; /* UINT64_MAX: no limit */
	uint64_t knee_ns;
	bool dry_run;
	/* sweep */
	struct word_list axes;
	bool resume;
	const char *profile_text; /* of a series that is resumed: its profile as it was */
	/* certify */
	struct word_list require;
	const char *run; /* judge this archived run */
	double tolerance_percent;
	/* compare */
	const char *by, *baseline, *metric, *phase, *only;
	double margin_percent;
	bool strict, all;
	/* labels */
	const char *label, *note;
	struct word_list tags, untags, facts;
	/* what is left: target, runs, files */
	struct word_list arguments;
	/* the whole line, quoted so that a shell reads it back */
	char *command_line;
};

struct command;

enum options_outcome { OPTIONS_GO_ON, OPTIONS_HELP, OPTIONS_VERSION };

/* Reads argv (argv[0] is the command's name). ERR_USAGE with a sentence; on OPTIONS_HELP and
 * OPTIONS_VERSION the rest is not looked at. The options point into argv. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv,
		  enum options_outcome *outcome, struct err *err);
void options_release(struct options *options);

/* Adds what --PARAM TEXT and --set WORD would. A copy of options made by assignment shares the
 * lists of the original until options_copy has made them its own. */
int options_override(struct options *options, const char *param, const char *text, struct err *err);
void options_add_set(struct options *options, const char *word);

/* A copy that can be added to; released by options_release_copy. */
struct options options_copy(const struct options *options);
void options_release_copy(struct options *copy);

/* Splits a command line as options_parse joined it: words that a shell would see the same. *argv
 * and what it points to are one block, the caller's to free. */
int options_unquote(const char *line, int *argc, char ***argv, struct err *err);

/* Prints the options of a command, two columns. */
void options_print(const struct command *command, FILE *out);

/* Calls visit for each option: its long name, its short letter or 0, its groups. */
void options_each(void (*visit)(void *context, const char *name, char letter, unsigned groups),
		  void *context);

/* Splits NAME=VALUE at the first '='. ERR_USAGE when there is none or a side is empty; name is a
 * copy, the caller's to free. */
int options_split(const char *word, const char *option, char **name, const char **value,
		  struct err *err);

/* Sets each NAME=VALUE among facts (or tags). ERR_USAGE likewise. */
int options_pairs(const struct word_list *words, const char *option, struct facts *facts,
		  struct err *err);

#endif
