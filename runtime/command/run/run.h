/*
 * flametrap run, which is also what flametrap without a verb does.
 */
#ifndef RUNTIME_COMMAND_RUN_RUN_H
#define RUNTIME_COMMAND_RUN_RUN_H

/* Profile the COMMAND in argv, whose first word is the verb or the command's own name.  Returns the
 * exit status: that of COMMAND, 128 plus its signal if it was killed, 125 for a refusal before it
 * starts, 126 or 127 if it cannot be started.  Context: once in a process. */
int verb_run(int argc, char **argv);

#endif
