/*
 * Completion by shells.  Each script stands in a file beside this one, in which @NAME@ is a place
 * for a list out of the tables, and a line #@NAME@ for the lines of all verbs.
 */
#include "runtime/command/options/manual_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/events/known.h"
#include "runtime/output/graph/asset.h"

#define FOLDER	    "runtime/command/options/"
#define ZSH_SPECIAL "[]:\\"

ASSET(bash_text, FOLDER "completion.bash");
ASSET(fish_text, FOLDER "completion.fish");
ASSET(zsh_text, FOLDER "completion.zsh");

/* What stands for a name: a list with separators, or lines for the command without a verb, whose
 * name is empty, and for each verb. */
struct part {
	const char *name;
	void (*list)(const char *separator);
	const char *separator;
	void (*lines)(const struct manual *manual);
};

static bool is_kind(const char *words, const char *kind)
{
	return words && strcmp(words, kind) == 0;
}

static void list_verbs(const char *separator)
{
	for (size_t i = 0; i < manual_verb_count; i++)
		printf("%s%s", i ? separator : "", manual_verbs[i]->name);
}

static void list_events(const char *separator)
{
	const char *between = "";

	for (size_t i = 0; i < known_count; i++) {
		if (known_table[i].refused)
			continue;
		printf("%s%s", between, known_table[i].name);
		between = separator;
	}
}

static bool is_valued(const struct manual_option *option)
{
	return option->argument && !manual_is_optional(option);
}

static void print_valued(const struct manual *manual, const struct manual_option *shown,
			 size_t shown_count, const char *separator, const char **between)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		while (same < shown_count && strcmp(shown[same].name, rows[i].name) != 0)
			same++;
		if (!is_valued(&rows[i]) || same < shown_count)
			continue;
		if (rows[i].letter) {
			printf("%s-%c", *between, rows[i].letter);
			*between = separator;
		}
		printf("%s--%s", *between, rows[i].name);
		*between = separator;
	}
}

/* Every spelling of the options of a run that take the next word as their value. */
static void list_valued(const char *separator)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(&manual_flametrap, rows);
	const char *between = "";

	print_valued(&manual_flametrap, NULL, 0, separator, &between);
	for (size_t i = 0; i < manual_verb_count; i++)
		if (manual_verbs[i]->settings && manual_verbs[i]->without)
			print_valued(manual_verbs[i], rows, count, separator, &between);
}

/* Print text inside single quotes, each byte of `special` behind a backslash. */
static void print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout); /* ends the quotes; the next one opens them again */
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

enum shell { BASH, FISH, ZSH };

/* What each shell does for a kind of argument; for words, with their list, which may be NULL. */
static const struct action {
	const char *kind;
	const char *text[3];
} actions[] = {
	{ MANUAL_FILE, { "_flametrap_files -f", " -F", "_files" } },
	{ MANUAL_PROFILE,
	  { "_flametrap_files -f; _flametrap_pids",
	    " -F -a '(flametrap list 2>/dev/null </dev/null | string match -r \"[0-9]+\")'",
	    "_flametrap_profiles" } },
	{ MANUAL_DIRECTORY,
	  { "_flametrap_files -d", " -f -a '(__fish_complete_directories)'", "_files -/" } },
	{ MANUAL_COMMAND,
	  { "_flametrap_files -c -f", " -f -a '(__flametrap_hand_over)'", "_normal" } },
	{ MANUAL_EVENT,
	  { "_flametrap_words \"$_flametrap_events\"", NULL, "($_flametrap_events)" } },
};
static const char *const listed[][2] = {
	[BASH] = { ":", "_flametrap_words \"%s\"" },
	[FISH] = { " -f", " -f -a '%s'" },
	[ZSH] = { " ", "(%s)" },
};

static void print_values(enum shell shell, const char *words)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!is_kind(words, actions[i].kind))
			continue;
		if (actions[i].text[shell]) {
			fputs(actions[i].text[shell], stdout);
			return;
		}
		fputs(" -f -a '", stdout);
		list_events(" ");
		putchar('\'');
		return;
	}
	printf(listed[shell][words != NULL], words);
}

static void bash_words(const char *words)
{
	fputs("\t\t", stdout);
	print_values(BASH, words);
	puts(" ;;");
}

static void bash_values(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		if (!is_valued(&rows[i]))
			continue;
		printf("\t%s:--%s", manual->name, rows[i].name);
		if (rows[i].letter)
			printf(" | %s:-%c", manual->name, rows[i].letter);
		puts(")");
		bash_words(rows[i].words);
	}
}

static void bash_options(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	printf("\t%s:-*)\n\t\t_flametrap_words \"", manual->name);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? " " : "", stdout);
		if (rows[i].letter)
			printf("-%c ", rows[i].letter);
		printf("--%s", rows[i].name);
	}
	puts("\" ;;");
}

static void bash_operands(const struct manual *manual)
{
	printf("\t%s:*)\n", manual->name);
	if (manual->before)
		puts("\t\t[ \"$places\" -gt 0 ] ||");
	bash_words(manual->operands);
}

static void bash_command(const struct manual *manual)
{
	if (is_kind(manual->operands, MANUAL_COMMAND))
		printf("\t'%s') at=%d places=%u ;;\n", manual->name, manual->name[0] ? 2 : 1,
		       manual->before);
}

/* In the script, _flametrap_command sets `at` to the index of COMMAND, and fails unless the cursor
 * is after it; `places` is the number of operands still missing before it.  bash treats '=' and ':'
 * as separate words. */
