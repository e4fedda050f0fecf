/*
 * Between the files that read an event string; nobody else includes it.
 */
#ifndef CONFIG_EVENTS_GRAMMAR_H
#define CONFIG_EVENTS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "config/events/event.h"
#include "config/text/scan.h"

#define GRAMMAR_PMU_MAX 64

/* What is known of an event beyond its struct until its group is complete. */
struct draft {
	size_t at;	    /* where it stands in the text */
	size_t length;	    /* of its kind, which is its name without modifiers */
	unsigned modifiers; /* modifiers.h's bits; a group's are added to its members', as perf does
			     */
	bool named;	    /* by name=…, which modifiers do not change */
	bool leads;
	bool open_terms;	   /* the kind itself took the '/' before its terms */
	char pmu[GRAMMAR_PMU_MAX]; /* whose terms it has; empty: no PMU's */
};

struct parser {
	struct scan scan;
	struct events *events;
	struct draft draft[EVENTS_MAX];
};

/* Read what is counted.  Sets draft->at and length.  kind.c */
int kind_parse(struct parser *parser, struct event *event, struct draft *draft);

/* mem:…, uprobe:…, kprobe:…; true in *taken if the text begins one.  probe_events.c */
int probe_events_parse(struct parser *parser, struct event *event, bool *taken);

/* A PMU's name before '/', and a tracepoint's after ':'.  pmu.c */
int pmu_parse(struct parser *parser, struct event *event, struct draft *draft);
int pmu_parse_tracepoint(struct parser *parser, struct event *event);

/* One term of a PMU that is none of ours: `length` bytes at the cursor, with its value if it has
 * one.  pmu.c */
int pmu_term(struct parser *parser, struct event *event, const struct draft *draft, size_t length);

/* Terms up to the closing '/', whose opening one was read.  terms.c */
int terms_parse(struct parser *parser, struct event *event, struct draft *draft);

/* Modifiers behind ':' or '/'; and what they say, once the group's are known.  modifiers.c */
int modifiers_parse(struct parser *parser, unsigned *modifiers);
void modifiers_apply(struct event *event, unsigned modifiers);
void modifiers_text(unsigned modifiers, char *text, size_t bytes);

#endif
