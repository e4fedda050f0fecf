/*
 * Threads that ended without thread_end(), because nothing told us of their end.  Others close
 * their counters and add their trees to those of ended threads.
 */
#ifndef RUNTIME_SAMPLE_LIFE_THREAD_GONE_H
#define RUNTIME_SAMPLE_LIFE_THREAD_GONE_H

/* From now on a thread may end in this way.  Context: any. */
void thread_gone_expect(void);

/* Look at a few threads, which is enough if each creation of a thread does so: those that are gone
 * are no more than those that run.  Or look at all.  Context: thread; exit. */
void thread_gone_look(void);
void thread_gone_look_at_all(void);

#endif
