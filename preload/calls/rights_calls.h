/*
 * Rights that the program gives up.
 */
#ifndef PRELOAD_CALLS_RIGHTS_CALLS_H
#define PRELOAD_CALLS_RIGHTS_CALLS_H

/* The program is about to make a system call after which it may have fewer rights: setuid and its
 * kin, capset, unshare, setns.  `first` is the call's first argument.  Context: any. */
void rights_calls_before(long number, long first);

#endif
