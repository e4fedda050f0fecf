/*
 * Words that parent and child write at each fork lie together.  The first write to a page after a
 * fork copies the page, which costs more than all other work with such a word.
 */
#ifndef RUNTIME_SAMPLE_SYS_TOGETHER_H
#define RUNTIME_SAMPLE_SYS_TOGETHER_H

/* A static variable that is written at each fork, and small. */
#define TOGETHER __attribute__((section("written_by_fork")))

#endif
