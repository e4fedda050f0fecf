/*
 * The life of a sampled thread: from its first moments, or those of a forked child, to its last.
 */
#ifndef RUNTIME_SAMPLE_THREAD_LIFE_H
#define RUNTIME_SAMPLE_THREAD_LIFE_H

struct thread;

/* Start sampling the calling thread with the record; signals are blocked meanwhile.
 * Returns 0; or -errno with the record given back and the failure counted.  Context: thread. */
int thread_attach(struct thread *thread);

/* Attach the thread again after a fork, in the same record.  Context: fork child. */
int thread_reattach(void);

/* Stop sampling the calling thread and merge its tree with that of earlier threads of its name.
 * Context: thread, its last moments. */
void thread_end(void);

#endif
