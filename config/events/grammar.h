/* Shared by the files that parse an event string.  No other file includes it. */
#ifndef CONFIG_EVENTS_GRAMMAR_H
#define CONFIG_EVENTS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "config/events/event.h"
#include "config/text/scan.h"

#define GRAMMAR_PMU_MAX 64

/* The state of an event beyond its struct, until its group is complete. */
struct draft {
	size_t at;	    /* offset in the text */
	size_t length;	    /* length of the kind, which is the name without modifiers */
	unsigned modifiers; /* bits of modifiers.c; those of a group are added to its members',
			     * as in perf */
	bool named;	    /* by name=…, which modifiers do not change */
	bool leads;
	bool open_terms;	   /* the kind itself has read the '/' before its terms */
	char pmu[GRAMMAR_PMU_MAX]; /* the PMU whose terms it has; empty: no PMU */
};

struct parser {
	struct scan scan;
	struct events *events;
	struct draft draft[EVENTS_MAX];
};

/* Parse the kind of an event.  Sets draft->at and draft->length.  kind.c */
int kind_parse(struct parser *parser, struct event *event, struct draft *draft);

/* Parse mem:…, uprobe:… or kprobe:….  *taken is true if the text begins one.  probe_events.c */
int probe_events_parse(struct parser *parser, struct event *event, bool *taken);

/* Parse a PMU's name before '/', and a tracepoint's after ':'.  pmu.c */
int pmu_parse(struct parser *parser, struct event *event, struct draft *draft);
int pmu_parse_tracepoint(struct parser *parser, struct event *event);

/* Parse a PMU's own term: the name is the `length` bytes at the cursor, and may have a value.
 * pmu.c */
int pmu_term(struct parser *parser, struct event *event, const struct draft *draft, size_t length);

/* Parse terms up to the closing '/'.  The opening one was already read.  terms.c */
int terms_parse(struct parser *parser, struct event *event, struct draft *draft);

/* Parse modifiers after ':' or '/', and apply them when the group's are known.  modifiers.c */
int modifiers_parse(struct parser *parser, unsigned *modifiers);
void modifiers_apply(struct event *event, unsigned modifiers);
void modifiers_text(unsigned modifiers, char *text, size_t bytes);

#endif
