/*
 * The output formats.  A format is one row here, and format_NAME() in runtime/output/formats/,
 * which writes it; help, manuals, completion and the names of files come from the row.
 */
#ifndef CONFIG_SETTINGS_FORMATS_H
#define CONFIG_SETTINGS_FORMATS_H

/* Facts of a format: what its file holds, and what a profile must keep for it. */
#define FORMAT_EACH	 1u   /* a file for each counter */
#define FORMAT_ALL	 2u   /* a file with all counters */
#define FORMAT_TIMES	 4u   /* the time of each sample, where it is known */
#define FORMAT_TIMED	 8u   /* cannot be written without the time of each sample */
#define FORMAT_LOCATIONS 16u  /* addresses and lines */
#define FORMAT_ORIGINS	 32u  /* functions, modules and threads together: --by has no meaning */
#define FORMAT_LABELS	 64u  /* the labels of each sample */
#define FORMAT_PAGE	 128u /* waits and source texts; nothing without a counter */
#define FORMAT_BINARY	 256u /* nothing that a terminal can show */

#define FORMAT_TIMED_ALL \
	(FORMAT_ALL | FORMAT_TIMES | FORMAT_TIMED | FORMAT_LOCATIONS | FORMAT_ORIGINS)

/* ROW(ID, NAME, NUMBER, ENDING, FACTS), in the order of the help.  The numbers are bits that spools
 * hold; none may change. */
#define SETTINGS_FORMATS(ROW)                                                                   \
	ROW(FOLDED, folded, 1, "folded", FORMAT_EACH)                                           \
	ROW(SVG, svg, 2, "svg", FORMAT_EACH | FORMAT_ALL)                                       \
	ROW(HTML, html, 64, "html", FORMAT_ALL | FORMAT_TIMES | FORMAT_LOCATIONS | FORMAT_PAGE) \
	ROW(PPROF, pprof, 4, "pb.gz",                                                           \
	    FORMAT_ALL | FORMAT_LOCATIONS | FORMAT_ORIGINS | FORMAT_LABELS | FORMAT_BINARY)     \
	ROW(SPEEDSCOPE, speedscope, 8, "speedscope.json", FORMAT_ALL | FORMAT_TIMES)            \
	ROW(GPERFTOOLS, gperftools, 16, "prof", FORMAT_EACH | FORMAT_BINARY)                    \
	ROW(FIREFOX, firefox, 128, "firefox.json.gz", FORMAT_TIMED_ALL | FORMAT_BINARY)         \
	ROW(PERFETTO, perfetto, 256, "perfetto-trace", FORMAT_TIMED_ALL | FORMAT_BINARY)        \
	ROW(PERFSCRIPT, perfscript, 512, "perf.txt", FORMAT_TIMED_ALL)

#define SETTINGS_FORMAT_NUMBER(id, name, number, ending, facts) SETTINGS_FORMAT_##id = (number),
enum settings_format {
	SETTINGS_FORMAT_SPOOL = 32, /* the samples; written when the spool is removed */
	SETTINGS_FORMATS(SETTINGS_FORMAT_NUMBER)
};

#define SETTINGS_FORMAT_OR(id, name, number, ending, facts) | (number)
#define SETTINGS_FORMATS_KNOWN				    (32u SETTINGS_FORMATS(SETTINGS_FORMAT_OR))

#endif
