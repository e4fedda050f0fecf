/*
 * The spool of this process: where it lies, and what its header says before the first sample.
 */
#ifndef RUNTIME_SAMPLE_SESSION_SPOOL_H
#define RUNTIME_SAMPLE_SESSION_SPOOL_H

/* Make session.spool and fill its header from the session: in a memory file system where one is
 * there, else beside the output; or where the user says.  `output` is the resolved stem of the
 * output files, absolute.  Returns 0; or -errno after one line said why.  Context: init, fork
 * child. */
int session_spool_open(const char *output);

#endif
