/* Manual pages, as source for troff with the man macros. */
#include "runtime/command/options/manual_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/events/known.h"
#include "config/settings/settings.h"

/* Writes text without meaning to troff: no line of it begins with a control character. */
static void text_part(const char *text, size_t length)
{
	static const char special[] = "\\-'^~`";
	static const char *const written[] = { "\\e", "\\-", "\\(aq", "\\(ha", "\\(ti", "\\(ga" };

	for (const char *c = text; c < text + length && *c; c++) {
		const char *found = strchr(special, *c);

		if (found)
			fputs(written[found - special], stdout);
		else if (*c == '.' && (c == text || c[-1] == '\n'))
			fputs("\\&.", stdout);
		else if (*c == ',' && c[1] > ' ')
			fputs(",\\:", stdout); /* a line may be broken here */
		else
			putchar(*c);
	}
}

static void text(const char *words)
{
	text_part(words, strlen(words));
}

static void line(const char *words)
{
	text(words);
	putchar('\n');
}

static void section(const char *heading)
{
	fputs(".SH \"", stdout);
	for (; *heading; heading++)
		putchar(toupper((unsigned char)*heading));
	puts("\"");
}

static void paragraphs(const char *words)
{
	for (;;) {
		const char *end = strstr(words, "\n\n");

		text_part(words, end ? (size_t)(end - words) : strlen(words));
		putchar('\n');
		if (!end)
			return;
		puts(".PP");
		words = end + 2;
	}
}

static void title(const char *name, const char *volume, const char *summary)
{
	printf(".\\\" Made by flametrap help --man from the tables of the command.\n.ds AD l\n.TH "
	       "\"");
	for (const char *c = name; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf("\" \"%s\" \"" FLAMETRAP_DATE "\" \"flametrap " FLAMETRAP_VERSION
	       "\" \"Manual of flametrap\"\n.ad l\n.SH NAME\n",
	       volume);
	text(name);
	fputs(" \\- ", stdout);
	line(summary);
}

static void row(const char *form, const char *about)
{
	fputs(".TP\n.B ", stdout);
	line(form);
	line(about);
}

static void option(const struct manual_option *option)
{
	puts(".TP");
	fputs("\\fB", stdout);
	if (option->letter)
		printf("\\-%c\\fR, \\fB", option->letter);
	text("--");
	text(option->name);
	fputs("\\fR", stdout);
	if (option->argument) {
		fputs(manual_is_optional(option) ? "[=\\fI" : " \\fI", stdout);
		text(option->argument);
		fputs(manual_is_optional(option) ? "\\fR]" : "\\fR", stdout);
	}
	putchar('\n');
	line(option->help);
}

static void see_also(const char *self)
{
	section("see also");
	fputs(*self ? ".BR flametrap (1)" : ".BR perf (1)", stdout);
	for (size_t i = 0; i < manual_verb_count; i++)
		if (strcmp(manual_verbs[i]->name, self) != 0)
			printf(",\n.BR flametrap\\-%s (1)", manual_verbs[i]->name);
	puts(",\n.BR flametrap\\-events (7),\n.BR flametrap\\-settings (7)");
}

static void verbs(void)
{
	section("verbs");
	for (size_t i = 0; i < manual_verb_count; i++)
		row(manual_verbs[i]->name, manual_verbs[i]->summary);
}

/* Sections that only the page of the command itself has. */
static void surroundings(void)
{
	section("environment");
	line("Each option of a run has a variable, described in flametrap-settings(7). "
	     "DEBUGINFOD_URLS, where set, lets symbols be fetched from servers.");
	section("files");
	row("flametrap.COMMAND.PID.html, .svg, .folded, ...",
	    "profiles, unless -o names another stem");
	row("/dev/shm/flametrap.PID.*.spool",
	    "samples of a process that runs, or was killed: see flametrap-recover(1)");
	row("PREFIX/share/doc/flametrap", "recipes, limits and everything else");
}

static void synopsis(const struct manual *manual)
{
	section("synopsis");
	for (size_t i = 0; i < MANUAL_SYNOPSES && manual->synopsis[i]; i++) {
		if (i)
			puts(".br");
		fputs("\\fBflametrap\\fR ", stdout);
		line(manual->synopsis[i]);
	}
}

static void examples(const struct manual *manual)
{
	section("examples");
	for (size_t i = 0; i < MANUAL_EXAMPLES; i++)
		row(manual->examples[i].command, manual->examples[i].about);
}

static void page_of(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);
	char name[64];

	snprintf(name, sizeof(name), "flametrap%s%s", manual->name[0] ? "-" : "", manual->name);
	title(name, "1", manual->summary);
	synopsis(manual);
	section("description");
	paragraphs(manual->text);
	if (!manual->name[0])
		verbs();
	section("options");
	for (size_t i = 0; i < count; i++)
		if (rows[i].help)
			option(&rows[i]);
	section("exit status");
	line(manual->status);
	if (!manual->name[0])
		surroundings();
	examples(manual);
	see_also(manual->name);
}

