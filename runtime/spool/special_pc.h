/* Values in a stack that are no addresses, and their names. */
#ifndef RUNTIME_SPOOL_SPECIAL_PC_H
#define RUNTIME_SPOOL_SPECIAL_PC_H

#include <stdint.h>

/* Values of spool_node.pc, with their names, which appear in every format and which readers match.
 * All are below the addresses that a process can map.  X(identifier, value, name) */
#define SPOOL_PCS(X)                                                               \
	/* outermost: the stack was deeper than FLAMETRAP_DEPTH */                 \
	X(TRUNCATED, 1, "[truncated]")                                             \
	/* leaf: the context was new and the spool was full */                     \
	X(OVERFLOW, 2, "[overflow]")                                               \
	/* outermost: the stack ends in code without unwind information */         \
	X(NO_RULE, 3, "[no unwind information]")                                   \
	/* outermost: the stack leaves the thread's stack */                       \
	X(BOUNDS, 4, "[stack bounds]")                                             \
	/* outermost: another thread was using libunwind */                        \
	X(BUSY, 5, "[unwinder busy]")                                              \
	/* outermost: an unwind rule could not be applied */                       \
	X(FAILED, 6, "[bad unwind rule]")                                          \
	/* outermost: no user stack could be taken */                              \
	X(NO_USER, 7, "[no user stack]")                                           \
	/* outermost: only the leaf was taken, to save time */                     \
	X(LEAF_ONLY, 8, "[leaf only]")                                             \
	/* leaf, off-cpu: the thread was still runnable */                         \
	X(PREEMPTED, 9, "[preempted]")                                             \
	/* outermost, off-cpu: still waiting when the process ended or was read */ \
	X(BLOCKED, 10, "[still blocked]")                                          \
	/* outermost: a uretprobe holds the return address */                      \
	X(PROBED, 11, "[return address held by a uretprobe]")                      \
	/* an interpreter's garbage collection, below what caused it */            \
	X(COLLECTING, 12, "[gc]_[p]")                                              \
	/* a function of an interpreter that had no room in the spool */           \
	X(NO_CODE, 13, "[no room for its name]_[p]")                               \
	/* made by readers: functions of an interpreter that load modules */       \
	X(IMPORTING, 14, "[import]_[p]")                                           \
	/* outermost and leaf: the kernel's tick did not find the thread */        \
	X(NO_TICK, 15, "[no tick]")

#define SPOOL_PC_VALUE(id, value, name) SPOOL_PC_##id = (value),
enum spool_pc { SPOOL_PCS(SPOOL_PC_VALUE) SPOOL_PC_LIMIT = 4096 };
#undef SPOOL_PC_VALUE

/* Returns a name such as "[truncated]"; "[unknown]" for a value that this version does not know.
 * The text is static.  Context: any. */
const char *special_pc_name(uint64_t pc);

#endif
