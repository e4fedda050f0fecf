/*
 * A file that is built into the command: the assembler includes it, so that no tool has to convert
 * it to C.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_ASSET_H
#define RUNTIME_OUTPUT_GRAPH_ASSET_H

/* Defines `const char symbol[]`, NUL-terminated, as the text of a file.  Paths are relative to the
 * top of the source tree, where the compiler runs. */
#define ASSET(symbol, path)                                                                       \
	extern const char symbol[];                                                               \
	__asm__(".pushsection .rodata\n.global " #symbol "\n.type " #symbol ", %object\n" #symbol \
		":\n.incbin \"" path "\"\n.byte 0\n.size " #symbol ", . - " #symbol               \
		"\n.popsection\n")

#endif
