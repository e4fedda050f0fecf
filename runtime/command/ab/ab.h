/*
 * flametrap ab: two commands, run in turns and compared.
 */
#ifndef RUNTIME_COMMAND_AB_AB_H
#define RUNTIME_COMMAND_AB_AB_H

/* Run the two commands in argv, whose first word is the verb.  Returns the exit status: 0; 1 if
 * something grew beyond --fail-above; 125 for everything else.  A signal that asked the command to
 * end ends it after the answer so far is printed.  Context: once in a process. */
int verb_ab(int argc, char **argv);

#endif
