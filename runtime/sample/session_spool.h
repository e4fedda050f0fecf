/*
 * The spool of this process: where it lies, and what its header says of how it was taken.
 */
#ifndef RUNTIME_SAMPLE_SESSION_SPOOL_H
#define RUNTIME_SAMPLE_SESSION_SPOOL_H

/* Make session.spool and fill its header from the session: in a memory file system where one is
 * there, else beside the output; or where the user says.  `output` is the resolved stem of the
 * output files, absolute.  Returns 0; or -errno after one line said why.  Context: init, fork
 * child. */
int session_spool_open(const char *output);

/* Append a note to the spool's description of the run, unless it contains the note already.  A note
 * that does not fit is cut.  Context: thread, signal, after session_spool_open. */
void session_spool_note(const char *note);

#endif
