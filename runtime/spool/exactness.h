/*
 * How exact the addresses of a counter's samples are: one bit of struct spool_counter's flags.
 * None: the spool was written before there were such bits.
 */
#ifndef RUNTIME_SPOOL_EXACTNESS_H
#define RUNTIME_SPOOL_EXACTNESS_H

#define SPOOL_COUNTER_CLOCK   64u   /* where a timer interrupted the thread */
#define SPOOL_COUNTER_EXACT   128u  /* the kernel samples at what counted */
#define SPOOL_COUNTER_PRECISE 256u  /* the processor records what counted (precise_ip 2 and 3) */
#define SPOOL_COUNTER_SHIFTED 512u  /* a constant distance after it (precise_ip 1) */
#define SPOOL_COUNTER_SKIDS   1024u /* some instructions after it */

#endif
