/* What the files of the PHP runtime share: the parts of the engine's structures that they read. */
#ifndef RUNTIME_SAMPLE_INTERP_PHP_PHP_H
#define RUNTIME_SAMPLE_INTERP_PHP_PHP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/interp/interp.h"

#define PHP_CALL_CODE	   (1u << 16) /* a file's or eval's code, not a function */
#define PHP_CALL_TOP	   (1u << 17) /* called from C */
#define PHP_CALL_GENERATOR (1u << 24)

#define PHP_TYPE_INTERNAL 1
#define PHP_TYPE_USER	  2
#define PHP_TYPE_EVAL	  4

/* struct _zend_execute_data of 8.1 to 8.4: one call. */
struct php_frame {
	uint64_t opline;
	uint64_t call;
	uint64_t result; /* of a generator: the generator */
	uint64_t function;
	uint64_t object;
	uint32_t info; /* PHP_CALL_* */
	uint32_t arguments;
	uint64_t caller;
};

/* Offsets in struct _zend_op_array. */
struct php_layout {
	uint16_t last; /* number of opcodes */
	uint16_t opcodes;
	uint16_t file;
	uint16_t first_line;
};

/* Returns the address in a stack for the function that the frame calls, 0 if it is not a function
 * of the program.  `opline` is the opcode that may be in execution, from a register; 0 or anything
 * if it is not known.   Context: signal. */
uint64_t php_function_pc(struct interp_reader *reader, const struct php_layout *layout,
			 const struct php_frame *frame, uint64_t opline);

/* Get what the engine's loop keeps in registers, which means nothing in other code.
 * Context: signal. */
void php_registers(const ucontext_t *context, uint64_t *frame, uint64_t *opline);

/* At the high end of a native frame: at most what it saved for its caller. */
extern const unsigned php_saved_bytes;

/* Get the number that the code of php_version_id() returns, such as 80406.  False if it is not the
 * code of such a function; `code` is its first 16 bytes.  Context: any. */
bool php_version_decode(const unsigned char *code, uint32_t *version);

#define PHP_VERSION_CODE_BYTES 16

#endif