static void page_of_settings(void)
{
	title("flametrap-settings", "7", "environment variables and options of flametrap");
	section("description");
	line("Each setting is an environment variable; flametrap run has an option of the same "
	     "name. A value that cannot be read is one line on standard error: a preloaded program "
	     "then runs unprofiled, and the command refuses with status 125 before it starts "
	     "anything. Booleans take yes, no, on, off, true, false, 1 and 0.");
	section("settings");
	for (size_t i = 0; i < settings_count; i++) {
		const struct setting *setting = &settings_table[i];
		const char *fallback = settings_fallback(setting);
		char form[128];

		if (setting->internal)
			continue;
		snprintf(form, sizeof(form), "%s%s%s %s", setting->variable,
			 setting->option ? ", --" : "", setting->option ? setting->option : "",
			 setting->argument);
		row(form, setting->help);
		puts(".br");
		fputs("Accepted: ", stdout);
		text(setting->values);
		puts(".");
		if (!*fallback)
			continue;
		puts(".br");
		fputs("Default: ", stdout);
		text(fallback);
		puts(".");
	}
	see_also("");
}

static void page_of_events(void)
{
	title("flametrap-events", "7", "events that flametrap counts, and their terms");
	section("description");
	line("flametrap -e and FLAMETRAP_EVENTS take events in the grammar of perf(1): a name, a "
	     "modifier behind a colon, terms between slashes, groups in braces.");
	section("names");
	for (size_t i = 0; i < known_count; i++)
		if (!known_table[i].refused)
			row(known_table[i].name, known_table[i].help);
	for (const struct manual_section *part = manual_grammar; part->heading; part++) {
		section(part->heading);
		line(part->text);
		for (const struct manual_row *one = part->row; one->form; one++)
			row(one->form, one->about);
	}
	see_also("");
}

static void list(void)
{
	puts("flametrap.1");
	for (size_t i = 0; i < manual_verb_count; i++)
		printf("flametrap-%s.1\n", manual_verbs[i]->name);
	puts("flametrap-events.7\nflametrap-settings.7");
}

int manual_print_page(const char *page)
{
	if (strcmp(page, "list") == 0) {
		list();
	} else if (strcmp(page, "flametrap.1") == 0) {
		page_of(&manual_flametrap);
	} else if (strcmp(page, "flametrap-settings.7") == 0) {
		page_of_settings();
	} else if (strcmp(page, "flametrap-events.7") == 0) {
		page_of_events();
	} else {
		for (size_t i = 0; i < manual_verb_count; i++) {
			char name[64];

			snprintf(name, sizeof(name), "flametrap-%s.1", manual_verbs[i]->name);
			if (strcmp(page, name) == 0) {
				page_of(manual_verbs[i]);
				return 0;
			}
		}
		return -ENOENT;
	}
	return 0;
}
