/*
 * What a profile shows of interpreted programs.  A spool holds complete native stacks with the
 * program's functions in them, and a view leaves nodes out:
 *
 * merge: the functions and the native frames, but not the interpreter's own between them: those
 * that run functions, or pass calls on.  What native functions do for the program stays.
 * only: the functions alone; code that a run-time compiler made and named, as node and java do,
 * is functions too.  no: the native frames alone.
 *
 * A stack in which no function stands (the interpreter starts, or another thread runs) is shown as
 * it is in each of them.
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_INTERP_VIEW_H
#define RUNTIME_PROFILE_ANALYSIS_INTERP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"

struct interp_view;
struct namer;
struct spool_read;
struct spool_read_node;
struct spool_read_thread;

/* View a spool, which namer_begin() was called for.  Both must outlive the result.  Returns NULL
 * when memory is out.  Free with interp_view_free(). */
struct interp_view *interp_view_new(struct namer *namer, const struct spool_read *spool,
				    enum settings_interp how);
void interp_view_free(struct interp_view *view);

/* Get a thread of the spool as it is shown: *shown has other nodes and weights, whose sums are
 * those of `thread`.  It is valid as long as `thread`, or until interp_view_release().  Returns 0
 * or -ENOMEM. */
int interp_view_thread(struct interp_view *view, const struct spool_read_thread *thread,
		       struct spool_read_thread *shown);

/* Returns the shown nodes of the thread that interp_view_thread() was called with last, by node of
 * that thread: those of stacks that end there, as far as these have a weight or a sample in the
 * log.  NULL: the nodes are the same.  Valid until the next interp_view_thread(). */
const uint32_t *interp_view_nodes(const struct interp_view *view);

/* Leave out what is not shown of a stack of names, the command's first, as far as the names tell:
 * native frames, or functions of programs.  Frames of a thread's or process's name count as native.
 * `interp` is profile_options.interp.  Returns the new depth. */
size_t interp_view_names(unsigned interp, const char **names, size_t depth);

/* Returns whether a node of the spool or of a shown thread is a native function of an interpreter
 * that runs functions in this spool. */
bool interp_view_interprets(const struct interp_view *view, const struct spool_read_node *node);

/* Free what interp_view_thread() made for *shown. */
void interp_view_release(const struct spool_read_thread *thread, struct spool_read_thread *shown);

#endif
