/* Completion for fish. */
#include "runtime/command/options/manual_text.h"

#include <stdio.h>

static void print_condition(const struct manual *manual)
{
	printf("complete -c flametrap -n '__flametrap_verb %s'",
	       manual->name[0] ? manual->name : "\"\"");
}

/* Prints the possible values of an option, or the possible operands. */
static void print_words(const char *words)
{
	static const struct manual_action actions[] = {
		{ MANUAL_FILE, " -F" },
		{ MANUAL_PROFILE, " -F -a '(flametrap list 2>/dev/null </dev/null | string match "
				  "-r \"[0-9]+\")'" },
		{ MANUAL_DIRECTORY, " -f -a '(__fish_complete_directories)'" },
		{ MANUAL_COMMAND, " -f -a '(__flametrap_hand_over)'" },
		{ NULL, NULL },
	};

	if (manual_is_kind(words, MANUAL_EVENT)) {
		fputs(" -f -a '", stdout);
		manual_print_event_names();
		putchar('\'');
	} else if (!manual_print_action(actions, words)) {
		printf(words ? " -f -a '%s'" : " -f", words);
	}
}

static void print_verb(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		print_condition(manual);
		printf(" -l %s", rows[i].name);
		if (rows[i].letter)
			printf(" -s %c", rows[i].letter);
		if (rows[i].argument && !manual_is_optional(&rows[i])) {
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

static void print_start(const struct manual *manual)
{
	if (!manual_is_kind(manual->operands, MANUAL_COMMAND) || !manual->name[0])
		return;
	printf("\t\tcase %s\n\t\t\tset -e words[1]\n\t\t\tset places %u\n", manual->name,
	       manual->before);
}

/* __flametrap_command prints the words from COMMAND to the cursor; its status is 2 where COMMAND
 * may be next, and 1 elsewhere.  __flametrap_verb tests whether the cursor is after a verb (or, for
 * "", after none) and before COMMAND.  __flametrap_hand_over prints the shell's completions for
 * COMMAND and its arguments. */
static void print_functions(void)
{
	puts("function __flametrap_command\n"
	     "\tset -l words (commandline -opc)\n"
	     "\tset -l places 0\n"
	     "\tset -e words[1]\n"
	     "\tswitch \"$words[1]\"");
	manual_each(print_start);
	fputs("\t\tcase ", stdout);
	manual_print_verbs(" ");
	fputs("\n\t\t\treturn 1\n"
	      "\tend\n"
	      "\twhile set -q words[1]\n"
	      "\t\tswitch $words[1]\n"
	      "\t\t\tcase --\n"
	      "\t\t\t\tset words $words[(math $places + 2)..-1]\n"
	      "\t\t\t\tbreak\n"
	      "\t\t\tcase ",
	      stdout);
	manual_print_valued(" ");
	puts("\n\t\t\t\tset -e words[1]\n"
	     "\t\t\tcase '-*'\n"
	     "\t\t\tcase '*'\n"
	     "\t\t\t\ttest $places -gt 0; or break\n"
	     "\t\t\t\tset places (math $places - 1)\n"
	     "\t\tend\n"
	     "\t\tset -e words[1]\n"
	     "\tend\n"
	     "\tset -q words[1]; and string escape -- $words; and return\n"
	     "\ttest $places -eq 0; and return 2; or return 1\n"
	     "end\n"
	     "function __flametrap_hand_over\n"
	     "\tset -l words (__flametrap_command)\n"
	     "\tset -l found $status\n"
	     "\ttest $found -eq 1; and return\n"
	     "\ttest $found -eq 2; and string match -q -- '-*' (commandline -ct); and return\n"
	     "\tcomplete --do-complete=(string join ' ' -- $words (commandline -ct))\n"
	     "end\n"
	     "function __flametrap_verb\n"
	     "\tset -l words (commandline -opc)\n"
	     "\tset -l verb \"$words[2]\"");
	fputs("\tcontains -- \"$verb\" ", stdout);
	manual_print_verbs(" ");
	puts("; or set verb ''\n"
	     "\ttest \"$verb\" = \"$argv[1]\"; and not __flametrap_command >/dev/null\n"
	     "end\n"
	     "complete -c flametrap -n __flametrap_command -f -a '(__flametrap_hand_over)'");
}

void manual_print_fish(void)
{
	puts("# fish completion of flametrap; made by flametrap help --completion fish.");
	print_functions();
	for (size_t i = 0; i < manual_verb_count; i++) {
		printf("complete -c flametrap -n 'test (count (commandline -opc)) -eq 1' -a %s -d "
		       "'",
		       manual_verbs[i]->name);
		manual_print_quoted(manual_verbs[i]->summary, "");
		puts("'");
	}
	manual_each(print_verb);
}
