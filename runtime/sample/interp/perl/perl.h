/*
 * What the files of the Perl runtime share: the parts of the interpreter's structures that they
 * read, which are alike in 5.34 to 5.42 with threads.
 */
#ifndef RUNTIME_SAMPLE_INTERP_PERL_PERL_H
#define RUNTIME_SAMPLE_INTERP_PERL_PERL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp.h"

/* What differs between versions. */
struct perl_layout {
	uint16_t version; /* the minor one */
	uint16_t interp_bytes;
	uint16_t compiling;  /* PL_compiling in the interpreter */
	uint16_t jumps;	     /* PL_top_env */
	uint16_t next_state; /* OP_NEXTSTATE; OP_DBSTATE follows */
	bool has_aux;	     /* a package's name is in its body, not behind its buckets */
};

/* Beginning of struct interpreter. */
struct perl_interp {
	uint64_t stack_sp;
	uint64_t op;
	uint64_t unused1[24];
	uint64_t statement; /* curcop */
	uint64_t unused2;
	uint64_t stack_info;
	uint64_t unused3[7];
	uint64_t pad; /* comppad */
};

#define PERL_SUB    9
#define PERL_FORMAT 10
#define PERL_EVAL   11

/* struct context: a block in execution. */
struct perl_context {
	uint8_t type; /* PERL_* and flags */
	uint8_t unused1[15];
	uint64_t statement; /* the caller's */
	uint64_t unused2[3];
	uint64_t return_op; /* of calls; 0: the caller is C code */
	uint64_t unused3;
	uint64_t name; /* of PERL_EVAL: of the file that it requires; 0: it is a string's */
	uint64_t sub;  /* of PERL_SUB and PERL_FORMAT */
	uint64_t unused4;
	uint64_t eval; /* of PERL_EVAL */
	uint64_t unused5;
};

/* One thread's walk. */
struct perl_walk {
	const struct perl_layout *layout;
	struct interp_reader *reader;
	struct interp_places *places;
	uint64_t interp; /* address */
	struct perl_interp now;
	bool is_innermost; /* the next function is */
	/* The result: activations of the interpreter's loop that the contexts tell of, innermost
	 * first.  Places have the number of theirs instead of a native frame. */
	unsigned runs;
	unsigned idle;	       /* of these may be between two calls of a comparison */
	bool first_is_idle;    /* the innermost may */
	unsigned first_places; /* functions in the innermost */
	bool pending;	       /* the innermost call or return is in progress */
};

/* Go through the contexts and place functions.  `has_main`: the loop runs the main program.  False:
 * they contradict themselves, or cannot be read.  Context: signal. */
bool perl_contexts_walk(struct perl_walk *walk, bool has_main);

/* Returns memory of the interpreter, at a multiple of 8; NULL if it cannot be read.  Whoever loads
 * from it is MEMORY_RAW.  Context: signal. */
static inline const void *perl_read(const struct perl_walk *walk, uint64_t address, size_t bytes)
{
	return address % 8 ? NULL : interp_read(walk->reader, address, bytes);
}

/* Returns a word of it, or 0. */
MEMORY_RAW static inline uint64_t perl_word(const struct perl_walk *walk, uint64_t address)
{
	const uint64_t *from = perl_read(walk, address, sizeof(*from));

	return from ? *from : 0;
}

/* Returns the address in a stack of the sub that a context calls, at a statement; or of code in a
 * file or string, which has no name.  0: the line is not known.  Context: signal; likewise the
 * other. */
uint64_t perl_function_of_sub(const struct perl_walk *walk, const struct perl_context *context,
			      uint64_t statement);
uint64_t perl_function_of_code(const struct perl_walk *walk, const char *name, uint64_t statement);

#endif
