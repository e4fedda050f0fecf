/* Completion of words: the common part of the shells. */
#include "runtime/command/options/manual_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/events/known.h"

bool manual_is_kind(const char *words, const char *kind)
{
	return words && strcmp(words, kind) == 0;
}

bool manual_print_action(const struct manual_action *actions, const char *words)
{
	while (actions->kind && !manual_is_kind(words, actions->kind))
		actions++;
	fputs(actions->kind ? actions->text : "", stdout);
	return actions->kind;
}

void manual_each(void (*print)(const struct manual *manual))
{
	print(&manual_flametrap);
	for (size_t i = 0; i < manual_verb_count; i++)
		print(manual_verbs[i]);
}

void manual_print_verbs(const char *separator)
{
	for (size_t i = 0; i < manual_verb_count; i++)
		printf("%s%s", i ? separator : "", manual_verbs[i]->name);
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

void manual_print_valued(const char *separator)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(&manual_flametrap, rows);
	const char *between = "";

	print_valued(&manual_flametrap, NULL, 0, separator, &between);
	for (size_t i = 0; i < manual_verb_count; i++)
		if (manual_verbs[i]->settings && manual_verbs[i]->without)
			print_valued(manual_verbs[i], rows, count, separator, &between);
}

void manual_print_event_names(void)
{
	const char *separator = "";

	for (size_t i = 0; i < known_count; i++) {
		if (known_table[i].refused)
			continue;
		printf("%s%s", separator, known_table[i].name);
		separator = " ";
	}
}

void manual_print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout); /* ends the quotes; the next quote opens them
						* again */
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

int manual_print_completion(const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		manual_print_bash();
	else if (strcmp(shell, "zsh") == 0)
		manual_print_zsh();
	else if (strcmp(shell, "fish") == 0)
		manual_print_fish();
	else
		return -ENOENT;
	return 0;
}
