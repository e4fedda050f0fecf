/*
 * The verbs of the flametrap command.  Each takes its own arguments (argv[0] is the verb) and
 * returns the exit status: 0, 1 for a failure, 2 for wrong usage.  run.h declares the verb run.
 */
#ifndef RUNTIME_COMMAND_VERBS_VERBS_H
#define RUNTIME_COMMAND_VERBS_VERBS_H

int verb_fold(int argc, char **argv);
int verb_graph(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_report(int argc, char **argv);
/* Show where in a function the weight is: source lines and instructions. */
int verb_annotate(int argc, char **argv);
/* List profiled processes and their state. */
int verb_list(int argc, char **argv);
int verb_recover(int argc, char **argv);
int verb_events(int argc, char **argv);
int verb_doctor(int argc, char **argv);
/* flametrap run with -e mem:PLACE; status like run, 2 for its own wrong usage. */
int verb_watch(int argc, char **argv);
/* Open or close the sampling window of running processes: FLAMETRAP_START=paused. */
int verb_start(int argc, char **argv);
int verb_stop(int argc, char **argv);
int verb_help(int argc, char **argv);

/* `flametrap finish SPOOL…`: the library runs this when a process ends without the command.  It
 * writes the output files that each spool's header requests, then removes the spools. */
int verb_finish(int argc, char **argv);

#endif