static const struct part bash_parts[] = {
	{ "EVENTS", list_events, " ", NULL },
	{ "COMMANDS", NULL, NULL, bash_command },
	{ "VALUED", list_valued, " | ", NULL },
	{ "VERBS", list_verbs, " | ", NULL },
	{ "VALUES", NULL, NULL, bash_values },
	{ "OPTIONS", NULL, NULL, bash_options },
	{ "OPERANDS", NULL, NULL, bash_operands },
	{ "NAMES", list_verbs, " ", NULL },
	{ NULL, NULL, NULL, NULL },
};

static void fish_condition(const struct manual *manual)
{
	printf("complete -c flametrap -n '__flametrap_verb %s'",
	       manual->name[0] ? manual->name : "\"\"");
}

static void fish_arguments(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		fish_condition(manual);
		printf(" -l %s", rows[i].name);
		if (rows[i].letter)
			printf(" -s %c", rows[i].letter);
		if (is_valued(&rows[i])) {
			fputs(" -r", stdout);
			print_values(FISH, rows[i].words);
		}
		fputs(" -d '", stdout);
		print_quoted(rows[i].help ? rows[i].help : "", "");
		puts("'");
	}
	fish_condition(manual);
	print_values(FISH, manual->most ? manual->operands : NULL);
	putchar('\n');
}

static void fish_command(const struct manual *manual)
{
	if (is_kind(manual->operands, MANUAL_COMMAND) && manual->name[0])
		printf("\t\tcase %s\n\t\t\tset -e words[1]\n\t\t\tset places %u\n", manual->name,
		       manual->before);
}

static void fish_verb(const struct manual *manual)
{
	if (!manual->name[0])
		return;
	printf("complete -c flametrap -n 'test (count (commandline -opc)) -eq 1' -a %s -d '",
	       manual->name);
	print_quoted(manual->summary, "");
	puts("'");
}

/* In the script, __flametrap_command prints the words from COMMAND to the cursor; its status is 2
 * where COMMAND may be next, and 1 elsewhere.  __flametrap_verb tests whether the cursor is after a
 * verb (or, for "", after none) and before COMMAND.  __flametrap_hand_over prints the shell's
 * completions for COMMAND and its arguments. */
static const struct part fish_parts[] = {
	{ "COMMANDS", NULL, NULL, fish_command },    { "VERBS", list_verbs, " ", NULL },
	{ "VALUED", list_valued, " ", NULL },	     { "DESCRIBED", NULL, NULL, fish_verb },
	{ "ARGUMENTS", NULL, NULL, fish_arguments }, { NULL, NULL, NULL, NULL },
};

static void zsh_option(const char *name, const struct manual_option *option)
{
	bool letter = name[1] != '-';

	printf(" \\\n\t\t'%s%s[", name, !option->argument ? "" : letter ? "+" : "=");
	print_quoted(option->help ? option->help : "", ZSH_SPECIAL);
	putchar(']');
	if (option->argument) {
		fputs(manual_is_optional(option) ? "::" : ":", stdout);
		print_quoted(option->argument, ZSH_SPECIAL);
		putchar(':');
		print_values(ZSH, option->words);
	}
	putchar('\'');
}

static void zsh_arguments(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	printf("\t%s)\n\t\t_arguments -s", manual->name[0] ? manual->name : "''");
	for (size_t i = 0; i < count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "-%c", rows[i].letter);
		if (rows[i].letter)
			zsh_option(name, &rows[i]);
		snprintf(name, sizeof(name), "--%s", rows[i].name);
		zsh_option(name, &rows[i]);
	}
	if (manual->most) {
		bool command = is_kind(manual->operands, MANUAL_COMMAND);

		for (unsigned i = 1; i <= manual->before; i++)
			printf(" \\\n\t\t'%u:place: '", i);
		printf(" \\\n\t\t'*:%s argument:", command ? ":" : "");
		print_values(ZSH, manual->operands);
		putchar('\'');
	}
	puts(" ;;");
}

static void zsh_verb(const struct manual *manual)
{
	if (!manual->name[0])
		return;
	printf("\t\t'%s:", manual->name);
	print_quoted(manual->summary, ZSH_SPECIAL);
	puts("'");
}

static const struct part zsh_parts[] = {
	{ "EVENTS", list_events, " ", NULL }, { "DESCRIBED", NULL, NULL, zsh_verb },
	{ "VERBS", list_verbs, "|", NULL },   { "ARGUMENTS", NULL, NULL, zsh_arguments },
	{ NULL, NULL, NULL, NULL },
};

static void print_part(const struct part *part)
{
	if (part->list) {
		part->list(part->separator);
		return;
	}
	part->lines(&manual_flametrap);
	for (size_t i = 0; i < manual_verb_count; i++)
		part->lines(manual_verbs[i]);
}

/* Returns the part that the text is a place for, with the length of the place; NULL if it is
 * none. */
static const struct part *part_at(const char *text, const struct part *parts, size_t *length)
{
	size_t line = text[0] == '#', bytes;

	for (; parts->name; parts++) {
		bytes = strlen(parts->name);
		if (text[line] == '@' && !strncmp(text + line + 1, parts->name, bytes) &&
		    text[line + 1 + bytes] == '@') {
			*length = bytes + 2 + 2 * line; /* with the sign, and the end of the line */
			return parts;
		}
	}
	return NULL;
}

static void print_script(const char *text, const struct part *parts)
{
	while (*text) {
		size_t length = 1;
		const struct part *part = part_at(text, parts, &length);

		if (part)
			print_part(part);
		else
			putchar(*text);
		text += length;
	}
}

int manual_print_completion(const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		print_script(bash_text, bash_parts);
	else if (strcmp(shell, "zsh") == 0)
		print_script(zsh_text, zsh_parts);
	else if (strcmp(shell, "fish") == 0)
		print_script(fish_text, fish_parts);
	else
		return -ENOENT;
	return 0;
}
