/*
 * Sums over the spools of a profile.
 */
#ifndef RUNTIME_FOLD_SUMMARY_H
#define RUNTIME_FOLD_SUMMARY_H

struct profile_summary;
struct spool_read;

/* Add all of a spool but its process, which may have left others. */
void summary_add(struct profile_summary *summary, const struct spool_read *spool);

#endif
