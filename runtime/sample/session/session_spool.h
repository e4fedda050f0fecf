/*
 * The spool of this process: its place in the file system and the contents of its header.
 */
#ifndef RUNTIME_SAMPLE_SESSION_SESSION_SPOOL_H
#define RUNTIME_SAMPLE_SESSION_SESSION_SPOOL_H

#include <stdint.h>

/* Create session.spool and fill its header from the session.  The spool is in the directory that
 * the user names; else in a memory file system if there is one; else beside the output.  `output`
 * is the resolved stem of the output files, absolute.  Returns 0; or -errno after one line said
 * why.  Context: init, fork child. */
int session_spool_open(const char *output);

/* Returns the spool's part of a limit on address space, in bytes.  Context: any. */
uint64_t session_spool_share(uint64_t limit_bytes);

/* Before the first note to a new spool.  Context: init, fork child. */
void session_spool_notes_start(void);

/* Append a note to the spool's description of the run, unless it contains the note already.  A note
 * that does not fit is cut.  Notes of several threads follow each other.  Context: thread, signal,
 * after session_spool_open. */
void session_spool_note(const char *note);

#endif
