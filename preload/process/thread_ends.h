/*
 * Ends of threads, noticed by the destructor of a key (pthread_key_create(3)).
 */
#ifndef PRELOAD_PROCESS_THREAD_ENDS_H
#define PRELOAD_PROCESS_THREAD_ENDS_H

/* Call before a thread is created.  In a process that has loaded its thread library only now, ends
 * of threads are noticed from here on.  The first call is made by the only thread.  Context: init,
 * thread. */
void thread_ends_expect(void);

/* Have the calling thread's counters closed when the thread ends.  Context: thread. */
void thread_ends_watch(void);

#endif
