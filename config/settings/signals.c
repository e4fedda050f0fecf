/* strsignal(3) is not used: it would load the locale, and has no names. */
#include "config/settings/signals.h"

#include <signal.h>
#include <string.h>

#include "config/text/text.h"

static const struct scan_word names[] = {
	{ "HUP", SIGHUP },	 { "INT", SIGINT },   { "QUIT", SIGQUIT },     { "ILL", SIGILL },
	{ "TRAP", SIGTRAP },	 { "ABRT", SIGABRT }, { "BUS", SIGBUS },       { "FPE", SIGFPE },
	{ "KILL", SIGKILL },	 { "USR1", SIGUSR1 }, { "SEGV", SIGSEGV },     { "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE },	 { "ALRM", SIGALRM }, { "TERM", SIGTERM },     { "CHLD", SIGCHLD },
	{ "CONT", SIGCONT },	 { "STOP", SIGSTOP }, { "TSTP", SIGTSTP },     { "TTIN", SIGTTIN },
	{ "TTOU", SIGTTOU },	 { "URG", SIGURG },   { "XCPU", SIGXCPU },     { "XFSZ", SIGXFSZ },
	{ "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH },   { "IO", SIGIO },
	{ "PWR", SIGPWR },	 { "SYS", SIGSYS },   { "STKFLT", SIGSTKFLT }, { NULL, 0 },
};

/* Parse the text after "RTMIN" or "RTMAX": nothing, or a sign and a number. */
static int real_time(struct scan *scan, bool from_top, uint64_t *number)
{
	uint64_t distance = 0;
	int err = 0;

	if (scan_skip(scan, from_top ? '-' : '+'))
		err = scan_digits(scan, &distance);
	if (err)
		return err;
	if (distance > (uint64_t)(SIGRTMAX - SIGRTMIN))
		return scan_refuse_at(scan, 0, strlen(scan->text),
				      " is not a signal of this system");
	*number = from_top ? (uint64_t)SIGRTMAX - distance : (uint64_t)SIGRTMIN + distance;
	return 0;
}

static int by_name(struct scan *scan, uint64_t *number)
{
	unsigned value;
	int err;

	if (strncmp(scan->text, "SIG", 3) == 0)
		scan->at = 3;
	if (strncmp(scan->text + scan->at, "RTMIN", 5) == 0 ||
	    strncmp(scan->text + scan->at, "RTMAX", 5) == 0) {
		scan->at += 5;
		return real_time(scan, scan->text[scan->at - 1] == 'X', number);
	}
	err = scan_word(scan, names, &value);
	if (!err)
		*number = value;
	return err;
}

/* Why a signal cannot carry overflows, or NULL if it can. */
static const char *refusal(uint64_t number)
{
	switch (number) {
	case SIGKILL:
	case SIGSTOP:
		return " cannot be caught";
	case SIGILL:
	case SIGTRAP:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGSYS:
		return " is raised by faults of the program itself";
	case SIGCONT:
	case SIGCHLD:
		return " also has a meaning for the kernel";
	default:
		break;
	}
	if (number == 0 || number > (uint64_t)SIGRTMAX)
		return " is not a signal of this system";
	if (number >= 32 && number < (uint64_t)SIGRTMIN)
		return " belongs to the C library";
	return NULL;
}

int signals_parse(int *number, const char *text, struct complaint *complaint)
{
	struct scan scan = { .text = text, .complaint = complaint };
	uint64_t found = 0;
	const char *why;
	int err;

	if (text[0] >= '0' && text[0] <= '9')
		err = scan_digits(&scan, &found);
	else
		err = by_name(&scan, &found);
	if (!err)
		err = scan_end(&scan, "part of a signal's name");
	if (err)
		return err;
	why = refusal(found);
	if (why)
		return scan_refuse_at(&scan, 0, strlen(text), why);
	*number = (int)found;
	return 0;
}

void signals_name(int number, char *out, size_t bytes)
{
	struct text line = text_into(out, bytes);

	for (const struct scan_word *name = names; name->text; name++) {
		if ((int)name->value == number) {
			text_add_all(&line, "SIG", name->text, NULL);
			return;
		}
	}
	if (number >= SIGRTMIN && number <= SIGRTMAX) {
		text_add(&line, "SIGRTMIN+");
		text_number(&line, (uint64_t)(number - SIGRTMIN));
		return;
	}
	text_add(&line, "signal ");
	text_number(&line, (uint64_t)(number < 0 ? 0 : number));
}
