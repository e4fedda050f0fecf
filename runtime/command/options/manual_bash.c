/* Completion for bash. */
#include "runtime/command/options/manual_text.h"

#include <stdio.h>

/* Prints the possible values of an option, or the possible operands. */
static void bash_words(const char *words)
{
	static const struct manual_action actions[] = {
		{ MANUAL_FILE, "_flametrap_files -f" },
		{ MANUAL_PROFILE, "_flametrap_files -f; _flametrap_pids" },
		{ MANUAL_DIRECTORY, "_flametrap_files -d" },
		{ MANUAL_EVENT, "_flametrap_words \"$_flametrap_events\"" },
		{ MANUAL_COMMAND, "_flametrap_files -c -f" },
		{ NULL, NULL },
	};

	fputs("\t\t", stdout);
	if (!manual_print_action(actions, words))
		printf(words ? "_flametrap_words \"%s\"" : ":", words);
	puts(" ;;");
}

static void bash_values(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	for (size_t i = 0; i < count; i++) {
		if (!rows[i].argument || manual_is_optional(&rows[i]))
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

static void bash_start(const struct manual *manual)
{
	if (manual_is_kind(manual->operands, MANUAL_COMMAND))
		printf("\t'%s') at=%d places=%u ;;\n", manual->name, manual->name[0] ? 2 : 1,
		       manual->before);
}

/* _flametrap_command sets `at` to the index of COMMAND, and fails unless the cursor is after it;
 * `places` is the number of operands still missing before it.  bash treats '=' and ':' as separate
 * words. */
static void bash_command(void)
{
	puts("_flametrap_next() {\n"
	     "\tat=$((at + 1))\n"
	     "\twhile [[ ${COMP_WORDS[at]} == +([=:]) ]]; do\n"
	     "\t\tat=$((at + 2))\n"
	     "\tdone\n"
	     "}\n"
	     "_flametrap_command() {\n"
	     "\tcase $verb in");
	manual_each(bash_start);
	puts("\t*) return 1 ;;\n"
	     "\tesac\n"
	     "\twhile [ \"$at\" -lt \"$COMP_CWORD\" ]; do\n"
	     "\t\tcase ${COMP_WORDS[at]} in\n"
	     "\t\t--)\n"
	     "\t\t\t_flametrap_next\n"
	     "\t\t\twhile [ \"$places\" -gt 0 ] && [ \"$at\" -lt \"$COMP_CWORD\" ]; do\n"
	     "\t\t\t\tplaces=$((places - 1))\n"
	     "\t\t\t\t_flametrap_next\n"
	     "\t\t\tdone\n"
	     "\t\t\tbreak ;;");
	fputs("\t\t", stdout);
	manual_print_valued(" | ");
	puts(")\n"
	     "\t\t\t[ \"${COMP_WORDS[at+1]}\" = = ] || _flametrap_next ;;\n"
	     "\t\t-*) ;;\n"
	     "\t\t*)\n"
	     "\t\t\t[ \"$places\" -gt 0 ] || break\n"
	     "\t\t\tplaces=$((places - 1)) ;;\n"
	     "\t\tesac\n"
	     "\t\t_flametrap_next\n"
	     "\tdone\n"
	     "\t[ \"$at\" -lt \"$COMP_CWORD\" ]\n"
	     "}\n"
	     "_flametrap_hand_over() {\n"
	     "\tif declare -F _comp_command_offset >/dev/null; then\n"
	     "\t\t_comp_command_offset \"$at\"\n"
	     "\telif declare -F _command_offset >/dev/null; then\n"
	     "\t\t_command_offset \"$at\"\n"
	     "\telse\n"
	     "\t\t_flametrap_files -f\n"
	     "\tfi\n"
	     "}");
}

static void bash_pids(void)
{
	puts("_flametrap_pids() {\n"
	     "\tlocal pid rest pids=\n"
	     "\t[[ $word == *[!0-9]* ]] && return\n"
	     "\twhile read -r pid rest; do\n"
	     "\t\t[[ $pid == [0-9]* ]] && pids+=\" $pid\"\n"
	     "\tdone < <(\"${COMP_WORDS[0]}\" list 2>/dev/null </dev/null)\n"
	     "\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$pids\" -- \"$word\")\n"
	     "}");
}

void manual_print_bash(void)
{
	fputs("# bash completion of flametrap; made by flametrap help --completion bash.\n"
	      "_flametrap_events=\"",
	      stdout);
	manual_print_event_names();
	fputs("\"\n"
	      "_flametrap_words() {\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
	      "}\n"
	      "_flametrap_files() {\n"
	      "\tlocal kind\n"
	      "\tcompopt -o filenames\n"
	      "\tfor kind; do\n"
	      "\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$kind\" -- \"$word\")\n"
	      "\tdone\n"
	      "}\n",
	      stdout);
	bash_pids();
	bash_command();
	fputs("_flametrap() {\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=\"\" "
	      "at places=0\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$word\" = = ]; then\n"
	      "\t\tword=\n"
	      "\telif [ \"$before\" = = ]; then\n"
	      "\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n\t",
	      stdout);
	manual_print_verbs(" | ");
	fputs(")\n"
	      "\t\t[ \"$COMP_CWORD\" -gt 1 ] && verb=${COMP_WORDS[1]} ;;\n"
	      "\tesac\n"
	      "\tif _flametrap_command; then\n"
	      "\t\t_flametrap_hand_over\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $verb:$before in\n",
	      stdout);
	manual_each(bash_values);
	puts("\t*) false ;;\n"
	     "\tesac && return\n"
	     "\tcase $verb:$word in");
	manual_each(bash_options);
	manual_each(bash_operands);
	fputs("\tesac\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"",
	      stdout);
	manual_print_verbs(" ");
	puts("\" -- \"$word\")\n"
	     "\tfi\n"
	     "}\n"
	     "complete -F _flametrap flametrap");
}
