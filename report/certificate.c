/* SPDX-License-Identifier: MIT */
/*
 * certificate.c - see certificate.h.
 */
#include "certificate.h"

#include <errno.h>
#include <string.h>

#include "json.h"

enum { RULE, REQUIRED, MEASURED, RESULT, REASON, COLUMNS };

static const struct column columns[COLUMNS] = {
	[RULE] = {.name = "rule", .title = "Rule", .left = true, .fold = true},
	[REQUIRED] = {.name = "required", .title = "Required", .left = true, .fold = true},
	[MEASURED] = {.name = "measured", .title = "Measured", .left = true, .fold = true},
	[RESULT] = {.name = "result", .title = "Result", .left = true},
	/* In sentences below the table, where there is room for them. */
	[REASON] = {.name = "reason", .title = "Reason", .left = true, .machine_only = true},
};

static enum tone tone_of(enum outcome outcome)
{
	return outcome == OUTCOME_PASS ? TONE_GOOD
	       : outcome == OUTCOME_FAIL ? TONE_BAD
					 : TONE_PLAIN;
}

static void fill(struct table *table, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->count; i++) {
		const struct ruling *ruling = &verdict->rulings[i];

		table_row(table);
		table_text(table, RULE, ruling->rule);
		table_text(table, REQUIRED, ruling->required);
		table_text(table, MEASURED, ruling->measured);
		table_text(table, RESULT, outcome_name(ruling->outcome));
		table_tone(table, RESULT, tone_of(ruling->outcome));
		table_text(table, REASON, ruling->reason);
	}
}

static const char *meaning(const struct verdict *verdict)
{
	switch (verdict_outcome(verdict)) {
	case OUTCOME_FAIL:
		return "A rule is broken: see below which, and by what figures.";
	case OUTCOME_INCONCLUSIVE:
		return "No rule is certainly broken, and not all are certainly kept: more rounds, "
		       "or what the reasons below name, would tell.";
	default:
		return verdict->integrity_only
			       ? "Every phase ended and the numbers come from the device. Nothing "
				 "was required of its speed: --require and --baseline do that."
			       : "Every rule is kept.";
	}
}

void certificate_add(struct document *document, const struct verdict *verdict)
{
	char title[100], name[400];

	snprintf(title, sizeof(title), "Verdict: %s", verdict_words(verdict));
	document_title(document, title);
	document_tone(document, tone_of(verdict_outcome(verdict)));
	document_paragraph(document, meaning(verdict));
	document_heading(document, "Rules");
	fill(document_table(document, NULL, columns, COLUMNS), verdict);
	table_caption(&document->blocks[document->count - 1].table, "Rules and what came of them");
	for (size_t i = 0; i < verdict->count; i++) {
		const struct ruling *ruling = &verdict->rulings[i];

		if (!*ruling->reason)
			continue;
		snprintf(name, sizeof(name), "%s: %s", outcome_name(ruling->outcome), ruling->rule);
		document_fact(document, name, ruling->reason);
	}
}

static void add_rule(struct json *json, const struct ruling *ruling)
{
	json_object_open(json, false);
	json_key(json, "rule");
	json_text(json, ruling->rule);
	json_key(json, "required");
	json_text(json, ruling->required);
	json_key(json, "measured");
	json_text(json, ruling->measured);
	json_key(json, "result");
	json_text(json, outcome_name(ruling->outcome));
	json_key(json, "reason");
	json_text(json, ruling->reason);
	json_object_close(json);
}

int certificate_json(const struct archived_run *runs, size_t count, const struct verdict *verdict,
		     FILE *out, struct err *err)
{
	struct json json;

	json_init(&json, out);
	json_object_open(&json, true);
	json_key(&json, "verdict");
	json_text(&json, outcome_name(verdict_outcome(verdict)));
	json_key(&json, "integrity_only");
	json_bool(&json, verdict->integrity_only);
	json_key(&json, "rules");
	json_array_open(&json, true);
	for (size_t i = 0; i < verdict->count; i++)
		add_rule(&json, &verdict->rulings[i]);
	json_array_close(&json);
	json_key(&json, "runs");
	json_array_open(&json, false);
	for (size_t i = 0; i < count; i++)
		json_integer(&json, runs[i].run.id);
	json_array_close(&json);
	json_object_close(&json);
	json_end(&json);
	return ferror(out) ? err_set(err, -EIO, "write the certificate: %s", strerror(errno)) : 0;
}

int certificate_csv(const struct verdict *verdict, const struct format_options *options, FILE *out,
		    struct err *err)
{
	struct document document = {0};
	int code;

	fill(document_table(&document, NULL, columns, COLUMNS), verdict);
	code = format_csv.render(&document, options, out, err);
	document_release(&document);
	return code;
}
