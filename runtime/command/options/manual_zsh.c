/* Completion for zsh. */
#include "runtime/command/options/manual_text.h"

#include <stdio.h>

#define SPECIAL "[]:\\"

/* Prints the possible values as an action of _arguments. */
static void print_action(const char *words)
{
	static const struct manual_action actions[] = {
		{ MANUAL_FILE, "_files" },	   { MANUAL_PROFILE, "_flametrap_profiles" },
		{ MANUAL_DIRECTORY, "_files -/" }, { MANUAL_EVENT, "($_flametrap_events)" },
		{ MANUAL_COMMAND, "_normal" },	   { NULL, NULL },
	};

	if (!manual_print_action(actions, words))
		printf(words ? "(%s)" : " ", words);
}

static void print_option(const char *name, const struct manual_option *option)
{
	bool letter = name[1] != '-';

	printf(" \\\n\t\t'%s%s[", name, !option->argument ? "" : letter ? "+" : "=");
	manual_print_quoted(option->help ? option->help : "", SPECIAL);
	putchar(']');
	if (option->argument) {
		fputs(manual_is_optional(option) ? "::" : ":", stdout);
		manual_print_quoted(option->argument, SPECIAL);
		putchar(':');
		print_action(option->words);
	}
	putchar('\'');
}

static void print_verb(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	printf("\t%s)\n\t\t_arguments -s", manual->name[0] ? manual->name : "''");
	for (size_t i = 0; i < count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "-%c", rows[i].letter);
		if (rows[i].letter)
			print_option(name, &rows[i]);
		snprintf(name, sizeof(name), "--%s", rows[i].name);
		print_option(name, &rows[i]);
	}
	if (manual->most) {
		bool command = manual_is_kind(manual->operands, MANUAL_COMMAND);

		for (unsigned i = 1; i <= manual->before; i++)
			printf(" \\\n\t\t'%u:place: '", i);
		printf(" \\\n\t\t'*:%s argument:", command ? ":" : "");
		print_action(manual->operands);
		putchar('\'');
	}
	puts(" ;;");
}

void manual_print_zsh(void)
{
	fputs("#compdef flametrap\n"
	      "# zsh completion of flametrap; made by flametrap help --completion zsh.\n"
	      "_flametrap_profiles() {\n"
	      "\tlocal pid rest\n"
	      "\tlocal -a pids\n"
	      "\tflametrap list 2>/dev/null </dev/null | while read -r pid rest; do\n"
	      "\t\t[[ $pid == <-> ]] && pids+=($pid)\n"
	      "\tdone\n"
	      "\t_files\n"
	      "\t(( $#pids )) && compadd -- $pids\n"
	      "}\n"
	      "_flametrap() {\n"
	      "\tlocal _flametrap_events=\"",
	      stdout);
	manual_print_event_names();
	fputs("\" verb=\n\tlocal -a verbs=(", stdout);
	for (size_t i = 0; i < manual_verb_count; i++) {
		printf("\n\t\t'%s:", manual_verbs[i]->name);
		manual_print_quoted(manual_verbs[i]->summary, SPECIAL);
		putchar('\'');
	}
	fputs("\n\t)\n"
	      "\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
	      "\t\t_describe verb verbs\n"
	      "\t\t_command_names -e\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $words[2] in\n\t",
	      stdout);
	manual_print_verbs("|");
	puts(")\n"
	     "\t\tverb=$words[2]\n"
	     "\t\tshift words\n"
	     "\t\t(( CURRENT-- )) ;;\n"
	     "\tesac\n"
	     "\tcase $verb in");
	manual_each(print_verb);
	puts("\tesac\n"
	     "}\n"
	     "_flametrap \"$@\"");
}
