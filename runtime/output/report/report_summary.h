/*
 * The summary at the top of a report in plain text.
 */
#ifndef RUNTIME_OUTPUT_REPORT_REPORT_SUMMARY_H
#define RUNTIME_OUTPUT_REPORT_REPORT_SUMMARY_H

#include <stdio.h>

struct profile;

/* Print the processes, how they were sampled, and the losses.  Context: any. */
void report_summary(const struct profile *profile, FILE *file);

#endif
