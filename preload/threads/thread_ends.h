/*
 * Ends of threads, noticed by the destructor of a key (pthread_key_create(3)).  libc has 1,024 of
 * them for the whole process.  If the program asks for one when none is left, it gets ours.
 */
#ifndef PRELOAD_THREADS_THREAD_ENDS_H
#define PRELOAD_THREADS_THREAD_ENDS_H

/* Call before a thread is created.  In a process that has loaded its thread library only now, ends
 * of threads are noticed from here on.  The first call is made by the only thread.  Context: init,
 * thread. */
void thread_ends_expect(void);

/* Have the calling thread's counters closed when the thread ends.  Context: thread. */
void thread_ends_watch(void);

/* Forget what other threads were doing with our key.  Context: fork child. */
void thread_ends_fork_child(void);

/* pthread_key_create, or tss_create: its result is `none_left` if there is no key. */
typedef int thread_ends_make(unsigned *key, void (*end)(void *));

/* Make a key for the program, if need be of ours: then ends of threads are not noticed any more.
 * Returns what make(key, end) returns.  Context: any. */
int thread_ends_make_key(thread_ends_make *make, unsigned *key, void (*end)(void *), int none_left);

#endif
