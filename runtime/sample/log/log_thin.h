/*
 * Joins chunks of a log, to save space.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_THIN_H
#define RUNTIME_SAMPLE_LOG_LOG_THIN_H

#include <stdbool.h>

struct log;

/* Join two adjacent chunks of a log into one, or halve its only one.  Samples that were joined with
 * others are counted as LOG_THINNED.  Returns false if there is no chunk, or no room to join them
 * in.  Context: the writer of the log; signal, exit. */
bool log_thin(struct log *log);

#endif
