/*
 * Completion for fish.
 */
#include "preload/launcher/manual_shell.h"

#include <stdio.h>

static void print_condition(const struct manual *manual)
{
	fputs("complete -c flametrap -n '", stdout);
	if (manual->name[0])
		printf("__fish_seen_subcommand_from %s'", manual->name);
	else
		fputs("__fish_use_subcommand'", stdout);
}

/* What may be given for a value, or as an operand. */
static void print_words(const char *words)
{
	if (manual_is_kind(words, MANUAL_FILE)) {
		fputs(" -F", stdout);
	} else if (manual_is_kind(words, MANUAL_DIRECTORY)) {
		fputs(" -f -a '(__fish_complete_directories)'", stdout);
	} else if (manual_is_kind(words, MANUAL_COMMAND)) {
		fputs(" -a '(__fish_complete_subcommand)'", stdout);
	} else if (manual_is_kind(words, MANUAL_EVENT)) {
		fputs(" -f -a '", stdout);
		manual_print_event_names();
		putchar('\'');
	} else if (words) {
		printf(" -f -a '%s'", words);
	} else {
		fputs(" -f", stdout);
	}
}

static void print_verb(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		print_condition(manual);
		printf(" -l %s", rows[i].name);
		if (manual_letter(&rows[i]))
			printf(" -s %c", rows[i].key);
		if (rows[i].argument && !rows[i].optional) {
			fputs(" -r", stdout);
			print_words(rows[i].words);
		}
		fputs(" -d '", stdout);
		manual_print_quoted(rows[i].help ? rows[i].help : "", "");
		puts("'");
	}
	print_condition(manual);
	print_words(manual->most ? manual->operands : NULL);
	putchar('\n');
}

void manual_print_fish(void)
{
	puts("# fish completion of flametrap; made by flametrap help --completion fish.");
	for (size_t i = 0; i < manual_verb_count; i++) {
		printf("complete -c flametrap -n __fish_use_subcommand -a %s -d '",
		       manual_verbs[i]->name);
		manual_print_quoted(manual_verbs[i]->summary, "");
		puts("'");
	}
	manual_each(print_verb);
}
