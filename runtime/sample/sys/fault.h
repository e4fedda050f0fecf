/*
 * Fault points: in a build with CONFIG_FAULTS=1, system calls of ours that fail on request.
 * The request is the variable FAULT_FLAMETRAP=NUMBER,ERRNO,FROM,TO: calls FROM to TO, counted
 * from 1, of the system call NUMBER answer ERRNO and are not made.
 */
#ifndef RUNTIME_SAMPLE_SYS_FAULT_H
#define RUNTIME_SAMPLE_SYS_FAULT_H

/* Returns the answer for this call of system call `number`: -errno, or 0 if the call is to be made.
 * Context: any. */
long fault_due(long number);

#endif
