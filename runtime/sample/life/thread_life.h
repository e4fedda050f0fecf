/*
 * The life of a sampled thread: its start, in a new thread or in a forked child, and its end.
 */
#ifndef RUNTIME_SAMPLE_LIFE_THREAD_LIFE_H
#define RUNTIME_SAMPLE_LIFE_THREAD_LIFE_H

struct thread;

/* Start sampling the calling thread with the record.  Signals are blocked during the call.  Returns
 * 0; or -errno with the record given back and the failure counted.  Context: thread. */
int thread_attach(struct thread *thread);

/* Attach the calling thread again after a fork, with the same record.  Returns 0 or -errno.
 * Context: fork child. */
int thread_reattach(void);

/* Stop sampling the calling thread and merge its tree with that of earlier threads of its name.
 * Context: thread, its last moments. */
void thread_end(void);

/* The calling thread, of a fork's child, is not sampled any more; its counters and its tree are the
 * parent's.  Its own signal stack is set again.  Signals are blocked.  Context: fork child. */
void thread_abandon(void);

/* Threads that end without thread_end(), because nothing tells us of their end: others close their
 * counters and add their trees to those of ended threads.  From now on a thread may end in this
 * way. Context: any. */
void thread_gone_expect(void);

/* Look at a few threads, which is enough if each creation of a thread does so: those that are gone
 * are no more than those that run.  Or look at all.  Context: thread; exit. */
void thread_gone_look(void);
void thread_gone_look_at_all(void);

#endif
